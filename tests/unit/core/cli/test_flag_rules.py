"""Conflicting flags are rejected; tests of whole command lines are in tests/unit/shell."""

import pytest

from mcpi.core.cli.flag_rules import flag_problem
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.pairs import invalid
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.method import Method
from mcpi.core.plans.steps import request

PING = Method("ping", object, lambda _: request("ping"), "ping")


def flags_with_values(*flags: str) -> GivenFlags:
    """Build flags, each with a value."""
    return GivenFlags(values=dict.fromkeys(flags, ("x",)))


@pytest.mark.parametrize(
    ("flags", "where", "problem"),
    [
        (("--max-events",), "--max-events", "requires --follow"),
        (("--ndjson",), "--ndjson", "requires --script or --follow"),
        (("--breakpoint",), "--breakpoint", "requires --expression"),
        (("--follow", "--output"), "--follow", "cannot be combined with --output"),
    ],
)
def test_conflicting_flags_are_named(flags: tuple[str, ...], where: str, problem: str) -> None:
    found = flag_problem(flags_with_values("--method", *flags), PING)

    assert isinstance(found, Failure)
    fault = found.failure()
    assert isinstance(fault, Invalid)
    assert (fault.where, fault.problem) == (where, problem)


def test_second_script_is_rejected() -> None:
    given = GivenFlags({"--script": ("a.json", "b.json")})

    assert flag_problem(given, None) == invalid(
        "--script", "given 2 times; a run has one script", "run mcpi once for each script"
    )


def test_single_method_has_no_conflict() -> None:
    assert flag_problem(flags_with_values("--method"), PING) is None
