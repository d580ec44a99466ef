"""Probes: locations, expressions and limits."""

import pytest

from mcpi.core.debugger.program.probe import Probe, parse_probe
from mcpi.core.flags.places import RecordingLimits, SourceLine
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success

PLACE, OTHER = SourceLine("app.js", 1), SourceLine("b.js", 2)


def test_probe_has_locations_expressions_and_limits() -> None:
    limits = RecordingLimits(5)

    assert parse_probe([PLACE], ["x"], limits) == Success(Probe((PLACE,), ("x",), limits))


def test_one_expression_applies_to_all_breakpoints() -> None:
    probe = parse_probe([PLACE, OTHER], ["x"], RecordingLimits(), 3, stack=True)

    assert probe == Success(Probe((PLACE, OTHER), ("x", "x"), RecordingLimits(), 3, stack=True))


def test_each_breakpoint_may_have_its_own_expression() -> None:
    assert parse_probe([PLACE, OTHER], ["x", "y"], RecordingLimits()).unwrap().expressions == ("x", "y")


@pytest.mark.parametrize(
    ("expressions", "limits", "stop_after", "flag", "problem"),
    [
        (["", "x"], RecordingLimits(), None, "--expression", "empty; expected a JavaScript expression"),
        ([" \n"], RecordingLimits(), None, "--expression", "empty; expected a JavaScript expression"),
        (
            ["x"] * 3,
            RecordingLimits(),
            None,
            "--expression",
            "expected one, or one for each --breakpoint, got 3 expressions for 2 breakpoints",
        ),
        (["x"], RecordingLimits(0), None, "--max-results", "expected at least 1, got 0"),
        (["x"], RecordingLimits(value_bytes=0), None, "--max-value-bytes", "expected at least 1, got 0"),
        (["x"], RecordingLimits(total_bytes=0), None, "--max-total-bytes", "expected at least 1, got 0"),
        (["x"], RecordingLimits(), 0, "--stop-after", "expected at least 1, got 0"),
    ],
)
def test_empty_expression_or_zero_limit_is_rejected(
    expressions: list[str], limits: RecordingLimits, stop_after: int | None, flag: str, problem: str
) -> None:
    outcome = parse_probe([PLACE, OTHER], expressions, limits, stop_after)

    assert outcome == Failure(Invalid("INVALID_ARGUMENT", flag, problem))


def test_breakpoint_in_another_language_is_rejected() -> None:
    problem = "server.py:17 is not JavaScript; breakpoints require a program that runs on Node.js"

    assert parse_probe([SourceLine("server.py", 17)], ["x"], RecordingLimits()) == Failure(
        Invalid("INVALID_ARGUMENT", "--breakpoint", problem)
    )
