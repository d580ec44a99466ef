"""Fit text to the width of a terminal."""

_NARROWEST, _WIDEST = 50, 110


def fitting(width: int) -> int:
    """The width to fill: lines that are too long are as hard to read as those that are too short."""
    return min(max(width, _NARROWEST), _WIDEST)
