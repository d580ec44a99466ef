"""FILE:LINE positions."""

import pytest

from mcpi.core.flags.places import SourceLine, parse_source_line
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
def test_last_colon_separates_file_and_line(text: str, file: str, line: int) -> None:
    assert parse_source_line("--breakpoint", text) == Success(SourceLine(file, line))


def test_a_column_may_follow_the_line() -> None:
    place = SourceLine("a.ts", 4, 12)

    assert parse_source_line("--breakpoint", "a.ts:4:12") == Success(place)
    assert str(place) == "a.ts:4:12"


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("a.ts", "a.ts"),
        ("file:///p/a%20b.ts", "/p/a b.ts"),
        ("file://localhost/p/a.ts", "/p/a.ts"),
        ("file:x", "file:x"),
    ],
)
def test_a_file_url_names_a_path(file: str, path: str) -> None:
    assert SourceLine(file, 1).path == path


@pytest.mark.parametrize("text", ["app.ts", "app.ts:", ":4", "a.ts:0", "a.ts:x", "a.ts:-1", "a:9999999999", "a:1:0"])
def test_location_without_a_valid_line_is_rejected(text: str) -> None:
    outcome = parse_source_line("--breakpoint", text)

    assert isinstance(outcome, Failure)
    assert outcome.failure() == Invalid(
        "INVALID_ARGUMENT",
        "--breakpoint",
        f"expected FILE:LINE with a line number from 1, got {text!r}",
        ("for example src/app.ts:42",),
    )


def test_location_is_formatted_as_file_and_line() -> None:
    assert str(SourceLine("src/app.ts", 42)) == "src/app.ts:42"
