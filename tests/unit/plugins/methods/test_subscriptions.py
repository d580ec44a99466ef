"""subscriptions/listen, beyond the dialogues in fixtures."""

from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.steps import Connect
from mcpi.plugins.methods.subscriptions import ListenToChanges, mcpi_methods, mcpi_tools, subscriptions_listen
from support.dialogue import DIALOGUES


def test_subscriptions_method_is_registered() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("subscriptions/listen", ListenToChanges, subscriptions_listen, "", "modern")
    ]


def test_method_has_dialogues() -> None:
    assert {one.method for one in DIALOGUES if one.group == "subscriptions"} == {"subscriptions/listen"}


def test_extension_is_not_declared_before_connecting() -> None:
    begun = begin(subscriptions_listen(ListenToChanges(task_id=("t",))))

    assert not isinstance(begun, PlanResult)
    assert begun.step == Connect()


def test_method_is_a_tool_for_agents() -> None:
    assert mcpi_tools() == ("subscriptions/listen",)
