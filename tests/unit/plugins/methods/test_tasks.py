"""tasks/list, get, result, cancel and update, beyond the dialogues in fixtures."""

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.steps import Call, Connect, ExtendTerms, Plan
from mcpi.plugins.methods.tasks import (
    ListTasks,
    OneTask,
    UpdateTask,
    cancel_task,
    get_task,
    list_tasks,
    mcpi_methods,
    mcpi_tools,
    task_result,
    update_task,
)
from support.constants import HANDSHAKE, MODERN
from support.dialogue import DIALOGUES
from support.replay import exact, replay

EXTENSION = "extensions/io.modelcontextprotocol/tasks"


def test_tasks_methods_are_registered() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("tasks/list", ListTasks, list_tasks, "tasks.list", "handshake"),
        ("tasks/get", OneTask, get_task, "tasks", None),
        ("tasks/result", OneTask, task_result, "tasks", "handshake"),
        ("tasks/cancel", OneTask, cancel_task, "tasks.cancel", None),
        ("tasks/update", UpdateTask, update_task, "tasks", "modern"),
    ]


def test_methods_except_update_are_tools_for_agents() -> None:
    assert mcpi_tools() == ("tasks/list", "tasks/get", "tasks/result", "tasks/cancel")


def test_every_method_has_dialogues() -> None:
    found = {one.method for one in DIALOGUES if one.group == "tasks"}

    assert found == {one.name for one in mcpi_methods()}


def test_required_capability_depends_on_the_era() -> None:
    refined = [
        (one.name, one.negotiated_capability(HANDSHAKE), one.negotiated_capability(MODERN))
        for one in mcpi_methods()
        if one.negotiated_capability is not None
    ]

    assert refined == [
        ("tasks/get", "tasks", EXTENSION),
        ("tasks/cancel", "tasks.cancel", EXTENSION),
        ("tasks/update", "", EXTENSION),
    ]


@pytest.mark.parametrize(
    "plan",
    [
        get_task(OneTask(task_id="t")),
        cancel_task(OneTask(task_id="t")),
        update_task(UpdateTask(task_id="t", input_responses=exact({}))),
    ],
)
def test_extension_is_not_declared_before_connecting(plan: Plan) -> None:
    begun = begin(plan)

    assert not isinstance(begun, PlanResult)
    assert begun.step == Connect()


def test_input_responses_are_sent_verbatim() -> None:
    responses = Exact('{"who": {"n": 1.50}}', {"who": {"n": 1.5}})
    sent = Call("tasks/update", {"taskId": "t", "inputResponses": responses})

    plan = update_task(UpdateTask(task_id="t", input_responses=responses))
    adopted = ExtendTerms(extension="io.modelcontextprotocol/tasks")
    assert replay(plan, (Connect(), MODERN), (adopted, None), (sent, exact({}))) == PlanResult(exact({}))
