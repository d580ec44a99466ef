"""A plan begins before anything is touched."""

import pytest
from attrs import evolve

from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.plan import Interruption, PlanResult, StartedPlan, begin, plugin_failure, resume
from mcpi.core.plans.steps import Call, Plan, must, request, stop

WRONG = Invalid("INVALID_ARGUMENT", "--tool-arg", "is wrong")


def test_a_plan_waits_at_its_first_step() -> None:
    plan = request("tools/list")

    assert begin(plan) == StartedPlan(plan, Call("tools/list"))


def test_a_plan_without_steps_has_ended_with_its_result() -> None:
    def known() -> Plan:
        yield from ()
        return {"known": True}

    assert begin(known()) == PlanResult({"known": True})


def test_a_mistake_that_costs_no_step_ends_the_plan() -> None:
    assert begin(must(Failure(WRONG))) == PlanResult(None, WRONG)


def test_a_plan_that_stops_keeps_what_there_is_of_a_result() -> None:
    assert begin(stop(WRONG, {"found": 1})) == PlanResult({"found": 1}, WRONG)


def test_a_plan_that_stopped_is_closed() -> None:
    closed: list[str] = []

    def plan() -> Plan:
        try:
            return (yield from stop(WRONG))
        finally:
            closed.append("yes")

    begin(plan())

    assert closed == ["yes"]


def test_what_has_ended_has_neither_result_nor_fault_unless_it_says() -> None:
    assert (PlanResult().result, PlanResult().fault, PlanResult().text) == (None, None, None)


def test_what_the_plugins_say_joins_the_fault() -> None:
    assert PlanResult(1, WRONG).with_hints(lambda _: ("try a=1",)) == PlanResult(1, evolve(WRONG, hints=("try a=1",)))


def test_without_a_fault_nobody_is_asked() -> None:
    assert PlanResult(1).with_hints(lambda fault: (str(fault),)) == PlanResult(1)


def test_a_plan_that_raises_is_told_with_its_place() -> None:
    def broken() -> Plan:
        yield from ()
        raise KeyError("shelf")

    ended = begin(broken())

    assert isinstance(ended, PlanResult)
    assert isinstance(ended.fault, Invalid)
    assert (ended.fault.code, type(ended.cause)) == ("PLUGIN_FAILED", KeyError)
    assert ended.fault.problem.startswith("the plugin's own code failed: KeyError: 'shelf' (test_plan.py:")


def test_an_error_that_was_never_raised_has_no_place() -> None:
    assert plugin_failure(KeyError("x")).fault == Invalid(
        "PLUGIN_FAILED", "--method", "the plugin's own code failed: KeyError: 'x'"
    )


def test_a_signal_is_no_mistake_of_the_plugin() -> None:
    def plan() -> Plan:
        yield from request("tools/list")
        raise Interruption

    started = begin(plan())
    assert isinstance(started, StartedPlan)
    with pytest.raises(Interruption):
        resume(started.plan, None)
