"""JSON with comments and trailing commas, as editors allow in their settings files."""

import re

from mcpi.core.jsontext.patterns import STRING

_BLANK = r"(?:\s|//[^\n]*|/\*.*?\*/)"
_PARTS = re.compile(rf"{STRING}|//[^\n]*|/\*.*?\*/|,(?={_BLANK}*[}}\]])", re.DOTALL)
_VISIBLE = re.compile(r"[^\n]")


def without_comments(text: str) -> str:
    """Replace comments and trailing commas with spaces, so that line numbers stay the same."""
    return _PARTS.sub(lambda found: found[0] if found[0].startswith('"') else _VISIBLE.sub(" ", found[0]), text)
