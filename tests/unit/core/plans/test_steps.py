"""Each helper yields its step, and gives back the reply that comes for it."""

from typing import Any

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Broken
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.events import Elapsed
from mcpi.core.plans.plan import Ended
from mcpi.core.plans.steps import (
    Adopt,
    Call,
    CallAll,
    Emit,
    Look,
    Meet,
    Next,
    Provide,
    Remark,
    Send,
    Sleep,
    Standing,
    Step,
    Steps,
    Stop,
    Validate,
    adopt,
    attempt,
    attempt_all,
    caught,
    check,
    emit,
    fetch,
    look,
    meet,
    must,
    next_event,
    pause,
    provide,
    remark,
    request,
    send,
    stop,
)
from mcpi.core.plans.world_steps import Fetch, Response
from mcpi.core.wire.server_info import Server
from mcpi.core.wire.violations import Violation
from support.replay import exact, replay

FAULT = Broken("INVALID_RESPONSE", "no")
RESULT = exact({"a": 1})


@pytest.mark.parametrize(
    ("steps", "step", "reply"),
    [
        (request("x", {"a": 1}), Call("x", {"a": 1}), RESULT),
        (attempt("x"), Call("x", tolerant=True), Failure(FAULT)),
        (attempt("x", track=True), Call("x", tolerant=True, track=True), Success(RESULT)),
        (attempt_all([Call("x"), Call("y")]), CallAll((Call("x"), Call("y"))), (Success(RESULT), Failure(FAULT))),
        (meet(), Meet(), Server("modern", "2026-07-28")),
        (look(), Look(), Standing(1.0, 30.0, frozenset({"roots/list"}))),
        (send("x", {"a": 1}), Send("x", {"a": 1}), 7),
        (provide(RESULT), Provide(RESULT), Success({"a": 1})),
        (next_event(), Next(None), Elapsed(1.0)),
        (next_event(2.0), Next(2.0), Elapsed(1.0)),
        (fetch(Fetch("http://x")), Fetch("http://x"), Success(Response(200, "http://x", {}, ""))),
        (check(5, {"type": "string"}), Validate(5, {"type": "string"}), (("", "no string"),)),
    ],
)
def test_the_reply_to_the_step_is_the_value(steps: Steps[Any], step: Step, reply: object) -> None:
    assert replay(steps, (step, reply)) == Ended(reply)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("steps", "step"),
    [
        (adopt(log_level="debug"), Adopt("debug")),
        (adopt(extension="vendor/x"), Adopt(None, "vendor/x")),
        (pause(1.5), Sleep(1.5)),
        (emit("a line"), Emit("a line\n")),
        (remark(Violation("batch", "two")), Remark(Violation("batch", "two"))),
    ],
)
def test_a_step_without_a_reply_has_no_value(steps: Steps[None], step: Step) -> None:
    assert replay(steps, (step, None)) == Ended(None)


def test_a_success_is_its_value_and_no_step() -> None:
    assert replay(must(Success(5))) == Ended(5)


def test_a_failure_ends_the_plan() -> None:
    assert replay(must(Failure(FAULT))) == Ended(None, FAULT)


def test_a_stop_may_bring_what_there_is_of_a_result() -> None:
    assert next(stop(FAULT, RESULT)) == Stop(FAULT, RESULT)


def test_a_failed_request_ends_a_plan_that_did_not_ask_for_failures() -> None:
    assert replay(request("x"), (Call("x"), Failure(FAULT))) == Ended(None, FAULT)


def test_a_failure_may_be_caught() -> None:
    asked, failed = Call("x", tolerant=True), Failure(FAULT)

    assert replay(caught(request("x")), (asked, failed)) == Ended(failed)  # type: ignore[arg-type]
    assert replay(caught(attempt("x")), (asked, failed)) == Ended(Success(failed))  # type: ignore[arg-type]
    assert replay(caught(stop(FAULT))) == Ended(failed)  # type: ignore[arg-type]


def test_what_does_not_fail_is_a_success() -> None:
    answer = Exact("1", 1)

    assert replay(caught(request("x")), (Call("x", tolerant=True), Success(answer))) == Ended(Success(answer))  # type: ignore[arg-type]


def test_nobody_drives_a_stopped_plan_on() -> None:
    steps = stop(FAULT)
    next(steps)

    with pytest.raises(AssertionError, match="driven on"):
        next(steps)
