"""A task is polled until it ends, its input requests are answered, and a timeout does not cancel it."""

import math
from collections.abc import Mapping
from typing import TypeAlias

import pytest

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import Fault, InvalidResponse, OperationFailed, RpcError, TimedOut
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.steps import Call, ClockReading, ExtendTerms, ProvideInput, ReadClock, Sleep, Step
from mcpi.core.plans.task_polling import Task, created_task, declare_tasks, poll_task, tasks_capability
from mcpi.core.wire.server_info import NegotiatedServer
from support.constants import HANDSHAKE, LOST, MODERN
from support.replay import exact, replay

ASK = "elicitation/create"
LEFT = (
    "the task is still running; query it with --method tasks/get --task-id t",
    "the task ends when mcpi stops the server; use a longer --timeout, or poll in a --script",
)
REFUSED = RpcError(-32602, "Task not found", exact({"code": -32602, "message": "Task not found"}), "tasks/get")
DONE: JsonObject = {"content": []}

Exchange: TypeAlias = tuple[Step, object]
CannedAnswer: TypeAlias = "JsonObject | Fault"


def task(status: str, **more: Json) -> JsonObject:
    return {"taskId": "t", "status": status, **more}


def read_clock(now: float = 0.0, *handled: str) -> Exchange:
    return ReadClock(), ClockReading(now, 30.0, frozenset(handled))


def pause(seconds: float = 1.0) -> Exchange:
    return Sleep(seconds), None


def get(answer: CannedAnswer) -> Exchange:
    return _exchange("tasks/get", {"taskId": "t"}, answer)


def result(answer: CannedAnswer) -> Exchange:
    return _exchange("tasks/result", {"taskId": "t"}, answer)


def update(responses: Json, answer: CannedAnswer) -> Exchange:
    return _exchange("tasks/update", {"taskId": "t", "inputResponses": responses}, answer)


def _exchange(method: str, params: JsonObject, answer: CannedAnswer) -> Exchange:
    request = Call(method, params, allow_failure=True)
    return request, (Success(exact(answer)) if isinstance(answer, dict) else Failure(answer))


def polled(
    server: NegotiatedServer, begin: JsonObject, *exchanges: Exchange, interval: float | None = None
) -> PlanResult:
    return replay(poll_task(Task(exact(begin)), server, interval), *exchanges)


def ended(status: str, **more: Json) -> dict[str, Printable]:
    """The printed task."""
    return {"taskId": "t", "status": status, **{name: exact(value) for name, value in more.items()}}


# Both eras.


@pytest.mark.parametrize(
    ("server", "answer", "expected"),
    [
        (HANDSHAKE, {"task": {"taskId": "t"}}, Task(exact({"taskId": "t"}))),
        (HANDSHAKE, {"task": "t"}, None),
        (HANDSHAKE, {"content": []}, None),
        (HANDSHAKE, {"resultType": "task", "taskId": "t"}, None),
        (HANDSHAKE, [], None),
        (MODERN, {"resultType": "task", "taskId": "t"}, Task(exact({"resultType": "task", "taskId": "t"}))),
        (MODERN, {"resultType": "complete", "taskId": "t"}, None),
        (MODERN, {"task": {"taskId": "t"}}, None),
        (MODERN, None, None),
    ],
)
def test_created_task_is_detected_by_the_rules_of_each_era(
    server: NegotiatedServer, answer: Json, expected: Task | None
) -> None:
    assert created_task(exact(answer), server) == expected


@pytest.mark.parametrize("begin", [{"status": "working"}, {"taskId": 7, "status": "working"}, {"taskId": ""}])
def test_task_without_an_id_is_an_invalid_response(begin: JsonObject) -> None:
    fault = InvalidResponse("INVALID_RESPONSE", "the task has no taskId", (exact(begin).text,))

    assert polled(HANDSHAKE, begin) == PlanResult(None, fault)


@pytest.mark.parametrize(
    ("about", "seconds"),
    [
        ({}, 1.0),
        ({"pollInterval": 250}, 0.25),
        ({"pollIntervalMs": 2500.0}, 2.5),
        ({"pollInterval": 1}, 0.001),
        ({"pollInterval": 0}, 1.0),
        ({"pollInterval": -5}, 1.0),
        ({"pollInterval": True}, 1.0),
        ({"pollInterval": "250"}, 1.0),
        ({"pollInterval": None}, 1.0),
        ({"pollInterval": 3_600_000}, 30.0),
        ({"pollInterval": 10**400}, 30.0),
        ({"pollInterval": math.inf}, 30.0),
    ],
)
def test_poll_interval_of_the_server_is_used_within_limits(about: JsonObject, seconds: float) -> None:
    exchanges = (read_clock(), read_clock(), pause(seconds), get(task("completed", result=DONE)))

    assert polled(MODERN, task("working", **about), *exchanges) == PlanResult(ended("completed", result=DONE))


