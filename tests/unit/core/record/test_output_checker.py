"""Results of tools are checked against the tools' output schemas."""

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import RpcError
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.pagination import find
from mcpi.core.plans.plan import PlanResult, StartedPlan, begin
from mcpi.core.plans.steps import Call, Connect, Plan, ReportViolation, Step, Validate, Warn, attempt, request, stop
from mcpi.core.record.output_checker import REASON, OutputChecker
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.constants import HANDSHAKE
from support.replay import exact, replay

SCHEMA: Json = {"type": "object", "properties": {"n": {"type": "integer"}}}
TOOLS = exact({"tools": [{"name": "typed", "outputSchema": SCHEMA}, {"name": "plain"}]})
GOOD = exact({"content": [], "structuredContent": {"n": 1}})
BAD = exact({"content": [], "structuredContent": {"n": "1"}})
NO_CONTENT = exact({"content": []})
LISTING = Call("tools/list", allow_failure=True)
PROBLEM = '"1" is no integer'
FAULT = RpcError(-32601, "no", exact({}), "tools/list")
WRONG = ReportViolation(
    Violation(
        "output-schema",
        f"the result of 'typed' violates its outputSchema at /structuredContent/n: {PROBLEM}",
        '{"n":"1"}',
    )
)


def call_of(tool: str) -> Call:
    return Call("tools/call", {"name": tool})


def calls(*tools: str) -> Plan:
    result: Exact = exact(None)
    for tool in tools:
        result = yield from request("tools/call", {"name": tool})
    return result


def checked(plan: Plan, *exchanges: tuple[Step, object]) -> PlanResult:
    begun = begin(plan)
    assert isinstance(begun, StartedPlan)
    checking = OutputChecker().checked(begun)
    (first, reply), *rest = exchanges
    assert checking.step == first

    def continued() -> Plan:
        sent = reply
        while True:
            try:
                step = checking.plan.send(sent)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            sent = yield step

    return replay(continued(), *rest)


def test_result_that_breaks_the_schema_is_a_violation() -> None:
    ended = checked(
        calls("typed"),
        (call_of("typed"), BAD),
        (Connect(), HANDSHAKE),
        (LISTING, Success(TOOLS)),
        (Validate({"n": "1"}, SCHEMA), (("/n", PROBLEM),)),
        (WRONG, None),
    )

    assert ended == PlanResult(BAD)


def test_validation_that_reached_a_limit_is_a_warning() -> None:
    sentence = "the result of 'typed' was not validated against its outputSchema: too deep"
    ended = checked(
        calls("typed"),
        (call_of("typed"), BAD),
        (Connect(), HANDSHAKE),
        (LISTING, Success(TOOLS)),
        (Validate({"n": "1"}, SCHEMA), ((None, "too deep"),)),
        (Warn(sentence), None),
    )

    assert ended == PlanResult(BAD)


def test_missing_structured_content_is_a_violation() -> None:
    detail = "the result of 'typed' has no structuredContent, which its outputSchema requires"
    ended = checked(
        calls("typed"),
        (call_of("typed"), NO_CONTENT),
        (Connect(), HANDSHAKE),
        (LISTING, Success(TOOLS)),
        (ReportViolation(Violation("output-schema", detail, '{"content":[]}')), None),
    )

    assert ended == PlanResult(NO_CONTENT)


def test_tools_are_fetched_once_with_the_reason() -> None:
    plan = OutputChecker().checked(begin(calls("typed", "unlisted", "plain"))).plan  # type: ignore[arg-type]
    plan.send(GOOD)

    assert plan.send(HANDSHAKE) == Call("tools/list", allow_failure=True, reason=REASON)
    assert plan.send(Success(TOOLS)) == Validate({"n": 1}, SCHEMA)
    assert [plan.send(()), plan.send(GOOD), plan.send(HANDSHAKE), plan.send(GOOD)] == [
        call_of("unlisted"),
        Connect(),
        call_of("plain"),
        Connect(),
    ]


def test_tools_that_the_plan_fetched_are_not_fetched_again() -> None:
    def plan() -> Plan:
        yield from find("typed", "tools/list", "tools")
        return (yield from attempt("tools/call", {"name": "typed"})).unwrap()

    ended = checked(
        plan(),
        (Call("tools/list"), TOOLS),
        (Call("tools/call", {"name": "typed"}, allow_failure=True), Success(GOOD)),
        (Connect(), HANDSHAKE),
        (Validate({"n": 1}, SCHEMA), ()),
    )

    assert ended == PlanResult(GOOD)


def test_failure_to_fetch_the_tools_is_a_warning() -> None:
    ended = checked(
        calls("typed"),
        (call_of("typed"), BAD),
        (Connect(), HANDSHAKE),
        (LISTING, Failure(FAULT)),
        (Warn("results are not validated against outputSchema: tools/list failed: -32601 no"), None),
    )

    assert ended == PlanResult(BAD)


def test_older_version_has_no_output_schemas() -> None:
    older = NegotiatedServer("handshake", "2025-03-26")

    assert checked(calls("typed"), (call_of("typed"), BAD), (Connect(), older)) == PlanResult(BAD)


@pytest.mark.parametrize(
    "result",
    [
        exact({"content": [], "isError": True}),
        exact({"task": {"taskId": "1"}}),
        exact({"resultType": "input_required"}),
    ],
)
def test_error_and_unfinished_result_are_not_checked(result: Exact) -> None:
    assert checked(calls("typed"), (call_of("typed"), result)) == PlanResult(result)


def test_failed_calls_other_methods_and_other_steps_are_passed_on() -> None:
    def plan() -> Plan:
        yield Connect()
        yield from attempt("tools/call", {"name": "typed"})
        return (yield from request("vendor/x"))

    failed = Call("tools/call", {"name": "typed"}, allow_failure=True)
    exchanges = ((Connect(), HANDSHAKE), (failed, Failure(FAULT)), (Call("vendor/x"), NO_CONTENT))

    assert checked(plan(), *exchanges) == PlanResult(NO_CONTENT)
    assert checked(stopping(), (Connect(), HANDSHAKE)) == PlanResult(None, FAULT)


def stopping() -> Plan:
    yield Connect()
    return (yield from stop(FAULT))
