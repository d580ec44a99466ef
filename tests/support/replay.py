"""A plan driven by canned replies, without an event loop or a connection."""

from collections.abc import Sequence
from typing import Any, cast

from attrs import evolve

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.responders import Reply, Responder
from mcpi.core.plans.steps import Call, Plan, Step, Steps, Stop


def replay(plan: Plan, *exchanges: tuple[Step, object]) -> PlanResult:
    """Check that the plan takes exactly these steps, send these replies, and return how it ends."""
    reply: object = None
    for expected, canned in exchanges:
        step = next_step(plan, reply)
        assert without_reason(step) == expected
        ended = end_after_failure(plan, step, canned)
        if ended is not None:
            assert (expected, canned) == exchanges[-1], "after that failure the plan gets no further"
            return ended
        reply = canned
    last = next_step(plan, reply)
    assert isinstance(last, PlanResult), f"the plan is not at its end: it wants {last}"
    return last


def without_reason(step: Step | PlanResult) -> Step | PlanResult:
    """The step without its reason, as if requested by the user."""
    return evolve(step, reason="") if isinstance(step, Call) else step


def responder_reply(steps: Steps[Reply], *exchanges: tuple[Step, object]) -> Reply:
    """Check that a responder takes exactly these steps, send these replies, and return its response."""
    return cast("Reply", replay(cast("Plan", steps), *exchanges).result)


def registration(responders: Sequence[Responder[Any]]) -> tuple[object, ...]:
    """The properties of the only responder."""
    (one,) = responders
    return (one.method, one.event, one.capability, one.announce, one.args, one.declare, one.answer)


def next_step(plan: Steps[Any], reply: Any) -> Step | PlanResult:
    """The next step of the plan, or its end."""
    try:
        step = plan.send(reply)
    except StopIteration as done:
        return PlanResult(done.value)
    if isinstance(step, Stop):
        plan.close()
        return PlanResult(step.result, step.fault)
    return step


def end_after_failure(plan: Plan, step: Step | PlanResult, reply: object) -> PlanResult | None:
    """The end of a plan after a failed request, unless it accepts the failure as a value."""
    if isinstance(step, Call) and not step.allow_failure and isinstance(reply, Failure):
        plan.close()
        return PlanResult(None, reply.failure())
    return None


def exact(value: Json) -> Exact:
    """The value as if sent by a server."""
    return Exact(dump(value), value)
