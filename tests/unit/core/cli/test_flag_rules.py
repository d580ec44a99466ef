"""Conflicting flags are rejected; tests of whole command lines are in tests/unit/shell."""

import pytest

from mcpi.core.cli.flag_rules import flag_problem
from mcpi.core.flags.declare import GivenFlags
from mcpi.core.flags.pairs import invalid
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.method import Method, RawParams
from mcpi.core.plans.steps import request
from mcpi.plugins.methods.resources import OneResource
from mcpi.plugins.methods.tools.tools import CallTool

PING = Method("ping", RawParams, lambda _: request("ping"), "ping")
READ = Method("resources/read", OneResource, lambda _: request("resources/read"), "read")
CALL = Method("tools/call", CallTool, lambda _: request("tools/call"), "call")


def flags_with_values(*flags: str) -> GivenFlags:
    """Build flags, each with a value."""
    return GivenFlags(values=dict.fromkeys(flags, ("x",)))


@pytest.mark.parametrize(
    ("flags", "where", "problem"),
    [
        (("--max-events",), "--max-events", "requires --follow"),
        (("--breakpoint",), "--breakpoint", "requires --expression"),
        (("--follow", "--output"), "--follow", "cannot be combined with --output"),
        (("--ndjson", "--watch"), "--ndjson", "cannot be combined with --watch"),
    ],
)
def test_conflicting_flags_are_named(flags: tuple[str, ...], where: str, problem: str) -> None:
    found = flag_problem(flags_with_values("--method", *flags), PING)

    assert isinstance(found, Failure)
    fault = found.failure()
    assert isinstance(fault, Invalid)
    assert (fault.where, fault.problem) == (where, problem)


@pytest.mark.parametrize("flag", ["--script", "--params", "--output", "--report-md", "--trace", "--config", "--uri"])
def test_second_value_is_rejected_if_the_first_would_be_lost(flag: str) -> None:
    given = GivenFlags({"--method": ("resources/read",), flag: ("b",)}, repeated=("--timeout", flag))

    assert flag_problem(given, READ) == invalid(
        flag, "given more than once, but takes one value", "to use each value, run mcpi once for each"
    )


@pytest.mark.parametrize("flag", ["--timeout", "--era", "--tool-arg", "--poll"])
def test_last_value_of_a_setting_wins(flag: str) -> None:
    given = GivenFlags({"--method": ("tools/call",), flag: ("a=1", "b=2")}, repeated=(flag,))

    assert flag_problem(given, CALL) is None


def test_single_method_has_no_conflict() -> None:
    assert flag_problem(flags_with_values("--method"), PING) is None
