"""Colours, for those who read on a terminal."""

from collections.abc import Callable
from typing import TypeAlias

_CODES = {
    "title": "1",
    "name": "36",
    "error": "1;31",
    "warning": "33",
    "good": "32",
    "faint": "2",
    "key": "34",
    "string": "32",
    "number": "36",
    "word": "35",
}

Paint: TypeAlias = Callable[[str, str], str]
"""The text in a style."""


def colour(style: str, text: str) -> str:
    """The text in the colour of the style."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else text


def plain(_: str, text: str) -> str:
    """The text as it is."""
    return text
