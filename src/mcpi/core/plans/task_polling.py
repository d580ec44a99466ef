"""Tasks: work that a server goes on with after it has answered, in both eras."""

from collections.abc import Sequence
from typing import NoReturn

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable, plain
from mcpi.core.jsontext.values import Json, JsonObject, as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Fault, InvalidResponse, Rejected, RpcError, TimedOut
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.responders import advice
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
from mcpi.core.wire.modern import TASKS, asked_method, input_requests
from mcpi.core.wire.server_info import Server
from mcpi.core.wire.violations import quote

INTERVAL = 1.0
"""Seconds between two looks, if neither the user nor the server says otherwise."""
_LONGEST = 10**12
"""Milliseconds; integers may be longer than what can be divided."""
TERMINAL = frozenset({"completed", "failed", "cancelled"})
WAITING = "input_required"
ASKING = ("sampling/createMessage", "elicitation/create", "roots/list")


@frozen
class Task:
    """A task as the server last described it."""

    exact: Exact
    given: str = ""
    """The id that it was created with."""

    @property
    def members(self) -> JsonObject:
        """Its members."""
        return as_object(self.exact.value)

    @property
    def id(self) -> str:
        """Its name."""
        return self.given or as_text(self.members.get("taskId"))

    @property
    def status(self) -> str:
        """How far it is."""
        return as_text(self.members.get("status"))

    @property
    def interval(self) -> float | None:
        """Seconds between two looks, as the server wishes."""
        wish: Json = self.members.get("pollInterval", self.members.get("pollIntervalMs"))
        if isinstance(wish, bool) or not isinstance(wish, int | float) or wish <= 0:
            return None
        return min(wish, _LONGEST) / 1000


def created(result: Exact, server: Server) -> Task | None:
    """The task that a request has become, if it has become one."""
    members = result.members()
    if server.era == "modern":
        kind = members.get("resultType")
        return Task(result) if kind is not None and kind.value == "task" else None
    task = members.get("task")
    return Task(task) if task is not None and isinstance(task.value, dict) else None


def poll(task: Task, server: Server, interval: float | None) -> Plan:
    """The task's id, its last status and its result, once it has one."""
    if not task.id:
        yield from stop(InvalidResponse("INVALID_RESPONSE", "the task has no taskId", (quote(task.exact.text),)))
    begun = yield from read_clock()
    answered: frozenset[str] = frozenset()
    if server.era == "modern" and task.status in {*TERMINAL, WAITING}:
        # MCP tasks extension: results and inputRequests are in what tasks/get answers, never in what was created.
        task = yield from _look(task)
    while task.status not in TERMINAL:
        if task.status == WAITING and server.era == "handshake":
            # MCP 2025-11-25, tasks: the requestor SHOULD call tasks/result now, and is asked while that waits.
            if begun.handled.isdisjoint(ASKING):
                yield from _give_up(task, _unhandled(task))
            break
        if task.status == WAITING:
            answered = yield from _give_input(task, begun.handled, answered)
        task = yield from _later(task, interval, begun)
    return (yield from _conclude(task, server))


def _later(task: Task, interval: float | None, begun: ClockReading) -> Steps[Task]:
    """The task after a while, unless patience has ended."""
    now, until = (yield from read_clock()).now, begun.now + begun.patience
    if now >= until:
        outstanding = f"the task {task.id} (status {task.status})"
        yield from _give_up(task, TimedOut("REQUEST_TIMEOUT", begun.patience, outstanding, task.exact.text))
    wish = task.interval if interval is None else interval
    yield from pause(min(INTERVAL if wish is None else wish, until - now))
    return (yield from _look(task))


def _look(task: Task) -> Steps[Task]:
    """The task as it stands now."""
    match (yield from attempt("tasks/get", {"taskId": task.id})):
        case Success(found) if as_text(as_object(found.value).get("status")):
            return Task(found, task.id)
        case Success(found):
            problem = f"tasks/get did not tell the status of the task {task.id}"
            return (yield from _give_up(task, InvalidResponse("INVALID_RESPONSE", problem, (quote(found.text),))))
        case Failure(fault):
            return (yield from _give_up(task, fault))


