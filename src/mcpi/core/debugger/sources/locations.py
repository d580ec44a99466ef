"""Choose where in a script to break for a line of a source."""

import re
from collections.abc import Iterable, Sequence

from attrs import field, frozen

from mcpi.core.debugger.sources.function_ranges import (
    FunctionRange,
    Position,
    find_functions,
    function_of_line,
    innermost,
)
from mcpi.core.debugger.sources.source_maps import SourceMap
from mcpi.core.jsontext.values import Json, as_object

_RETURN = re.compile(r"\breturn\b")
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


def break_locations(found: Iterable[Json], mapping: SourceMap | None, text: str) -> list[BreakLocation]:
    """Return the locations in the response to getPossibleBreakpoints that come from the source with this text."""
    locations: list[BreakLocation] = []
    lines = text.split("\n")
    for one, at in ((as_object(each), positions([each])[0]) for each in found):
        source = at if mapping is None else mapping.original(*at)
        sources = {source}
        if mapping is not None and one.get("type") == "return":
            sources = _return_sources(lines, source, mapping.original(at[0], at[1] - 1))
        locations += [BreakLocation(place, at) for place in sources if place is not None]
    return locations


def _return_sources(lines: Sequence[str], following: Position | None, before: Position | None) -> set[Position | None]:
    """Return the sources of a location where a function returns, from the sources of the code on both sides of it."""
    # V8 returns at the end of a `return` statement, or at the `}` of a function. If the code has no whitespace, the end
    # of the statement is the start of the next one, or the `}`.
    if before is None:
        return {following}
    if following is None or _text_from(lines, following).startswith("}"):
        is_statement = _RETURN.search(_text_from(lines, (before[0], 0)))
        return {following, before} if is_statement else {following}
    return {before}


def _text_from(lines: Sequence[str], at: Position) -> str:
    return lines[at[0]][at[1] :] if at[0] < len(lines) else ""


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
