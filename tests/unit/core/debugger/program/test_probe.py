"""Probes: places, expressions, limits."""

import pytest

from mcpi.core.debugger.inspector.recorder_js import Limits
from mcpi.core.debugger.program.probe import Probe, parse_probe
from mcpi.core.flags.places import SourceLine
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success

PLACE, OTHER = SourceLine("app.js", 1), SourceLine("b.js", 2)


def test_a_probe_has_places_expressions_and_limits() -> None:
    limits = Limits(5)

    assert parse_probe([PLACE], ["x"], limits) == Success(Probe((PLACE,), ("x",), limits))


def test_one_expression_serves_all_places() -> None:
    probe = parse_probe([PLACE, OTHER], ["x"], Limits(), 3, stack=True)

    assert probe == Success(Probe((PLACE, OTHER), ("x", "x"), Limits(), 3, stack=True))


def test_each_place_may_have_its_expression() -> None:
    assert parse_probe([PLACE, OTHER], ["x", "y"], Limits()).unwrap().expressions == ("x", "y")


@pytest.mark.parametrize(
    ("expressions", "limits", "stop_after", "flag", "problem"),
    [
        (["", "x"], Limits(), None, "--expression", "is empty, where a JavaScript expression was expected"),
        ([" \n"], Limits(), None, "--expression", "is empty, where a JavaScript expression was expected"),
        (
            ["x"] * 3,
            Limits(),
            None,
            "--expression",
            "expected one, or one for each --breakpoint, got 3 expressions for 2 breakpoints",
        ),
        (["x"], Limits(0), None, "--max-results", "expected at least 1"),
        (["x"], Limits(value_bytes=0), None, "--max-value-bytes", "expected at least 1"),
        (["x"], Limits(total_bytes=0), None, "--max-total-bytes", "expected at least 1"),
        (["x"], Limits(), 0, "--stop-after", "expected at least 1"),
    ],
)
def test_a_probe_without_an_expression_or_room_is_refused(
    expressions: list[str], limits: Limits, stop_after: int | None, flag: str, problem: str
) -> None:
    outcome = parse_probe([PLACE, OTHER], expressions, limits, stop_after)

    assert outcome == Failure(Invalid("INVALID_ARGUMENT", flag, problem))
