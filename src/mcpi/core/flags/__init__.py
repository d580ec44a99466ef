"""Flag declarations: types, options, and reading of values."""
