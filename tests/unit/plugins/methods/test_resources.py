"""resources/list, read, templates/list, subscribe and unsubscribe, beyond the dialogues in fixtures."""

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


def test_resources_methods_are_registered() -> None:
    assert [(one.name, one.args, one.plan, one.required_capability, one.era) for one in mcpi_methods()] == [
        ("resources/list", ListResources, list_resources, "resources", None),
        ("resources/read", OneResource, read_resource, "resources", None),
        ("resources/templates/list", ListTemplates, list_templates, "resources", None),
        ("resources/subscribe", OneResource, subscribe, "resources.subscribe", None),
        ("resources/unsubscribe", OneResource, unsubscribe, "resources.subscribe", "handshake"),
    ]


def test_all_methods_are_protocol_methods() -> None:
    assert [one.is_protocol_method and one.connects and bool(one.summary) for one in mcpi_methods()] == [True] * 5


def test_methods_are_tools_for_agents() -> None:
    assert mcpi_tools() == (
        *("resources/list", "resources/read", "resources/templates/list"),
        *("resources/subscribe", "resources/unsubscribe"),
    )


def test_every_method_has_dialogues() -> None:
    told = {one.method for one in DIALOGUES if one.group == "resources"}

    assert told == {one.name for one in mcpi_methods()}


@pytest.mark.parametrize("uri", ["", "file:///a b/ü?x=1#y", "not a uri"])
def test_uri_is_sent_verbatim(uri: str) -> None:
    contents = Exact('{ "contents": [] }', {"contents": []})

    ended = replay(read_resource(OneResource(uri=uri)), (Call("resources/read", {"uri": uri}), contents))
    assert ended == PlanResult(contents)


def test_subscribe_connects_first() -> None:
    begun = begin(subscribe(OneResource(uri="demo://a")))

    assert not isinstance(begun, PlanResult)
    assert begun.step == Connect()


def test_modern_subscription_uses_the_request_timeout() -> None:
    plan = subscribe(OneResource(uri="demo://a"))
    asked = Send("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["demo://a"]}})
    steps = [plan.send(reply) for reply in (None, NEW, ClockReading(5.0, 2.5, frozenset()), 1)]

    assert steps == [Connect(), ReadClock(), asked, NextEvent(2.5)]
