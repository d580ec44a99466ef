"""Tasks: work that a server goes on with after it has answered, in both eras."""

from attrs import frozen

from mcpi.core.exact import Exact, Printable
from mcpi.core.faults import Broken, Failed, Fault, TimedOut
from mcpi.core.outcome import Failure, Success
from mcpi.core.server import Server
from mcpi.core.steps import (
    Plan,
    Steps,
    adopt,
    attempt,
    look,
    must,
    pause,
    provide,
    request,
    stop,
)
from mcpi.core.values import Json, JsonObject, as_object, as_text
from mcpi.core.wire.modern import TASKS
from mcpi.core.wire.violations import quote

INTERVAL = 1.0
"""Seconds between two looks, if neither the user nor the server says otherwise."""
TERMINAL = frozenset({"completed", "failed", "cancelled"})
ASKING = ("sampling/createMessage", "elicitation/create", "roots/list")


@frozen
class Task:
    """A task as the server last described it."""

    exact: Exact

    @property
    def members(self) -> JsonObject:
        """Its members."""
        return as_object(self.exact.value)

    @property
    def id(self) -> str:
        """Its name."""
        return as_text(self.members.get("taskId"))

    @property
    def status(self) -> str:
        """How far it is."""
        return as_text(self.members.get("status"))

    @property
    def interval(self) -> float | None:
        """Seconds between two looks, as the server wishes."""
        wish: Json = self.members.get("pollInterval", self.members.get("pollIntervalMs"))
        return wish / 1000 if isinstance(wish, int | float) and not isinstance(wish, bool) and wish > 0 else None


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
        yield from stop(Broken("INVALID_RESPONSE", "the task has no taskId", (quote(task.exact.text),)))
    begun = yield from look()
    until, waited = begun.now + begun.patience, begun.patience
    while task.status not in TERMINAL:
        if task.status == "input_required":
            task, result = yield from _give_input(task, server)
            if result is not None:
                return _finished(task, result)
        now = (yield from look()).now
        if now >= until:
            yield from stop(_late(task, waited), task.exact)
        wish = task.interval if interval is None else interval
        yield from pause(min(INTERVAL if wish is None else wish, until - now))
        task = yield from _look(task)
    return (yield from _conclude(task, server))


def _look(task: Task) -> Steps[Task]:
    match (yield from attempt("tasks/get", {"taskId": task.id})):
        case Success(found):
            return Task(found)
        case Failure(fault):
            yield from stop(fault, task.exact)
            return task


def _late(task: Task, waited: float) -> TimedOut:
    left = f"the task was left alone; ask again with --method tasks/get --task-id {task.id}"
    return TimedOut("REQUEST_TIMEOUT", waited, f"the task {task.id} (status {task.status})", task.exact.text, (left,))


def _give_input(task: Task, server: Server) -> Steps[tuple[Task, Exact | None]]:
    """What the task asks for; in the handshake era the result comes with it."""
    standing = yield from look()
    if standing.handled.isdisjoint(ASKING):
        problem = f"the task {task.id} wants input, and no handler was given"
        yield from stop(Failed("INPUT_REJECTED", problem, (quote(task.exact.text),)), task.exact)
    if server.era == "handshake":
        # MCP 2025-11-25, tasks: on input_required the requestor SHOULD call tasks/result, and is asked on its stream.
        result = yield from request("tasks/result", {"taskId": task.id})
        return (yield from _look(task)), result
    responses = yield from must((yield from provide(task.exact)))
    yield from request("tasks/update", {"taskId": task.id, "inputResponses": responses})
    return (yield from _look(task)), None


def _conclude(task: Task, server: Server) -> Plan:
    if server.era == "modern":
        result = task.exact.members().get("result")
    else:
        match (yield from attempt("tasks/result", {"taskId": task.id})):
            case Success(result):
                pass
            case Failure(fault):
                result = None
                yield from _failed(task, None, fault)
    yield from _failed(task, result, None)
    return _finished(task, result)


def _failed(task: Task, result: Exact | None, fault: Fault | None) -> Steps[None]:
    if task.status == "completed" and fault is None:
        return
    if task.status == "completed" and fault is not None:
        yield from stop(fault, task.exact)
    problem = f"the task {task.id} ended as {task.status}"
    told = as_text(task.members.get("statusMessage"))
    yield from stop(Failed("TASK_FAILED", f"{problem}: {told}" if told else problem), _finished(task, result))


def _finished(task: Task, result: Exact | None) -> dict[str, Printable]:
    finished: dict[str, Printable] = {"taskId": task.id, "status": task.status}
    if result is not None:
        finished["result"] = result
    for name in ("error", "statusMessage"):
        member = task.exact.members().get(name)
        if member is not None:
            finished[name] = member
    return finished


def declare_tasks() -> Steps[None]:
    """In the modern era a client says with each request that it knows tasks."""
    yield from adopt(extension=TASKS)


def need(server: Server, handshake: str) -> str:
    """The capability that tasks need, which the eras declare in different places."""
    return f"extensions/{TASKS}" if server.era == "modern" else handshake
