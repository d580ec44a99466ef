"""Tasks of both eras: poll a task until it ends, and provide the input it requires."""

from collections.abc import Sequence
from typing import NoReturn

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Fault, InvalidResponse, OperationFailed, RpcError, TimedOut
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.responders import handler_hints
from mcpi.core.plans.steps import (
    ClockReading,
    Plan,
    Steps,
    attempt,
    extend_terms,
    pause,
    provide_input,
    read_clock,
    stop,
)
from mcpi.core.wire.modern import TASKS, input_request_method, input_requests
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import quote

DEFAULT_POLL_INTERVAL = 1.0
"""Default poll interval in seconds, if neither the user nor the server sets one."""
_MAX_INTERVAL = 10**12
"""Maximum poll interval in milliseconds; dividing a huge integer would overflow."""
TERMINAL = frozenset({"completed", "failed", "cancelled"})
INPUT_REQUIRED = "input_required"
INPUT_METHODS = ("sampling/createMessage", "elicitation/create", "roots/list")


@frozen
class Task:
    """A task as last described by the server."""

    raw: Exact
    created_id: str = ""
    """The id that the task was created with."""

    @property
    def members(self) -> JsonObject:
        """The task's members."""
        return as_object(self.raw.value)

    @property
    def id(self) -> str:
        """ID of the task."""
        return self.created_id or as_text(self.members.get("taskId"))

    @property
    def status(self) -> str:
        """The task's status."""
        return as_text(self.members.get("status"))

    @property
    def interval(self) -> float | None:
        """Poll interval in seconds that the server requests, if it is valid."""
        interval: Json = self.members.get("pollInterval", self.members.get("pollIntervalMs"))
        if isinstance(interval, bool) or not isinstance(interval, int | float) or interval <= 0:
            return None
        return min(interval, _MAX_INTERVAL) / 1000


def created_task(result: Exact, server: NegotiatedServer) -> Task | None:
    """Return the task that the request created, or None."""
    members = result.members()
    if server.era == "modern":
        kind = members.get("resultType")
        return Task(result) if kind is not None and kind.value == "task" else None
    task = members.get("task")
    return Task(task) if task is not None and isinstance(task.value, dict) else None


def poll_task(task: Task, server: NegotiatedServer, interval: float | None) -> Plan:
    """Poll the task until it ends; return its id, status and result."""
    if not task.id:
        yield from stop(InvalidResponse("INVALID_RESPONSE", "the task has no taskId", (quote(task.raw.text),)))
    started = yield from read_clock()
    answered: frozenset[str] = frozenset()
    if server.era == "modern" and task.status in {*TERMINAL, INPUT_REQUIRED}:
        # MCP tasks extension: results and inputRequests are in the result of tasks/get, never in the created task.
        task = yield from _fetch(task)
    while task.status not in TERMINAL:
        if task.status == INPUT_REQUIRED and server.era == "handshake":
            # MCP 2025-11-25, tasks: the requestor SHOULD call tasks/result now; the input requests arrive meanwhile.
            if started.handled_methods.isdisjoint(INPUT_METHODS):
                yield from _give_up(task, _unhandled(task))
            break
        if task.status == INPUT_REQUIRED:
            answered = yield from _send_input(task, started.handled_methods, answered)
        task = yield from _poll_again(task, interval, started)
    return (yield from _result_document(task, server))


def _poll_again(task: Task, interval: float | None, started: ClockReading) -> Steps[Task]:
    """Wait for the poll interval and fetch the task again, unless the timeout has expired."""
    now, until = (yield from read_clock()).now, started.now + started.timeout
    if now >= until:
        outstanding = f"the task {task.id} (status {task.status})"
        problem = f"{outstanding} did not end"
        yield from _give_up(
            task, TimedOut("REQUEST_TIMEOUT", started.timeout, outstanding, task.raw.text, problem=problem)
        )
    seconds = task.interval if interval is None else interval
    yield from pause(min(DEFAULT_POLL_INTERVAL if seconds is None else seconds, until - now))
    return (yield from _fetch(task))


def _fetch(task: Task) -> Steps[Task]:
    """Fetch the current state of the task."""
    match (yield from attempt("tasks/get", {"taskId": task.id})):
        case Success(found) if as_text(as_object(found.value).get("status")):
            return Task(found, task.id)
        case Success(found):
            problem = f"the response to tasks/get has no status for the task {task.id}"
            return (yield from _give_up(task, InvalidResponse("INVALID_RESPONSE", problem, (quote(found.text),))))
        case Failure(fault):
            return (yield from _give_up(task, fault))


