"""Regular expressions for JSON text, as sources to build larger ones from."""

# Possessive: a string of a million escapes costs no stack and no backtracking.
STRING_BODY = r'[^"\\]*+(?:\\.[^"\\]*+)*+'
STRING = f'"{STRING_BODY}"'
"""A JSON string, valid or not, with its quotes."""
LITERAL = r'[^\s"{}\[\],:]++'
"""A number, a literal, or any other text in its place."""