def _give_up(task: Task, fault: Fault) -> Steps[NoReturn]:
    """The end by a fault; what was last known of the task is shown."""
    left = f"the task was left alone; ask again with --method tasks/get --task-id {task.id}"
    along = "a server that mcpi has started takes its tasks along: give a longer --timeout, or ask in a --script"
    told = evolve(fault, hints=(left, along)) if isinstance(fault, TimedOut) else fault
    return stop(told, task.exact)


def _unhandled(task: Task, asked: Sequence[str] = ()) -> Rejected:
    what = f" ({', '.join(asked)})" if asked else ""
    problem = f"the task {task.id} wants input{what}, and no handler was given"
    return Rejected("INPUT_REJECTED", problem, (quote(task.exact.text),), hints=advice(asked))


def _give_input(task: Task, handled: frozenset[str], answered: frozenset[str]) -> Steps[frozenset[str]]:
    """The names of all that was answered by now: what the task asks for has been sent to it."""
    # MCP tasks extension: "Clients SHOULD track inputRequests keys to avoid responding to requests more than once".
    wanted = {name: one for name, one in input_requests(task.exact).items() if name not in answered}
    if not wanted:
        return answered
    missing = {asked_method(one)[0] for one in wanted.values()} - handled
    if missing:
        yield from _give_up(task, _unhandled(task, sorted(missing)))
    required: Printable = {"inputRequests": wanted}
    match (yield from provide_input(Exact(dump(required), plain(required)))):
        case Success(responses):
            outcome = yield from attempt("tasks/update", {"taskId": task.id, "inputResponses": responses})
        case Failure() as outcome:
            pass
    if isinstance(outcome, Failure):
        yield from _give_up(task, outcome.failure())
    return answered | wanted.keys()


def _conclude(task: Task, server: Server) -> Plan:
    """What the request would have brought without a task."""
    if server.era == "modern":
        return (yield from _judged(task, task.exact.members().get("result")))
    match (yield from attempt("tasks/result", {"taskId": task.id})):
        case Success(result):
            return (yield from _judged((yield from _ended(task)), result))
        case Failure(RpcError() as error):
            return (yield from _judged((yield from _ended(task)), None, error))
        case Failure(fault):
            return (yield from _give_up(task, fault))


def _ended(task: Task) -> Steps[Task]:
    """The task as it ended, where that is not known yet."""
    return task if task.status in TERMINAL else (yield from _look(task))


def _judged(task: Task, result: Exact | None, error: RpcError | None = None) -> Plan:
    """What is printed of the task; a bad end is a fault that keeps it."""
    finished = _finished(task, result, error)
    if task.status in {"failed", "cancelled"}:
        problem = f"the task {task.id} ended as {task.status}"
        told = as_text(task.members.get("statusMessage")) or (error.message if error is not None else "")
        yield from stop(Rejected("TASK_FAILED", f"{problem}: {told}" if told else problem), finished)
    if error is not None:
        yield from stop(error, task.exact)
    if result is not None and as_object(result.value).get("isError") is True:
        problem = f"the tool reports an error in the result of the task {task.id}"
        yield from stop(Rejected("TOOL_ERROR", problem, (quote(result.text),)), finished)
    return finished


def _finished(task: Task, result: Exact | None, error: RpcError | None) -> dict[str, Printable]:
    members = task.exact.members()
    told = {"result": result, "error": error.error if error is not None else members.get("error")}
    if task.status != "completed":
        told["statusMessage"] = members.get("statusMessage")
    present = {name: value for name, value in told.items() if value is not None}
    return {"taskId": task.id, "status": task.status, **present}


def declare_tasks() -> Steps[None]:
    """In the modern era a client says with each request that it knows tasks."""
    yield from extend_terms(extension=TASKS)


def need(server: Server, handshake: str) -> str:
    """The capability that tasks need, which the eras declare in different places."""
    return f"extensions/{TASKS}" if server.era == "modern" else handshake
