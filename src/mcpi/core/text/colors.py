"""Colors for terminal output."""

import re
from collections.abc import Callable
from typing import TypeAlias

from mcpi.core.jsontext.patterns import STRING
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.text.terminal_safe import BIDI_CONTROLS

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
"""A function that applies a style to a text."""


def colorize(style: str, text: str) -> str:
    """Wrap the text in the color codes of the style."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else text


def no_color(_: str, text: str) -> str:
    """Return the text unchanged."""
    return text


_JSON = lazy_pattern(rf"({STRING})(?=(:)?)|(-?\d[0-9.eE+-]*)|(true|false|null)")
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(127, 160), *BIDI_CONTROLS)}


def colorize_json(text: str, paint: Paint = colorize) -> str:
    """Color JSON text and escape the characters that could control the terminal."""
    return _JSON.sub(lambda found: paint(_style(found), found[0]), escape_json_controls(text))


def escape_json_controls(text: str) -> str:
    """Escape the characters in JSON text that could control the terminal."""
    return text if text.isascii() and "\x7f" not in text else text.translate(_ESCAPES)


def _style(found: re.Match[str]) -> str:
    if found[1]:
        return "key" if found[2] else "string"
    return "number" if found[3] else "word"
