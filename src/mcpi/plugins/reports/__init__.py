"""Built-in report formats."""
