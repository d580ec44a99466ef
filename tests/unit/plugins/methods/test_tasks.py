"""tasks/list, get, result, cancel and update: what the dialogues in fixtures do not say."""

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.steps import Call, Connect, ExtendTerms, Plan
from mcpi.core.wire.server_info import NegotiatedServer
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
from support.dialogue import DIALOGUES
from support.replay import exact, replay

OLD, NEW = NegotiatedServer("handshake", "2025-11-25"), NegotiatedServer("modern", "2026-07-28")
EXTENSION = "extensions/io.modelcontextprotocol/tasks"


def test_the_methods_of_the_group() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("tasks/list", ListTasks, list_tasks, "tasks.list", "handshake"),
        ("tasks/get", OneTask, get_task, "tasks", None),
        ("tasks/result", OneTask, task_result, "tasks", "handshake"),
        ("tasks/cancel", OneTask, cancel_task, "tasks.cancel", None),
        ("tasks/update", UpdateTask, update_task, "tasks", "modern"),
    ]


def test_an_agent_is_offered_what_makes_sense_alone() -> None:
    assert mcpi_tools() == ("tasks/list", "tasks/get", "tasks/result", "tasks/cancel")


def test_each_method_has_its_dialogues() -> None:
    told = {one.method for one in DIALOGUES if one.group == "tasks"}

    assert told == {one.name for one in mcpi_methods()}


def test_what_is_needed_depends_on_the_era() -> None:
    refined = [
        (one.name, one.negotiated_capability(OLD), one.negotiated_capability(NEW))
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
def test_the_extension_is_not_declared_before_the_era_is_known(plan: Plan) -> None:
    begun = begin(plan)

    assert not isinstance(begun, PlanResult)
    assert begun.step == Connect()


def test_responses_keep_their_spelling() -> None:
    responses = Exact('{"who": {"n": 1.50}}', {"who": {"n": 1.5}})
    sent = Call("tasks/update", {"taskId": "t", "inputResponses": responses})

    plan = update_task(UpdateTask(task_id="t", input_responses=responses))
    adopted = ExtendTerms(extension="io.modelcontextprotocol/tasks")
    assert replay(plan, (Connect(), NEW), (adopted, None), (sent, exact({}))) == PlanResult(exact({}))
