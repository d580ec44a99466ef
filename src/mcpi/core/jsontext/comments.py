"""JSON as editors allow it in their settings: with comments, and with commas after the last member."""

import re

_BLANK = r"(?:\s|//[^\n]*|/\*.*?\*/)"
_PARTS = re.compile(rf'"[^"\\]*+(?:\\.[^"\\]*+)*+"|//[^\n]*|/\*.*?\*/|,(?={_BLANK}*[}}\]])', re.DOTALL)
_VISIBLE = re.compile(r"[^\n]")


def without_comments(text: str) -> str:
    """The same JSON with spaces where comments and superfluous commas were, so that each line keeps its number."""
    return _PARTS.sub(lambda found: found[0] if found[0].startswith('"') else _VISIBLE.sub(" ", found[0]), text)
