"""What a terminal can show."""

import os
from typing import TextIO

from mcpi.core.text.colors import Paint, colour, plain


def shows_progress(stream: TextIO) -> bool:
    """Whether what was written there can be taken back and written anew."""
    if os.environ.get("TERM") == "dumb" or not stream.isatty():
        return False
    # The old console of Windows shows the codes themselves; its successor names itself.
    return os.name != "nt" or "WT_SESSION" in os.environ


def colours(stream: TextIO) -> bool:
    """Whether somebody sees colours there, and has not said that they are unwanted (no-color.org)."""
    return not os.environ.get("NO_COLOR") and shows_progress(stream)


def paint(stream: TextIO) -> Paint:
    """Colours, where they are seen."""
    return colour if colours(stream) else plain


def width() -> int:
    """The columns of the terminal."""
    import shutil  # noqa: PLC0415 - no command needs it that goes into a pipe

    return shutil.get_terminal_size((100, 24)).columns
