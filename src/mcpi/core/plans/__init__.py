"""What plugins write with: methods, plans, steps, and reports."""
