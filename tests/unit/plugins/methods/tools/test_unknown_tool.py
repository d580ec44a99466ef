"""A failed call of an unknown tool is reported as an invalid argument."""

from mcpi.core.outcome.faults import Invalid, RpcError
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Call
from mcpi.plugins.methods.tools.unknown_tool import missing_tool, unknown_tool
from support.replay import exact, replay

LISTING = Call("tools/list", allow_failure=True)
TOOLS = Success(exact({"tools": [{"name": "echo"}, {"name": "add"}]}))


def test_unlisted_tool_suggests_nearest_name() -> None:
    fault = Invalid(
        "INVALID_ARGUMENT",
        "--tool-name",
        "unknown tool 'ecko' (Unknown tool); did you mean echo?",
        rpc=exact({"code": -1}),
        quotes_server=True,
    )

    assert replay(unknown_tool("ecko", "Unknown\n tool", exact({"code": -1})), (LISTING, TOOLS)) == PlanResult(fault)  # type: ignore[arg-type]


def test_listed_tool_is_not_reported_as_unknown() -> None:
    assert replay(unknown_tool("echo", "no"), (LISTING, TOOLS)) == PlanResult(None)  # type: ignore[arg-type]


def test_error_is_kept_if_the_list_fails() -> None:
    refused = Failure(RpcError(-32601, "no", exact({})))

    assert replay(unknown_tool("echo", "no"), (LISTING, refused)) == PlanResult(None)  # type: ignore[arg-type]


def test_missing_tool_lists_the_known_names_as_a_hint() -> None:
    problem = "unknown tool 'zzz'"

    assert missing_tool("zzz", ("a", "b")) == Invalid("INVALID_ARGUMENT", "--tool-name", problem, ("available: a, b",))
    assert missing_tool("zzz", ()) == Invalid("INVALID_ARGUMENT", "--tool-name", problem, ("available: none",))