def test_server_can_change_the_poll_interval() -> None:
    working = task("working", pollInterval=2000)
    exchanges = (
        read_clock(),
        read_clock(),
        pause(0.5),
        get(working),
        read_clock(0.5),
        pause(2.0),
        get(task("completed")),
    )

    assert polled(MODERN, task("working", pollInterval=500), *exchanges) == PlanResult(ended("completed"))


def test_user_interval_overrides_the_server_interval() -> None:
    exchanges = (read_clock(), read_clock(), pause(0.125), get(task("completed")))

    assert polled(MODERN, task("working", pollInterval=5000), *exchanges, interval=0.125) == PlanResult(
        ended("completed")
    )


def test_last_pause_is_cut_at_the_timeout() -> None:
    exchanges = (read_clock(100.0), read_clock(129.75), pause(0.25), get(task("completed")))

    assert polled(MODERN, task("working"), *exchanges) == PlanResult(ended("completed"))


@pytest.mark.parametrize("server", [HANDSHAKE, MODERN])
def test_timeout_shows_the_last_known_task_and_does_not_cancel_it(server: NegotiatedServer) -> None:
    last = task("working", statusMessage="step 2")
    exchanges = (read_clock(5.0), read_clock(5.0), pause(), get(last), read_clock(35.0))

    shown = exact(last)
    unfinished = "the task t (status working)"
    fault = TimedOut("REQUEST_TIMEOUT", 30.0, unfinished, shown.text, LEFT, f"{unfinished} did not end")
    assert polled(server, task("working"), *exchanges) == PlanResult(shown, fault)


@pytest.mark.parametrize("fault", [LOST, REFUSED])
@pytest.mark.parametrize("server", [HANDSHAKE, MODERN])
def test_failed_poll_shows_the_last_known_task(server: NegotiatedServer, fault: Fault) -> None:
    last = task("working", statusMessage="step 2")
    exchanges = (read_clock(), read_clock(), pause(), get(last), read_clock(), pause(), get(fault))

    assert polled(server, task("working"), *exchanges) == PlanResult(exact(last), fault)


def test_timed_out_poll_does_not_cancel_the_task() -> None:
    silent = TimedOut("REQUEST_TIMEOUT", 30.0, "tasks/get (request 3)", "{}")
    exchanges = (read_clock(), read_clock(), pause(), get(silent))

    late = TimedOut("REQUEST_TIMEOUT", 30.0, "tasks/get (request 3)", "{}", LEFT)
    assert polled(HANDSHAKE, task("working"), *exchanges) == PlanResult(exact(task("working")), late)


def test_response_without_task_id_keeps_the_known_id() -> None:
    exchanges = (
        read_clock(),
        read_clock(),
        pause(),
        get({"status": "working"}),
        read_clock(),
        pause(),
        get({"status": "completed"}),
    )

    assert polled(MODERN, task("working"), *exchanges) == PlanResult(ended("completed"))


@pytest.mark.parametrize("answer", [{}, {"taskId": "t"}, {"status": 7}])
def test_response_without_a_status_ends_the_poll(answer: JsonObject) -> None:
    exchanges = (read_clock(), read_clock(), pause(), get(answer))

    problem = "the response to tasks/get has no status for the task t"
    fault = InvalidResponse("INVALID_RESPONSE", problem, (exact(answer).text,))
    assert polled(HANDSHAKE, task("working"), *exchanges) == PlanResult(exact(task("working")), fault)


def test_unknown_status_continues_the_poll() -> None:
    exchanges = (
        read_clock(),
        read_clock(),
        pause(),
        get(task("dreaming")),
        read_clock(),
        pause(),
        get(task("completed")),
    )

    assert polled(MODERN, task("submitted"), *exchanges) == PlanResult(ended("completed"))


# Handshake era: the result is requested.


