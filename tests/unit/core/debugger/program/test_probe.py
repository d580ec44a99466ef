"""A probe: a position, an expression, a limit."""

import pytest

from mcpi.core.debugger.program.probe import Probe, parse_probe
from mcpi.core.flags.places import SourceLine
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Success

PLACE = SourceLine("app.js", 1)


def test_a_probe_has_a_place_an_expression_and_a_limit() -> None:
    assert parse_probe(PLACE, "x", 5) == Success(Probe(PLACE, "x", 5))


@pytest.mark.parametrize(
    ("expression", "most", "flag"), [("", 5, "--expression"), (" \n", 5, "--expression"), ("x", 0, "--max-results")]
)
def test_a_probe_without_an_expression_or_room_is_refused(expression: str, most: int, flag: str) -> None:
    outcome = parse_probe(PLACE, expression, most)

    assert isinstance(outcome, Failure)
    fault = outcome.failure()
    assert isinstance(fault, Invalid)
    assert fault.where == flag
