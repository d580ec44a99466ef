"""A failed call of a tool that the server does not have is a mistake in the arguments."""

from mcpi.core.outcome.faults import Invalid, RpcError
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Call
from mcpi.plugins.methods.tools.unknown_tool import missing_tool, unknown_tool
from support.replay import exact, replay

LISTING = Call("tools/list", allow_failure=True)
TOOLS = Success(exact({"tools": [{"name": "echo"}, {"name": "add"}]}))


def test_a_tool_that_is_not_listed_is_named_with_the_nearest_one() -> None:
    fault = Invalid(
        "INVALID_ARGUMENT",
        "--tool-name",
        "unknown tool 'ecko' (Unknown tool); did you mean echo?",
        rpc=exact({"code": -1}),
        quotes_server=True,
    )

    assert replay(unknown_tool("ecko", "Unknown\n tool", exact({"code": -1})), (LISTING, TOOLS)) == PlanResult(fault)  # type: ignore[arg-type]


def test_a_tool_that_is_listed_failed_for_another_reason() -> None:
    assert replay(unknown_tool("echo", "no"), (LISTING, TOOLS)) == PlanResult(None)  # type: ignore[arg-type]


def test_without_a_list_the_error_stands() -> None:
    refused = Failure(RpcError(-32601, "no", exact({})))

    assert replay(unknown_tool("echo", "no"), (LISTING, refused)) == PlanResult(None)  # type: ignore[arg-type]


def test_before_a_call_the_names_are_a_hint() -> None:
    problem = "unknown tool 'zzz'"

    assert missing_tool("zzz", ("a", "b")) == Invalid(
        "INVALID_ARGUMENT", "--tool-name", problem, ("the server has a, b",)
    )
    assert missing_tool("zzz", ()) == Invalid("INVALID_ARGUMENT", "--tool-name", problem, ("the server has none",))
