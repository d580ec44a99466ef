"""Methods tasks/list, get, result, cancel and update."""

from mcpi.core.flags.types import Identifier
from mcpi.core.frozen import frozen
from mcpi.core.plans.task_polling import declare_tasks, tasks_capability
from mcpi.plugins.api import (
    AnyMethod,
    Exact,
    ListFlags,
    Method,
    Plan,
    Result,
    Steps,
    Success,
    all_pages,
    connect,
    hookimpl,
    invalid,
    must,
    request,
)


@frozen(kw_only=True)
class ListTasks(ListFlags):
    """All tasks of this client."""


@frozen(kw_only=True)
class OneTask:
    """One task."""

    task_id: Identifier
    """ID of the task."""


@frozen(kw_only=True)
class UpdateTask(OneTask):
    """One task and the input it waits for."""

    input_responses: Exact
    """Responses as a JSON object, keyed by the names in the task's inputRequests."""


def list_tasks(args: ListTasks) -> Plan:
    """Fetch all tasks."""
    return (yield from all_pages("tasks/list", "tasks", args))


def get_task(args: OneTask) -> Plan:
    """Fetch the task's current state."""
    yield from _declare()
    return (yield from request("tasks/get", {"taskId": args.task_id}))


def task_result(args: OneTask) -> Plan:
    """Fetch the task's result, which the server sends when the task ends."""
    return (yield from request("tasks/result", {"taskId": args.task_id}))


def cancel_task(args: OneTask) -> Plan:
    """Request cancellation of the task."""
    yield from _declare()
    return (yield from request("tasks/cancel", {"taskId": args.task_id}))


def update_task(args: UpdateTask) -> Plan:
    """Send the input that the task requested."""
    responses = yield from must(_json_object(args.input_responses))
    yield from _declare()
    return (yield from request("tasks/update", {"taskId": args.task_id, "inputResponses": responses}))


def _declare() -> Steps[None]:
    server = yield from connect()
    if server.era == "modern":
        yield from declare_tasks()


def _json_object(value: Exact) -> Result[Exact]:
    if isinstance(value.value, dict):
        return Success(value)
    return invalid(
        "--input-responses", f"expected a JSON object with the same keys as inputRequests, found {value.kind}"
    )


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    get = "--method tasks/get"
    return (
        Method(
            "tasks/list",
            ListTasks,
            list_tasks,
            "list the tasks",
            required_capability="tasks.list",
            era="handshake",
            alternative=get,
        ),
        Method(
            "tasks/get",
            OneTask,
            get_task,
            "get the state of a task",
            required_capability="tasks",
            negotiated_capability=lambda s: tasks_capability(s, "tasks"),
        ),
        Method(
            "tasks/result",
            OneTask,
            task_result,
            "wait for the result of a task",
            required_capability="tasks",
            era="handshake",
            alternative=get,
        ),
        Method(
            "tasks/cancel",
            OneTask,
            cancel_task,
            "cancel a task",
            required_capability="tasks.cancel",
            negotiated_capability=lambda server: tasks_capability(server, "tasks.cancel"),
        ),
        Method(
            "tasks/update",
            UpdateTask,
            update_task,
            "send the input that a task is waiting for",
            required_capability="tasks",
            negotiated_capability=lambda server: tasks_capability(server, ""),
            era="modern",
            alternative="--handle-elicitation or --handle-sampling with --poll",
        ),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("tasks/list", "tasks/get", "tasks/result", "tasks/cancel")
