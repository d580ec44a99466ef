"""subscriptions/listen: what the dialogues in fixtures do not say."""

from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.steps import Connect
from mcpi.plugins.methods.subscriptions import ListenToChanges, mcpi_methods, mcpi_tools, subscriptions_listen
from support.dialogue import DIALOGUES


def test_the_method_of_the_group() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("subscriptions/listen", ListenToChanges, subscriptions_listen, "", "modern")
    ]


def test_the_method_has_its_dialogues() -> None:
    assert {one.method for one in DIALOGUES if one.group == "subscriptions"} == {"subscriptions/listen"}


def test_nothing_is_declared_before_the_era_is_known() -> None:
    begun = begin(subscriptions_listen(ListenToChanges(task_id=("t",))))

    assert not isinstance(begun, PlanResult)
    assert begun.step == Connect()


def test_agents_are_offered_it() -> None:
    assert mcpi_tools() == ("subscriptions/listen",)
