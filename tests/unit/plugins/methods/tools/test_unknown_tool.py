"""A failed call of an unknown tool is reported as an invalid argument."""

from typing import cast

import pytest

from mcpi.core.flags.pairs import Pair
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Correction, Invalid, RpcError
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.steps import Call, Plan
from mcpi.plugins.methods.tools.unknown_tool import failure_reason, missing_tool
from support.replay import exact, replay

LISTING = Call("tools/list", allow_failure=True)
TOOLS = Success(exact({"tools": [{"name": "echo"}, {"name": "add"}]}))


def reason(
    name: str, given: tuple[str, ...] | Exact, message: str, rpc: Exact | None = None, listed: object = TOOLS
) -> Invalid | tuple[str, ...]:
    """Return the reason of a failed call, found in the server's list."""
    arguments = given if isinstance(given, Exact) else tuple(Pair(one, "1") for one in given)
    ended = replay(cast("Plan", failure_reason(name, arguments, {}, message, rpc)), (LISTING, listed))
    return cast("Invalid | tuple[str, ...]", ended.result)


def test_unlisted_tool_suggests_nearest_name() -> None:
    fault = Invalid(
        "INVALID_ARGUMENT",
        "--tool-name",
        "unknown tool 'ecko' (Unknown tool); did you mean echo?",
        rpc=exact({"code": -1}),
        quotes_server=True,
    )

    ended = reason("ecko", (), "Unknown\n tool", exact({"code": -1}))
    assert ended == fault


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("nosuch", None),
        ("tuoch", "touch"),
        ("ouch", "touch"),
        ("stock", "get_stock"),
        ("geet_stok", "get_stock"),
        ("get_stonks", "get_stock"),
    ],
)
def test_name_that_begins_differently_must_be_more_similar(name: str, near: str | None) -> None:
    correction = missing_tool(name, ("touch", "get_stock")).correction

    assert (None if correction is None else correction.right) == (None if near is None else (near,))


@pytest.mark.parametrize("name", ["add a=1 b:=2", "add(a=1, b:=2)"])
def test_arguments_in_the_name_are_separated(name: str) -> None:
    fault = missing_tool(name, ("echo", "add"))

    assert fault.problem == f"unknown tool {name!r}, which includes arguments"
    assert fault.correction == Correction(name, ("add", "a=1", "b:=2"))


@pytest.mark.parametrize("name", ["add 1 2", "nosuch a=1", "", "()"])
def test_other_names_are_not_split(name: str) -> None:
    correction = missing_tool(name, ("echo", "add")).correction

    assert correction is None or len(correction.right) == 1


def test_listed_tool_is_not_reported_as_unknown() -> None:
    assert reason("echo", (), "no") == ()


def test_error_is_kept_if_the_list_fails() -> None:
    refused = Failure(RpcError(-32601, "no", exact({})))

    assert reason("echo", (), "no", listed=refused) == ()


def test_required_arguments_that_are_missing_are_named() -> None:
    schema: JsonObject = {"required": ["city", "days"], "properties": {"city": {}, "days": {}}}
    listed = Success(exact({"tools": [{"name": "forecast", "inputSchema": schema}]}))

    assert reason("forecast", (), "no", listed=listed) == (
        "the tool 'forecast' requires the arguments 'city' and 'days'; add city=VALUE days=VALUE",
    )
    assert reason("forecast", ("days",), "no", listed=listed) == (
        "the tool 'forecast' requires the argument 'city'; add city=VALUE",
    )
    assert reason("forecast", ("days", "city"), "no", listed=listed) == ()
    assert reason("forecast", exact({"days": 1}), "no", listed=listed) == (
        "the tool 'forecast' requires the argument 'city'; add it to --tool-args",
    )
    assert reason("forecast", exact({}), "no", listed=listed) == (
        "the tool 'forecast' requires the arguments 'city' and 'days'; add them to --tool-args",
    )
    assert reason("forecast", exact({"city": "a", "days": 1, "dayz": 1}), "no", listed=listed) == (
        "the tool 'forecast' has no argument 'dayz' (did you mean days?)",
    )


def test_missing_tool_lists_the_known_names_as_a_hint() -> None:
    problem = "unknown tool 'zzz'"

    assert missing_tool("zzz", ("a", "b")) == Invalid("INVALID_ARGUMENT", "--tool-name", problem, ("available: a, b",))
    assert missing_tool("zzz", ()) == Invalid("INVALID_ARGUMENT", "--tool-name", problem, ("available: none",))
