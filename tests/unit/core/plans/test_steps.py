"""Each helper yields its step and returns the reply."""

from typing import Any

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import InvalidResponse
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.events import DeadlineReached
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import (
    Call,
    CallAll,
    ClockReading,
    Connect,
    Emit,
    ExtendTerms,
    NextEvent,
    ProvideInput,
    ReadClock,
    ReportViolation,
    Send,
    Sleep,
    Step,
    Steps,
    Stop,
    Validate,
    Warn,
    attempt,
    attempt_all,
    catch_failure,
    check,
    connect,
    emit,
    extend_terms,
    fetch,
    must,
    next_event,
    pause,
    provide_input,
    read_clock,
    report_violation,
    request,
    send,
    stop,
    warn,
)
from mcpi.core.plans.world_steps import Fetch, Response
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.replay import exact, replay

FAULT = InvalidResponse("INVALID_RESPONSE", "no")
RESULT = exact({"a": 1})


@pytest.mark.parametrize(
    ("steps", "step", "reply"),
    [
        (request("x", {"a": 1}), Call("x", {"a": 1}), RESULT),
        (attempt("x"), Call("x", allow_failure=True), Failure(FAULT)),
        (attempt("x", track=True), Call("x", allow_failure=True, with_progress=True), Success(RESULT)),
        (attempt_all([Call("x"), Call("y")]), CallAll((Call("x"), Call("y"))), (Success(RESULT), Failure(FAULT))),
        (connect(), Connect(), NegotiatedServer("modern", "2026-07-28")),
        (read_clock(), ReadClock(), ClockReading(1.0, 30.0, frozenset({"roots/list"}))),
        (send("x", {"a": 1}), Send("x", {"a": 1}), 7),
        (provide_input(RESULT), ProvideInput(RESULT), Success({"a": 1})),
        (next_event(), NextEvent(None), DeadlineReached(1.0)),
        (next_event(2.0), NextEvent(2.0), DeadlineReached(1.0)),
        (fetch(Fetch("http://x")), Fetch("http://x"), Success(Response(200, "http://x", {}, ""))),
        (check(5, {"type": "string"}), Validate(5, {"type": "string"}), (("", "no string"),)),
    ],
)
def test_helper_returns_the_reply_to_its_step(steps: Steps[Any], step: Step, reply: object) -> None:
    assert replay(steps, (step, reply)) == PlanResult(reply)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("steps", "step"),
    [
        (extend_terms(log_level="debug"), ExtendTerms("debug")),
        (extend_terms(extension="vendor/x"), ExtendTerms(None, "vendor/x")),
        (pause(1.5), Sleep(1.5)),
        (emit("a line"), Emit("a line\n")),
        (report_violation(Violation("batch", "two")), ReportViolation(Violation("batch", "two"))),
        (warn("a sentence"), Warn("a sentence")),
    ],
)
def test_a_step_without_a_reply_has_no_value(steps: Steps[None], step: Step) -> None:
    assert replay(steps, (step, None)) == PlanResult(None)


def test_must_returns_the_value_of_a_success_without_a_step() -> None:
    assert replay(must(Success(5))) == PlanResult(5)


def test_must_ends_the_plan_on_a_failure() -> None:
    assert replay(must(Failure(FAULT))) == PlanResult(None, FAULT)


def test_stop_can_include_a_partial_result() -> None:
    assert next(stop(FAULT, RESULT)) == Stop(FAULT, RESULT)


def test_failed_request_ends_the_plan_by_default() -> None:
    assert replay(request("x"), (Call("x"), Failure(FAULT))) == PlanResult(None, FAULT)


def test_catch_failure_returns_the_failure() -> None:
    sent, failed = Call("x", allow_failure=True), Failure(FAULT)

    assert replay(catch_failure(request("x")), (sent, failed)) == PlanResult(failed)  # type: ignore[arg-type]
    assert replay(catch_failure(attempt("x")), (sent, failed)) == PlanResult(Success(failed))  # type: ignore[arg-type]
    assert replay(catch_failure(stop(FAULT))) == PlanResult(failed)  # type: ignore[arg-type]


def test_catch_failure_returns_a_success_otherwise() -> None:
    answer = Exact("1", 1)

    expected = PlanResult(Success(answer))  # type: ignore[arg-type]
    assert replay(catch_failure(request("x")), (Call("x", allow_failure=True), Success(answer))) == expected  # type: ignore[arg-type]


def test_resuming_a_stopped_plan_raises() -> None:
    steps = stop(FAULT)
    next(steps)

    with pytest.raises(AssertionError, match="resumed"):
        next(steps)
