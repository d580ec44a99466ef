"""Fit text to the width of a terminal."""

_NARROWEST, _WIDEST = 50, 110


def clamp_width(width: int) -> int:
    """Limit the width to a readable range: very long lines are as hard to read as very short ones."""
    return min(max(width, _NARROWEST), _WIDEST)
