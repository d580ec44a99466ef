"""A result that creates a task has the task's id at its top in both eras."""

from mcpi.core.outcome.faults import MissingCapability
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.plugins.methods.tools.tool_tasks import check_support, task_params, with_task_id
from support.replay import exact

OLD = NegotiatedServer("handshake", "2025-11-25")
NEW = NegotiatedServer("modern", "2026-07-28")


def test_a_nested_id_is_lifted_and_all_else_stays() -> None:
    task, result = exact({"taskId": "t"}), exact({"task": {"taskId": "t"}})

    assert with_task_id(result, task) == {"taskId": "t", "task": exact({"taskId": "t"})}


def test_an_id_at_the_top_stays_as_it_was_sent() -> None:
    result = exact({"resultType": "task", "taskId": "t"})

    assert with_task_id(result, result) is result


def test_only_the_handshake_era_has_a_parameter() -> None:
    assert task_params(NEW, 5.0) == {}
    assert task_params(OLD, None) == {"task": {}}
    assert task_params(OLD, 1.5) == {"task": {"ttl": 1500}}


def test_the_definition_decides_whether_a_tool_runs_as_a_task() -> None:
    required = {"execution": {"taskSupport": "required"}}
    problem, hints = "the tool 'x' runs only as a task", ("add --run-as-task", "use --force to send it anyway")

    assert check_support("x", {}, run_as_task=False) == Success(None)
    assert check_support("x", required, run_as_task=False) == Failure(MissingCapability("tools/call", problem, hints))  # type: ignore[arg-type]
