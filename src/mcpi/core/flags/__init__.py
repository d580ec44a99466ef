"""Flag declarations: types, options, and parsing of values."""
