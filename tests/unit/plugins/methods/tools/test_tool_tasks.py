"""Tool calls that create a task: the task id, the params and the support check."""

from mcpi.core.outcome.faults import MissingCapability
from mcpi.core.outcome.result import Failure, Success
from mcpi.plugins.methods.tools.tool_tasks import check_support, task_params, with_task_id
from support.constants import HANDSHAKE, MODERN
from support.replay import exact


def test_nested_task_id_is_copied_to_the_top_level() -> None:
    task, result = exact({"taskId": "t"}), exact({"task": {"taskId": "t"}})

    assert with_task_id(result, task) == {"taskId": "t", "task": exact({"taskId": "t"})}


def test_result_with_a_top_level_task_id_is_unchanged() -> None:
    result = exact({"resultType": "task", "taskId": "t"})

    assert with_task_id(result, result) is result


def test_task_parameter_is_sent_only_in_the_handshake_era() -> None:
    assert task_params(MODERN, 5.0) == {}
    assert task_params(HANDSHAKE, None) == {"task": {}}
    assert task_params(HANDSHAKE, 1.5) == {"task": {"ttl": 1500}}


def test_tool_that_requires_tasks_is_rejected_without_run_as_task() -> None:
    required = {"execution": {"taskSupport": "required"}}
    problem, hints = "the tool 'x' can run only as a task", ("add --run-as-task", "use --force to send it anyway")

    assert check_support("x", {}, run_as_task=False) == Success(None)
    assert check_support("x", required, run_as_task=False) == Failure(MissingCapability("tools/call", problem, hints))  # type: ignore[arg-type]