def _give_up(task: Task, fault: Fault) -> Steps[NoReturn]:
    """End the plan with a fault and the last known state of the task."""
    poll_hint = f"the task is still running; query it with --method tasks/get --task-id {task.id}"
    lifetime_hint = "the task ends when mcpi stops the server; use a longer --timeout, or poll in a --script"
    shown = evolve(fault, hints=(poll_hint, lifetime_hint)) if isinstance(fault, TimedOut) else fault
    return stop(shown, task.raw)


def _unhandled(task: Task, asked: Sequence[str] = ()) -> OperationFailed:
    what = f" ({', '.join(asked)})" if asked else ""
    problem = f"the task {task.id} requires input{what}, and no handler was given"
    return OperationFailed("INPUT_REJECTED", problem, (quote(task.raw.text),), hints=handler_hints(asked))


def _send_input(task: Task, handled: frozenset[str], answered: frozenset[str]) -> Steps[frozenset[str]]:
    """Send the input that the task requires, and return the names of all input requests answered so far."""
    # MCP tasks extension: "Clients SHOULD track inputRequests keys to avoid responding to requests more than once".
    wanted = {name: one for name, one in input_requests(task.raw).items() if name not in answered}
    if not wanted:
        return answered
    missing = {input_request_method(one)[0] for one in wanted.values()} - handled
    if missing:
        yield from _give_up(task, _unhandled(task, sorted(missing)))
    required: Printable = {"inputRequests": wanted}
    match (yield from provide_input(Exact(dump(required), to_plain(required)))):
        case Success(responses):
            outcome = yield from attempt("tasks/update", {"taskId": task.id, "inputResponses": responses})
        case Failure() as outcome:
            pass
    if isinstance(outcome, Failure):
        yield from _give_up(task, outcome.failure())
    return answered | wanted.keys()


def _result_document(task: Task, server: NegotiatedServer) -> Plan:
    """Return the task's document with the result that the original request would have had."""
    if server.era == "modern":
        return (yield from _checked_document(task, task.raw.members().get("result")))
    match (yield from attempt("tasks/result", {"taskId": task.id})):
        case Success(result):
            return (yield from _checked_document((yield from _refresh(task)), result))
        case Failure(RpcError() as error):
            return (yield from _checked_document((yield from _refresh(task)), None, error))
        case Failure(fault):
            return (yield from _give_up(task, fault))


def _refresh(task: Task) -> Steps[Task]:
    """Fetch the task again, unless its status is terminal already."""
    return task if task.status in TERMINAL else (yield from _fetch(task))


def _checked_document(task: Task, result: Exact | None, error: RpcError | None = None) -> Plan:
    """Return the task's document; a failure ends the plan with a fault and the document."""
    finished = _document(task, result, error)
    if task.status in {"failed", "cancelled"}:
        message = as_text(task.members.get("statusMessage")) or (error.message if error is not None else "")
        reason = f": {message}" if message else ""
        yield from stop(
            OperationFailed("TASK_FAILED", f"the task {task.id} ended with status {task.status}{reason}"), finished
        )
    if error is not None:
        yield from stop(error, task.raw)
    if result is not None and result.get("isError") is True:
        problem = f"the tool reports an error in the result of the task {task.id}"
        yield from stop(OperationFailed("TOOL_ERROR", problem, (quote(result.text),)), finished)
    return finished


def _document(task: Task, result: Exact | None, error: RpcError | None) -> dict[str, Printable]:
    members = task.raw.members()
    details = {"result": result, "error": error.error if error is not None else members.get("error")}
    if task.status != "completed":
        details["statusMessage"] = members.get("statusMessage")
    present = {name: value for name, value in details.items() if value is not None}
    return {"taskId": task.id, "status": task.status, **present}


def declare_tasks() -> Steps[None]:
    """Declare support for tasks with each request of the modern era."""
    yield from extend_terms(extension=TASKS)


def tasks_capability(server: NegotiatedServer, handshake: str) -> str:
    """Return the capability that tasks require, which differs between the eras."""
    return f"extensions/{TASKS}" if server.era == "modern" else handshake
