"""What a terminal can show."""

import os
import shutil
from typing import TextIO

from mcpi.core.paint import Paint, colour, plain


def colours(stream: TextIO) -> bool:
    """Whether somebody sees colours there, and has not said that they are unwanted (no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return False
    # The old console of Windows shows the codes themselves; its successor names itself.
    return os.name != "nt" or "WT_SESSION" in os.environ


def paint(stream: TextIO) -> Paint:
    """Colours, where they are seen."""
    return colour if colours(stream) else plain


def width() -> int:
    """The columns of the terminal."""
    return shutil.get_terminal_size((100, 24)).columns
