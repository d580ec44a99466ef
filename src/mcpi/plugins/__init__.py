"""Built-in plugins: one file per method group, with its flags and plans."""
