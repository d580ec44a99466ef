"""FILE:LINE positions for breakpoints."""

import re
from urllib.parse import unquote

from mcpi.core.flags.pairs import invalid
from mcpi.core.frozen import frozen
from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.result import ParseResult, Success

DEFAULT_MAX_RESULTS = 10_000
"""Default for the maximum number of values to keep."""
_PLACE = lazy_pattern(r"(?P<file>.+?):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?", re.DOTALL)
_FILE_URL = lazy_pattern(r"file://(?:localhost)?(?=/)")


@frozen
class RecordingLimits:
    """Limits of the recording: results, bytes of one value, and bytes of all values."""

    results: int = DEFAULT_MAX_RESULTS
    value_bytes: int = 64 << 10
    total_bytes: int = 1 << 20


@frozen
class SourceLine:
    """A line of a file, and a column of it if one is given; both are counted from 1."""

    file: str
    line: int
    column: int | None = None

    def __str__(self) -> str:
        """Return FILE:LINE or FILE:LINE:COLUMN."""
        return f"{self.file}:{self.line}" + ("" if self.column is None else f":{self.column}")

    @property
    def path(self) -> str:
        """The file as a path; a file: URL is decoded."""
        match = _FILE_URL.match(self.file)
        return unquote(self.file[match.end() :], errors="surrogateescape") if match else self.file


def parse_source_line(flag: str, text: str) -> ParseResult[SourceLine]:
    """Parse FILE:LINE or FILE:LINE:COLUMN; the file may be a file: URL."""
    match = _PLACE.fullmatch(text)
    column = int(match["column"]) if match and match["column"] else None
    if match is None or int(match["line"]) == 0 or column == 0:
        return invalid(flag, f"expected FILE:LINE with a line number from 1, got {text!r}", "for example src/app.ts:42")
    return Success(SourceLine(match["file"], int(match["line"]), column))
