"""Choose where in a script to break for a line of a source."""

from collections.abc import Iterable, Sequence

from attrs import field, frozen

from mcpi.core.debugger.sources.function_ranges import (
    FunctionRange,
    Position,
    find_functions,
    function_of_line,
    innermost,
)
from mcpi.core.jsontext.values import Json, as_object

MAX_SCANNED = 1 << 20
"""Maximum length of a source that is searched for functions."""


@frozen
class RequestedBreakpoint:
    """A requested breakpoint: its number, and a real path, line and column, zero-based."""

    number: int
    path: str
    line: int
    column: int | None = None
    text: str = field(default="", repr=False)
    """The source text; empty if the file does not exist."""


@frozen(order=True)
class BreakLocation:
    """A position where V8 can break: in the source, and in the script."""

    source: Position
    script: Position


@frozen
class LineFunctions:
    """The functions of a source, and the one that a line belongs to."""

    functions: tuple[FunctionRange, ...]
    around: FunctionRange | None


def line_functions(text: str, line: int) -> LineFunctions:
    """Find the function that a line belongs to."""
    functions = find_functions(text) if len(text) <= MAX_SCANNED else ()
    lines = text.split("\n")
    content = lines[line] if line < len(lines) else ""
    column = len(content) - len(content.lstrip())
    return LineFunctions(functions, function_of_line(functions, line, column))


def positions(found: Iterable[Json]) -> list[Position]:
    """Return the positions in the response to getPossibleBreakpoints."""
    locations = map(as_object, found)
    return [(_number(one.get("lineNumber")), _number(one.get("columnNumber"))) for one in locations]


def on_line(found: Sequence[BreakLocation], aim: RequestedBreakpoint) -> BreakLocation | None:
    """Return the first location on the line, or the first one from the column on, if a column is given."""
    here = sorted(one for one in found if one.source[0] == aim.line)
    if aim.column is None or not here:
        return here[0] if here else None
    return next((one for one in here if one.source[1] >= aim.column), here[-1])


def after_line(
    found: Iterable[BreakLocation], aim: RequestedBreakpoint, functions: LineFunctions
) -> BreakLocation | None:
    """Return the next location in the same function; outside of functions, the next one anywhere."""
    around = functions.around
    inside = (one for one in found if around is None or innermost(functions.functions, one.source) == around)
    return min((one for one in inside if one.source[0] > aim.line), default=None)


def is_module_return(at: Position, text: str) -> bool:
    """Tell whether a position is the last character of a script, where a CommonJS module returns."""
    return at == (text.count("\n", 0, -1), len(text) - text.rfind("\n", 0, -1) - 2)


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0
