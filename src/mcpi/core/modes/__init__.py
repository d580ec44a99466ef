"""Run modes: one method, follow mode, and dry run."""
