"""resources/list, read, templates/list, subscribe and unsubscribe: what the dialogues in fixtures do not say."""

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.steps import Call, ClockReading, Connect, NextEvent, ReadClock, Send
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.plugins.methods.resources import (
    ListResources,
    ListTemplates,
    OneResource,
    list_resources,
    list_templates,
    mcpi_methods,
    mcpi_tools,
    read_resource,
    subscribe,
    unsubscribe,
)
from support.dialogue import DIALOGUES
from support.replay import replay

NEW = NegotiatedServer("modern", "2026-07-28")


def test_the_methods_of_the_group() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("resources/list", ListResources, list_resources, "resources", None),
        ("resources/read", OneResource, read_resource, "resources", None),
        ("resources/templates/list", ListTemplates, list_templates, "resources", None),
        ("resources/subscribe", OneResource, subscribe, "resources.subscribe", None),
        ("resources/unsubscribe", OneResource, unsubscribe, "resources.subscribe", "handshake"),
    ]


def test_all_of_them_are_the_protocols_own() -> None:
    assert [one.is_protocol_method and one.connects and bool(one.summary) for one in mcpi_methods()] == [True] * 5


def test_an_agent_is_offered_what_makes_sense_alone() -> None:
    assert mcpi_tools() == (
        *("resources/list", "resources/read", "resources/templates/list"),
        *("resources/subscribe", "resources/unsubscribe"),
    )


def test_each_method_has_its_dialogues() -> None:
    told = {one.method for one in DIALOGUES if one.group == "resources"}

    assert told == {one.name for one in mcpi_methods()}


@pytest.mark.parametrize("uri", ["", "file:///a b/ü?x=1#y", "not a uri"])
def test_an_address_goes_out_as_it_was_given(uri: str) -> None:
    contents = Exact('{ "contents": [] }', {"contents": []})

    ended = replay(read_resource(OneResource(uri=uri)), (Call("resources/read", {"uri": uri}), contents))
    assert ended == PlanResult(contents)


def test_who_subscribes_meets_the_server_first() -> None:
    begun = begin(subscribe(OneResource(uri="demo://a")))

    assert not isinstance(begun, PlanResult)
    assert begun.step == Connect()


def test_a_modern_subscription_is_patient_as_long_as_any_request() -> None:
    plan = subscribe(OneResource(uri="demo://a"))
    asked = Send("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["demo://a"]}})
    steps = [plan.send(reply) for reply in (None, NEW, ClockReading(5.0, 2.5, frozenset()), 1)]

    assert steps == [Connect(), ReadClock(), asked, NextEvent(2.5)]
