"""Tool calls that run as tasks: checks, and the parameter of the handshake era."""

from mcpi.core.plans.task_polling import tasks_capability
from mcpi.plugins.api import (
    Exact,
    Failure,
    JsonObject,
    MissingCapability,
    NegotiatedServer,
    Printable,
    Result,
    Success,
    as_object,
    as_text,
    invalid,
)


def check_capability(server: NegotiatedServer, ttl: float | None) -> Result[None]:
    """Check that the server can run tools as tasks, and lets the client set a lifetime."""
    if server.era == "modern" and ttl is not None:
        return invalid(
            "--task-ttl",
            f"not part of protocol version {server.version}, in which the server decides how long it keeps a task",
            "omit the flag",
        )
    needs = tasks_capability(server, "tasks.requests.tools.call")
    if not server.was_asked_for_capabilities or server.declares(needs):
        return Success(None)
    problem = f"the server did not declare the capability {needs}, which --run-as-task requires"
    return Failure(MissingCapability("tools/call", problem, ("use --force to send it anyway",)))


def check_support(name: str, tool: JsonObject, *, run_as_task: bool) -> Result[None]:
    """Check --run-as-task against the tool's definition in the handshake era."""
    # MCP 2025-11-25, tasks: without execution.taskSupport, or with "forbidden", clients MUST NOT ask for a task.
    support = as_object(tool.get("execution")).get("taskSupport", "forbidden")
    if run_as_task and support == "forbidden":
        problem, hint = f"the tool {name!r} cannot run as a task", "omit --run-as-task"
    elif not run_as_task and support == "required":
        problem, hint = f"the tool {name!r} can run only as a task", "add --run-as-task"
    else:
        return Success(None)
    return Failure(MissingCapability("tools/call", problem, (hint, "use --force to send it anyway")))


def task_params(server: NegotiatedServer, ttl: float | None) -> dict[str, Printable]:
    """Build the `task` parameter of the handshake era; in the modern era the server decides."""
    if server.era == "modern":
        return {}
    return {"task": {} if ttl is None else {"ttl": round(ttl * 1000)}}


def with_task_id(result: Exact, task: Exact) -> Printable:
    """Put the task's id at the top level of the result, where the modern era has it."""
    if "taskId" in result.members():
        return result
    return {"taskId": as_text(as_object(task.value).get("taskId")), **result.members()}
