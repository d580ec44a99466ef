"""Built-in methods, one plugin per group."""
