"""Terminal capabilities: colors, progress lines, and width."""

import os
from collections.abc import Mapping
from typing import TextIO

from mcpi.core.text.colors import Paint, colorize, no_color

DEFAULT_WIDTH = 100


def shows_progress(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Tell whether a line written to the stream can be erased and rewritten."""
    if environment.get("TERM") == "dumb" or not stream.isatty():
        return False
    # The old console of Windows prints escape codes; Windows Terminal sets WT_SESSION.
    return os.name != "nt" or "WT_SESSION" in environment


def uses_colors(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Tell whether to write colors to the stream: on a terminal, unless NO_COLOR is set (no-color.org)."""
    return not environment.get("NO_COLOR") and shows_progress(stream, environment)


def paint(stream: TextIO, environment: Mapping[str, str]) -> Paint:
    """Return a function that colors text, or leaves it plain."""
    return colorize if uses_colors(stream, environment) else no_color


def width(stream: TextIO, environment: Mapping[str, str]) -> int:
    """Return the columns of the terminal, from COLUMNS or from the system."""
    columns = environment.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH
    except (OSError, ValueError):
        return DEFAULT_WIDTH
