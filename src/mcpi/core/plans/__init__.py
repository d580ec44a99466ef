"""Building blocks of plugins: methods, plans, steps, and reports."""
