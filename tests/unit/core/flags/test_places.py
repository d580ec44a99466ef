"""FILE:LINE positions."""

import pytest

from mcpi.core.debugger.program.probe import Probe, parse_probe
from mcpi.core.flags.places import DEFAULT_MAX_RESULTS, SourceLine, parse_source_line
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success


@pytest.mark.parametrize(
    ("text", "file", "line"),
    [
        ("src/app.ts:42", "src/app.ts", 42),
        ("C:/x.js:1", "C:/x.js", 1),
        ("a:b:7", "a:b", 7),
        ("./a b.js:03", "./a b.js", 3),
    ],
)
def test_the_last_colon_parts_the_line_from_the_file(text: str, file: str, line: int) -> None:
    assert parse_source_line("--breakpoint", text) == Success(SourceLine(file, line))


@pytest.mark.parametrize("text", ["app.ts", "app.ts:", ":4", "app.ts:0", "app.ts:x", "app.ts:-1", "a:9999999999"])
def test_a_place_without_a_line_is_refused(text: str) -> None:
    outcome = parse_source_line("--breakpoint", text)

    assert isinstance(outcome, Failure)
    assert outcome.failure() == Invalid(
        "INVALID_ARGUMENT",
        "--breakpoint",
        f"expected FILE:LINE with a line from 1 on, got {text!r}",
        ("for example src/app.ts:42",),
    )


def test_a_place_is_written_as_it_is_read() -> None:
    assert str(SourceLine("src/app.ts", 42)) == "src/app.ts:42"


def test_a_probe_has_a_place_an_expression_and_a_limit() -> None:
    assert parse_probe(SourceLine("a.js", 1), "x", DEFAULT_MAX_RESULTS) == Success(
        Probe(SourceLine("a.js", 1), "x", 10_000)
    )


def test_an_empty_expression_and_no_room_are_refused() -> None:
    place = SourceLine("a.js", 1)

    assert parse_probe(place, " ", 5) == Failure(
        Invalid("INVALID_ARGUMENT", "--expression", "is empty, where a JavaScript expression was expected")
    )
    assert parse_probe(place, "x", 0) == Failure(Invalid("INVALID_ARGUMENT", "--max-results", "expected at least 1"))
