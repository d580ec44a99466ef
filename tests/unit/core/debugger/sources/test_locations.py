"""Choice of a breakpoint location for a source line."""

import pytest

from mcpi.core.debugger.sources.function_ranges import Position
from mcpi.core.debugger.sources.locations import (
    MAX_SCANNED,
    BreakLocation,
    RequestedBreakpoint,
    after_line,
    break_locations,
    is_module_return,
    line_functions,
    on_line,
    positions,
)
from mcpi.core.debugger.sources.source_maps import Segment, SourceMap
from mcpi.core.jsontext.values import JsonObject

TEXT = """\
function f() {
  one();
  // comment
  function inner() { two(); }
  three();
  return;
  // after
}
four();
"""
FOUND = [BreakLocation(at, at) for at in ((1, 2), (3, 21), (4, 2), (5, 2), (8, 0))]


def test_the_first_location_on_the_line_is_taken() -> None:
    found = [BreakLocation((4, 9), (4, 9)), BreakLocation((4, 2), (7, 0)), BreakLocation((5, 0), (5, 0))]

    assert on_line(found, RequestedBreakpoint(0, "/a.js", 4)) == BreakLocation((4, 2), (7, 0))
    assert on_line(found, RequestedBreakpoint(0, "/a.js", 6)) is None


@pytest.mark.parametrize(("column", "taken"), [(0, 2), (2, 2), (3, 9), (9, 9), (20, 9)])
def test_column_selects_the_next_location_on_the_line(column: int, taken: int) -> None:
    found = [BreakLocation((4, at), (4, at)) for at in (2, 9)]

    assert on_line(found, RequestedBreakpoint(0, "/a.js", 4, column)) == BreakLocation((4, taken), (4, taken))


@pytest.mark.parametrize(("line", "taken"), [(0, (1, 2)), (2, (4, 2)), (6, None), (7, None)])
def test_line_without_code_moves_within_its_function(line: int, taken: Position | None) -> None:
    chosen = after_line(FOUND, RequestedBreakpoint(0, "/a.js", line), line_functions(TEXT, line))

    assert (chosen.source if chosen else None) == taken


def test_line_outside_functions_takes_the_next_location() -> None:
    functions = line_functions("// comment\nfunction f() {\n  one();\n}\n", 0)

    assert after_line([BreakLocation((2, 2), (2, 2))], RequestedBreakpoint(0, "/a.js", 0), functions) is not None


def test_huge_source_or_line_after_the_end_has_no_function() -> None:
    assert line_functions("function f() {\n}" + " " * MAX_SCANNED, 0).around is None
    assert line_functions("function f() {\n}", 9).around is None


@pytest.mark.parametrize(
    ("text", "at"), [("f();\n}\n", (1, 1)), ("f();\n}\n\n", (2, 0)), ("f();\n}", (1, 0)), ("f", (0, 0))]
)
def test_module_returns_at_its_last_character(text: str, at: Position) -> None:
    assert is_module_return(at, text)


@pytest.mark.parametrize(("text", "at"), [("f();\n}\n", (1, 0)), ("f();\n}", (0, 3)), ("f();", (0, 0)), ("", (0, 0))])
def test_module_does_not_return_before_its_last_character(text: str, at: Position) -> None:
    assert not is_module_return(at, text)


def test_positions_are_read_from_a_response() -> None:
    assert positions([{"lineNumber": 3, "columnNumber": 4}, {"lineNumber": 5}]) == [(3, 4), (5, 0)]


SOURCE = """\
function f(n) {
  if (n) return n;
  const r = n;
  return r;
}
"""
# The generated code is `function f(n){if(n)return n;const r=n;return r}g`.
COLUMNS = (14, 19, 26, 28, 36, 38, 45, 46, 47)
SOURCES = ((1, 2), (1, 9), (1, 16), (2, 2), (2, 12), (3, 2), (3, 9), (4, 0), (-1, 0))
MINIFIED = SourceMap(tuple(Segment(0, column, *source) for column, source in zip(COLUMNS, SOURCES, strict=True)))


def returning(column: int) -> JsonObject:
    return {"lineNumber": 0, "columnNumber": column, "type": "return"}


@pytest.mark.parametrize(
    ("column", "sources"),
    [
        (28, [(1, 16)]),  # the end of the statement, where another statement starts
        (46, [(3, 9), (4, 0)]),  # the end of the statement, where the function ends
        (38, [(2, 12)]),
        (47, []),  # code that does not come from the source
        (14, [(1, 2)]),
        (15, [(1, 2)]),
    ],
)
def test_return_belongs_to_the_statement_before_it(column: int, sources: list[Position]) -> None:
    found = break_locations([returning(column)], MINIFIED, SOURCE)

    assert sorted(found) == [BreakLocation(source, (0, column)) for source in sources]


def test_end_of_a_function_does_not_belong_to_another_statement() -> None:
    found = break_locations([returning(46)], MINIFIED, SOURCE.replace("return r", "throw r"))

    assert found == [BreakLocation((4, 0), (0, 46))]


def test_return_of_a_source_without_text_belongs_to_the_code_before_it() -> None:
    assert break_locations([returning(46)], MINIFIED, "") == [BreakLocation((3, 9), (0, 46))]


def test_other_locations_have_the_position_of_their_own_segment() -> None:
    found = break_locations([{"lineNumber": 0, "columnNumber": column} for column in (28, 47)], MINIFIED, SOURCE)

    assert found == [BreakLocation((2, 2), (0, 28))]
    assert break_locations([returning(46)], None, SOURCE) == [BreakLocation((0, 46), (0, 46))]