def test_result_is_requested_after_the_task_has_ended() -> None:
    exchanges = (read_clock(), read_clock(), pause(), get(task("completed", statusMessage="done")), result(DONE))

    assert polled(HANDSHAKE, task("working"), *exchanges) == PlanResult(ended("completed", result=DONE))


def test_task_that_has_already_ended_is_not_polled() -> None:
    assert polled(HANDSHAKE, task("completed"), read_clock(), result(DONE)) == PlanResult(
        ended("completed", result=DONE)
    )


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_failed_or_cancelled_task_is_a_fault_with_its_result(status: str) -> None:
    wrong: JsonObject = {"content": [], "isError": True}
    exchanges = (read_clock(), read_clock(), pause(), get(task(status)), result(wrong))

    fault = OperationFailed("TASK_FAILED", f"the task t ended with status {status}")
    assert polled(HANDSHAKE, task("working"), *exchanges) == PlanResult(ended(status, result=wrong), fault)


def test_failed_task_keeps_the_error_of_its_request() -> None:
    exchanges = (read_clock(), read_clock(), pause(), get(task("failed")), result(REFUSED))

    error: JsonObject = {"code": -32602, "message": "Task not found"}
    fault = OperationFailed("TASK_FAILED", "the task t ended with status failed: Task not found")
    assert polled(HANDSHAKE, task("working"), *exchanges) == PlanResult(ended("failed", error=error), fault)


def test_failed_task_fault_quotes_the_status_message() -> None:
    exchanges = (
        read_clock(),
        read_clock(),
        pause(),
        get(task("failed", statusMessage="out of paper")),
        result(REFUSED),
    )

    fault = OperationFailed("TASK_FAILED", "the task t ended with status failed: out of paper")
    assert polled(HANDSHAKE, task("working"), *exchanges).fault == fault


@pytest.mark.parametrize("fault", [LOST, REFUSED])
def test_unavailable_result_of_a_completed_task_shows_the_task(fault: Fault) -> None:
    assert polled(HANDSHAKE, task("completed"), read_clock(), result(fault)) == PlanResult(
        exact(task("completed")), fault
    )


def test_connection_lost_is_reported_even_for_a_failed_task() -> None:
    assert polled(HANDSHAKE, task("failed"), read_clock(), result(LOST)) == PlanResult(exact(task("failed")), LOST)


def test_timed_out_result_request_does_not_cancel_the_task() -> None:
    silent = TimedOut("REQUEST_TIMEOUT", 30.0, "tasks/result (request 4)")
    exchanges = (read_clock(0.0, ASK), result(silent))

    late = TimedOut("REQUEST_TIMEOUT", 30.0, "tasks/result (request 4)", "", LEFT)
    assert polled(HANDSHAKE, task("input_required"), *exchanges) == PlanResult(exact(task("input_required")), late)


def test_tool_error_in_the_result_is_a_fault_with_the_task() -> None:
    wrong: JsonObject = {"content": [], "isError": True}

    fault = OperationFailed("TOOL_ERROR", "the tool reports an error in the result of the task t", (exact(wrong).text,))
    assert polled(HANDSHAKE, task("completed"), read_clock(), result(wrong)) == PlanResult(
        ended("completed", result=wrong), fault
    )


@pytest.mark.parametrize("method", [ASK, "sampling/createMessage", "roots/list"])
def test_task_requiring_input_requests_it_during_tasks_result(method: str) -> None:
    exchanges = (read_clock(0.0, method), result(DONE), get(task("completed")))

    assert polled(HANDSHAKE, task("input_required"), *exchanges) == PlanResult(ended("completed", result=DONE))


def test_task_that_fails_after_its_input_is_a_fault() -> None:
    exchanges = (read_clock(0.0, ASK), result(DONE), get(task("failed", statusMessage="no such city")))

    expected = ended("failed", result=DONE, statusMessage="no such city")
    fault = OperationFailed("TASK_FAILED", "the task t ended with status failed: no such city")
    assert polled(HANDSHAKE, task("input_required"), *exchanges) == PlanResult(expected, fault)


def test_task_cancelled_during_an_input_request_is_a_fault() -> None:
    exchanges = (read_clock(0.0, ASK), result(REFUSED), get(task("cancelled")))

    error: JsonObject = {"code": -32602, "message": "Task not found"}
    fault = OperationFailed("TASK_FAILED", "the task t ended with status cancelled: Task not found")
    assert polled(HANDSHAKE, task("input_required"), *exchanges) == PlanResult(ended("cancelled", error=error), fault)


