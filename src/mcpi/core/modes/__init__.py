"""Ways to run: one method, follow mode, and dry run."""
