"""Colours, for those who read on a terminal."""

import re
from collections.abc import Callable
from typing import TypeAlias

from mcpi.core.text.terminal_safe import TURNING

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


_JSON = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")(?=(:)?)|(-?\d[0-9.eE+-]*)|(true|false|null)')
_STEERING = {code: f"\\u{code:04x}" for code in (*range(127, 160), *TURNING)}


def json(text: str, paint: Paint = colour) -> str:
    """The same JSON in colours; characters that would steer a terminal are spelled as escapes."""
    return _JSON.sub(lambda found: paint(_style(found), found[0]), unsteering(text))


def unsteering(text: str) -> str:
    """The same JSON, with the characters that would steer a terminal spelled as escapes."""
    return text if text.isascii() and "\x7f" not in text else text.translate(_STEERING)


def _style(found: re.Match[str]) -> str:
    if found[1]:
        return "key" if found[2] else "string"
    return "number" if found[3] else "word"