def test_rejected_result_request_of_a_running_task_is_the_server_error() -> None:
    waiting = task("input_required", statusMessage="still")
    exchanges = (read_clock(0.0, ASK), result(REFUSED), get(waiting))

    assert polled(HANDSHAKE, task("input_required"), *exchanges) == PlanResult(exact(waiting), REFUSED)


@pytest.mark.parametrize("handled", [(), ("ping",)])
def test_task_requiring_input_without_a_handler_is_shown_and_not_polled(handled: tuple[str, ...]) -> None:
    waiting = exact(task("input_required"))

    fault = OperationFailed("INPUT_REJECTED", "the task t requires input, and no handler was given", (waiting.text,))
    assert polled(HANDSHAKE, task("input_required"), read_clock(0.0, *handled)) == PlanResult(waiting, fault)


# Modern era: the task contains the result and the input requests.


NAME: Json = {"method": ASK, "params": {"message": "Your name?"}}
CITY: Json = {"method": ASK, "params": {"message": "Your city?"}}
MODEL: Json = {"method": "sampling/createMessage"}


def input_required(**requests: Json) -> JsonObject:
    return task("input_required", inputRequests=requests)


def provide(responses: Mapping[str, str] | Fault, **requests: Json) -> Exchange:
    answers = Success(responses) if isinstance(responses, Mapping) else Failure(responses)
    return ProvideInput(exact({"inputRequests": requests})), answers


def test_modern_task_contains_its_result() -> None:
    done = task("completed", result=DONE, statusMessage="done")

    assert polled(MODERN, task("working"), read_clock(), read_clock(), pause(), get(done)) == PlanResult(
        ended("completed", result=DONE)
    )


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled", "input_required"])
def test_modern_task_is_always_fetched_after_creation(status: str) -> None:
    exchanges = (read_clock(), get(task("completed", result=DONE)))

    assert polled(MODERN, task(status), *exchanges) == PlanResult(ended("completed", result=DONE))


def test_a_failed_task_keeps_its_error() -> None:
    error: JsonObject = {"code": -32603, "message": "rate limit"}
    failed = task("failed", statusMessage="too fast", error=error)

    fault = OperationFailed("TASK_FAILED", "the task t ended with status failed: too fast")
    expected = PlanResult(ended("failed", error=error, statusMessage="too fast"), fault)
    assert polled(MODERN, task("working"), read_clock(), read_clock(), pause(), get(failed)) == expected


def test_cancelled_task_has_no_result_or_error() -> None:
    fault = OperationFailed("TASK_FAILED", "the task t ended with status cancelled")

    exchanges = (read_clock(), read_clock(), pause(), get(task("cancelled")))
    assert polled(MODERN, task("working"), *exchanges) == PlanResult(ended("cancelled"), fault)


def test_completed_task_with_a_tool_error_is_a_tool_error() -> None:
    wrong: JsonObject = {"content": [], "isError": True}

    fault = OperationFailed("TOOL_ERROR", "the tool reports an error in the result of the task t", (exact(wrong).text,))
    exchanges = (read_clock(), read_clock(), pause(), get(task("completed", result=wrong)))
    assert polled(MODERN, task("working"), *exchanges) == PlanResult(ended("completed", result=wrong), fault)


def test_input_requests_of_a_task_are_answered() -> None:
    exchanges = (
        read_clock(0.0, ASK, "sampling/createMessage"),
        get(input_required(who=NAME, model=MODEL)),
        provide({"who": "Ada", "model": "m"}, who=NAME, model=MODEL),
        update({"who": "Ada", "model": "m"}, {"resultType": "complete"}),
        read_clock(),
        pause(),
        get(task("completed", result=DONE)),
    )

    assert polled(MODERN, task("input_required"), *exchanges) == PlanResult(ended("completed", result=DONE))


ANSWERED = (
    read_clock(0.0, ASK),
    read_clock(),
    pause(),
    get(input_required(who=NAME)),
    provide({"who": "Ada"}, who=NAME),
    update({"who": "Ada"}, {}),
    read_clock(),
    pause(),
)
"""A first input request is answered, and the task is polled again."""


def test_repeated_input_request_is_answered_once() -> None:
    exchanges = (
        *ANSWERED,
        get(input_required(who=NAME)),
        read_clock(),
        pause(),
        get(task("completed")),
    )

    assert polled(MODERN, task("working"), *exchanges) == PlanResult(ended("completed"))


