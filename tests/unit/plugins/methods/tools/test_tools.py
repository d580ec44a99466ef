"""tools/list and tools/call, beyond the dialogues in fixtures."""

import pytest

from mcpi.core.flags.pairs import Pair
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Invalid, OperationFailed
from mcpi.core.outcome.result import Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Call, Connect, Sleep, Warn
from mcpi.plugins.methods.tools.tools import CallTool, ListTools, call_tool, list_tools, mcpi_methods, mcpi_tools
from support.constants import HANDSHAKE, MODERN_HTTP
from support.dialogue import DIALOGUES
from support.replay import exact, replay


def test_tools_methods_are_registered() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability) for one in mcpi_methods()] == [
        ("tools/list", ListTools, list_tools, "tools"),
        ("tools/call", CallTool, call_tool, "tools"),
    ]


def test_methods_are_tools_for_agents() -> None:
    assert mcpi_tools() == ("tools/list", "tools/call")


def test_every_method_has_dialogues() -> None:
    found = {one.method for one in DIALOGUES if one.group == "tools"}

    assert found == {"tools/list", "tools/call"}


def test_unknown_tool_fails_before_the_call() -> None:
    plan = call_tool(CallTool(tool_name="nope", tool_arg=(Pair("a", "1"),)))
    listed = exact({"tools": [{"name": "echo"}]})

    assert replay(plan, (Connect(), HANDSHAKE), (Call("tools/list"), listed)) == PlanResult(
        None, Invalid("INVALID_ARGUMENT", "--tool-name", "unknown tool 'nope'", ("available: echo",))
    )


def test_json_argument_is_sent_verbatim() -> None:
    spelled = Exact("1.50", 1.5)
    plan = call_tool(CallTool(tool_name="x", tool_arg=(Pair("n", spelled),)))
    sent = Call("tools/call", {"name": "x", "arguments": {"n": spelled}}, allow_failure=True, with_progress=True)

    assert replay(plan, (Connect(), HANDSHAKE), (sent, Success(exact({"content": []})))) == PlanResult(
        exact({"content": []})
    )


def test_converted_argument_is_sent_verbatim() -> None:
    plan = call_tool(CallTool(tool_name="x", tool_arg=(Pair("n", "1.50"),)))
    listed = exact({"tools": [{"name": "x", "inputSchema": {"properties": {"n": {"type": "number"}}}}]})
    sent = Call(
        "tools/call", {"name": "x", "arguments": {"n": Exact("1.50", 1.5)}}, allow_failure=True, with_progress=True
    )

    ended = replay(plan, (Connect(), HANDSHAKE), (Call("tools/list"), listed), (sent, Success(exact({}))))
    assert ended == PlanResult(exact({}))


@pytest.mark.parametrize(
    ("given", "validates", "reason"),
    [
        ((Pair("n", "1"),), False, "to convert arguments to the types in the tool's schema"),
        ((), True, "to validate the result against the tool's outputSchema"),
        ((Pair("n", "1"),), True, "to convert arguments and validate the result against the tool's schema"),
    ],
)
def test_list_of_tools_is_requested_for_the_reason_given(
    given: tuple[Pair, ...],
    validates: bool,  # noqa: FBT001 - a case
    reason: str,
) -> None:
    plan = call_tool(CallTool(tool_name="x", tool_arg=given, output_schema_validate=validates))
    plan.send(None)

    assert plan.send(HANDSHAKE) == Call("tools/list", reason=reason)


def test_argument_that_the_schema_does_not_mention_is_a_warning_unless_forced() -> None:
    tools = exact({"tools": [{"name": "t", "inputSchema": {"properties": {"size": {"type": "string"}}}}]})
    call = Call("tools/call", {"name": "t", "arguments": {"sise": "1"}}, allow_failure=True, with_progress=True)
    called, result = (call, Success(exact({}))), PlanResult(exact({}))
    listed = ((Connect(), HANDSHAKE), (Call("tools/list"), tools))
    warning = Warn("the tool 't' has no argument 'sise' (did you mean size?)")

    plan, forced = (
        call_tool(CallTool(tool_name="t", tool_arg=(Pair("sise", "1"),), force=one)) for one in (False, True)
    )
    assert replay(plan, *listed, (warning, None), called) == result
    assert replay(forced, *listed, called) == result


def test_invalid_flag_fails_before_connecting() -> None:
    ended = replay(call_tool(CallTool(tool_name="x", tool_args=exact([]))))

    assert isinstance(ended.fault, Invalid)
    assert ended.fault.where == "--tool-args"


def test_plain_call_does_not_sleep() -> None:
    plan = call_tool(CallTool(tool_name="x"))
    steps = [type(step) for step in (plan.send(None), plan.send(HANDSHAKE))]

    assert Sleep not in steps
    assert steps == [Connect, Call]


def test_force_sends_a_value_that_violates_the_schema() -> None:
    plan = call_tool(CallTool(tool_name="t", tool_arg=(Pair("n", "many"),), force=True))
    tools = exact({"tools": [{"name": "t", "inputSchema": {"properties": {"n": {"type": "integer"}}}}]})
    call = Call("tools/call", {"name": "t", "arguments": {"n": "many"}}, allow_failure=True, with_progress=True)

    ended = replay(plan, (Connect(), HANDSHAKE), (Call("tools/list"), tools), (call, Success(exact({}))))
    assert ended == PlanResult(exact({}))


@pytest.mark.parametrize(("given", "sent"), [((), {}), ((Pair("n", Exact("1", 1)),), {"n": Exact("1", 1)})])
def test_definition_read_for_headers_validates_nothing_but_explains_a_failure(
    given: tuple[Pair, ...], sent: dict[str, Printable]
) -> None:
    plan = call_tool(CallTool(tool_name="t", tool_arg=given))
    schema: JsonObject = {"properties": {"city": {}}, "required": ["city"]}
    listed = exact({"tools": [{"name": "t", "inputSchema": schema}]})
    call = Call("tools/call", {"name": "t", "arguments": sent}, allow_failure=True, with_progress=True)

    ended = replay(
        plan,
        (Connect(), MODERN_HTTP),
        (Call("tools/list", allow_failure=True), Success(listed)),
        (call, Success(exact({"isError": True}))),
    )
    assert isinstance(ended.fault, OperationFailed)
    assert ended.fault.hints[0] == "the tool 't' requires the argument 'city'; add city=VALUE"
