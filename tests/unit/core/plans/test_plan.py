"""Starting and ending a plan."""

import pytest
from attrs import evolve

from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Invalid, OperationFailed
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.plan import Interruption, PlanResult, StartedPlan, begin, plugin_failure, resume
from mcpi.core.plans.steps import Call, Plan, must, request, stop
from support.replay import exact

WRONG = Invalid("INVALID_ARGUMENT", "--tool-arg", "is wrong")


def test_a_plan_waits_at_its_first_step() -> None:
    plan = request("tools/list")

    assert begin(plan) == StartedPlan(plan, Call("tools/list"))


def test_plan_without_steps_ends_with_its_result() -> None:
    def known() -> Plan:
        yield from ()
        return {"known": True}

    assert begin(known()) == PlanResult({"known": True})


def test_failure_before_the_first_step_ends_the_plan() -> None:
    assert begin(must(Failure(WRONG))) == PlanResult(None, WRONG)


def test_stopped_plan_keeps_its_partial_result() -> None:
    assert begin(stop(WRONG, {"found": 1})) == PlanResult({"found": 1}, WRONG)


def test_stopped_plan_is_closed() -> None:
    closed: list[str] = []

    def plan() -> Plan:
        try:
            return (yield from stop(WRONG))
        finally:
            closed.append("yes")

    begin(plan())

    assert closed == ["yes"]


def test_plan_result_is_empty_by_default() -> None:
    assert (PlanResult().result, PlanResult().fault, PlanResult().text) == (None, None, None)


FAILED: JsonObject = {"isError": True, "content": [{"type": "text", "text": "it broke"}, {"type": "image"}]}


@pytest.mark.parametrize("result", [FAILED, exact(FAILED)])
@pytest.mark.parametrize(
    ("method", "tool", "problem"),
    [
        ("tools/call", "x", "the tool 'x' reports an error"),
        ("tasks/result", "", "the tool reports an error"),
    ],
)
def test_tool_error_is_a_fault(result: Printable, method: str, tool: str, problem: str) -> None:
    fault = OperationFailed("TOOL_ERROR", problem, ("it broke",))

    assert PlanResult(result).with_tool_error(method, tool) == PlanResult(result, fault)
    assert PlanResult(result, WRONG).with_tool_error(method, tool) == PlanResult(result, WRONG)


@pytest.mark.parametrize(("method", "result"), [("prompts/get", FAILED), ("tools/call", {}), ("tools/call", None)])
def test_other_results_are_no_tool_errors(method: str, result: Printable) -> None:
    assert PlanResult(result).with_tool_error(method, "") == PlanResult(result)


def test_plugin_hints_are_added_to_the_fault() -> None:
    assert PlanResult(1, WRONG).with_hints(lambda _: ("try a=1",)) == PlanResult(1, evolve(WRONG, hints=("try a=1",)))


def test_plugin_hints_are_not_requested_without_a_fault() -> None:
    assert PlanResult(1).with_hints(lambda fault: (str(fault),)) == PlanResult(1)


def test_exception_in_a_plan_is_reported_with_its_location() -> None:
    def broken() -> Plan:
        yield from ()
        raise KeyError("shelf")

    ended = begin(broken())

    assert isinstance(ended, PlanResult)
    assert isinstance(ended.fault, Invalid)
    assert (ended.fault.code, type(ended.cause)) == ("PLUGIN_FAILED", KeyError)
    assert ended.fault.problem.startswith("the plugin raised KeyError: 'shelf' (test_plan.py:")


def test_value_that_is_not_a_step_is_reported_with_its_location() -> None:
    def broken() -> Plan:
        return (yield request("tools/list"))  # type: ignore[misc, no-any-return]

    ended = begin(broken())

    assert isinstance(ended, PlanResult)
    assert isinstance(ended.fault, Invalid)
    problem, _, place = ended.fault.problem.partition(" (")
    assert problem == "the plugin raised TypeError: yielded generator, expected a step; use yield from"
    assert place.startswith("test_plan.py:")


def test_error_without_a_traceback_has_no_location() -> None:
    assert plugin_failure(KeyError("x")).fault == Invalid(
        "PLUGIN_FAILED", "--method", "the plugin raised KeyError: 'x'"
    )


def test_interruption_is_not_reported_as_a_plugin_failure() -> None:
    def plan() -> Plan:
        yield from request("tools/list")
        raise Interruption

    started = begin(plan())
    assert isinstance(started, StartedPlan)
    with pytest.raises(Interruption):
        resume(started.plan, None)