def test_later_input_request_is_answered_separately() -> None:
    exchanges = (
        *ANSWERED,
        get(input_required(who=NAME, where=CITY)),
        provide({"where": "London"}, where=CITY),
        update({"where": "London"}, {}),
        read_clock(),
        pause(),
        get(input_required(who=NAME, where=CITY)),
        read_clock(),
        pause(),
        get(task("completed")),
    )

    assert polled(MODERN, task("working"), *exchanges) == PlanResult(ended("completed"))


@pytest.mark.parametrize(
    ("requests", "handled", "named", "flags"),
    [
        ({"who": NAME}, (), " (elicitation/create)", ["--handle-elicitation"]),
        ({"who": NAME}, ("sampling/createMessage", "roots/list"), " (elicitation/create)", ["--handle-elicitation"]),
        ({"who": NAME, "model": MODEL}, (ASK,), " (sampling/createMessage)", ["--handle-sampling"]),
        (
            {"model": MODEL, "who": NAME},
            (),
            " (elicitation/create, sampling/createMessage)",
            ["--handle-elicitation", "--handle-sampling"],
        ),
    ],
)
def test_input_request_without_a_handler_ends_the_poll_and_is_named(
    requests: JsonObject, handled: tuple[str, ...], named: str, flags: list[str]
) -> None:
    waiting = input_required(**requests)
    problem = f"the task t requires input{named}, and no handler was given"
    how = tuple(f"respond with {flag}" for flag in flags)
    fault = OperationFailed("INPUT_REJECTED", problem, (exact(waiting).text,), hints=how)

    exchanges = (read_clock(0.0, *handled), get(waiting))
    assert polled(MODERN, task("input_required"), *exchanges) == PlanResult(exact(waiting), fault)


def test_rejected_input_request_ends_the_poll_and_shows_the_task() -> None:
    rejected = OperationFailed("INPUT_REJECTED", "the server's sampling/createMessage request was rejected: no")
    exchanges = (
        read_clock(0.0, "sampling/createMessage"),
        get(input_required(model=MODEL)),
        provide(rejected, model=MODEL),
    )

    assert polled(MODERN, task("input_required"), *exchanges) == PlanResult(
        exact(input_required(model=MODEL)), rejected
    )


@pytest.mark.parametrize("fault", [LOST, REFUSED])
def test_failed_task_update_ends_the_poll_and_shows_the_task(fault: Fault) -> None:
    exchanges = (
        read_clock(0.0, ASK),
        get(input_required(who=NAME)),
        provide({"who": "Ada"}, who=NAME),
        update({"who": "Ada"}, fault),
    )

    assert polled(MODERN, task("input_required"), *exchanges) == PlanResult(exact(input_required(who=NAME)), fault)


def test_timeout_applies_while_the_task_processes_its_input() -> None:
    exchanges = (
        read_clock(0.0, ASK),
        get(input_required(who=NAME)),
        provide({"who": "Ada"}, who=NAME),
        update({"who": "Ada"}, {}),
        read_clock(30.0),
    )

    shown = exact(input_required(who=NAME))
    unfinished = "the task t (status input_required)"
    late = TimedOut("REQUEST_TIMEOUT", 30.0, unfinished, shown.text, LEFT, f"{unfinished} did not end")
    assert polled(MODERN, task("input_required"), *exchanges) == PlanResult(shown, late)


# Required capabilities.


def test_the_tasks_extension_is_declared() -> None:
    assert list(declare_tasks()) == [ExtendTerms(extension="io.modelcontextprotocol/tasks")]


@pytest.mark.parametrize(
    ("server", "expected"),
    [(HANDSHAKE, "tasks.requests.tools.call"), (MODERN, "extensions/io.modelcontextprotocol/tasks")],
)
def test_tasks_capability_depends_on_the_era(server: NegotiatedServer, expected: str) -> None:
    assert tasks_capability(server, "tasks.requests.tools.call") == expected


def test_a_task_keeps_its_spelling() -> None:
    spelled = Exact(
        '{ "taskId":"t", "status":"working", "ttl": 6e4 }', {"taskId": "t", "status": "working", "ttl": 6e4}
    )

    assert created_task(Exact(f'{{"task": {spelled.text}}}', {"task": spelled.value}), HANDSHAKE) == Task(spelled)
