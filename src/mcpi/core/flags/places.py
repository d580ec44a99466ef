"""FILE:LINE positions for breakpoints."""

import re

from mcpi.core.flags.pairs import invalid
from mcpi.core.frozen import frozen
from mcpi.core.outcome.result import ParseResult, Success

DEFAULT_MAX_RESULTS = 10_000
"""Default for the maximum number of values to keep."""
_PLACE = re.compile(r"(?P<file>.+):(?P<line>[0-9]{1,9})", re.DOTALL)


@frozen
class SourceLine:
    """A line of a file; lines are counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        """Return FILE:LINE."""
        return f"{self.file}:{self.line}"


def parse_source_line(flag: str, text: str) -> ParseResult[SourceLine]:
    """Parse FILE:LINE."""
    match = _PLACE.fullmatch(text)
    if match is None or int(match["line"]) == 0:
        return invalid(flag, f"expected FILE:LINE with a line from 1 on, got {text!r}", "for example src/app.ts:42")
    return Success(SourceLine(match["file"], int(match["line"])))
