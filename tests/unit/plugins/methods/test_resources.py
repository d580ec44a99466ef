"""resources/list, read, templates/list, subscribe and unsubscribe, beyond the dialogues in fixtures."""

import pytest
from attrs import evolve

from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import RpcError
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.plan import PlanResult, begin
from mcpi.core.plans.steps import Call, ClockReading, Connect, NextEvent, ReadClock, Send, Warn
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
from support.constants import MODERN
from support.dialogue import DIALOGUES
from support.replay import exact, replay


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
    found = {one.method for one in DIALOGUES if one.group == "resources"}

    assert found == {one.name for one in mcpi_methods()}


@pytest.mark.parametrize("uri", ["", "file:///a b/ü?x=1#y", "not a uri"])
def test_uri_is_sent_verbatim(uri: str) -> None:
    contents = Exact('{ "contents": [] }', {"contents": []})

    sent = Call("resources/read", {"uri": uri}, allow_failure=True)
    assert replay(read_resource(OneResource(uri=uri)), (sent, Success(contents))) == PlanResult(contents)


ERROR = RpcError(-32002, "Resource not found", exact({}))
LISTING = Call("resources/list", allow_failure=True)
LISTED = Success(exact({"resources": [{"uri": "demo://stations", "name": "all"}, {"uri": "demo://x", "name": "y"}]}))


@pytest.mark.parametrize(
    ("uri", "hints"),
    [
        ("stations", ("did you mean demo://stations?",)),
        ("station", ("did you mean demo://stations?",)),
        ("demo://station", ("did you mean demo://stations?",)),
        ("all", ("did you mean demo://stations?",)),
        ("demo://stations", ()),
        ("demos://stations", ("did you mean demo://stations?",)),
        ("demo://thing", ()),
    ],
)
def test_unknown_uri_gets_the_nearest_one(uri: str, hints: tuple[str, ...]) -> None:
    sent = Call("resources/read", {"uri": uri}, allow_failure=True)
    ended = replay(read_resource(OneResource(uri=uri)), (sent, Failure(ERROR)), (LISTING, LISTED))

    assert ended == PlanResult(None, evolve(ERROR, hints=hints))


@pytest.mark.parametrize("uri", ["demo://{id}", "demo://x{?id,n}"])
def test_template_variable_is_sent_with_a_warning(uri: str) -> None:
    variable = uri[uri.index("{") :]
    warning = Warn(f"the URI is a template: {variable} is sent as it is; replace it with a value")

    sent = Call("resources/read", {"uri": uri}, allow_failure=True)
    ended = replay(read_resource(OneResource(uri=uri)), (warning, None), (sent, Success(exact({}))))
    assert ended == PlanResult(exact({}))
    begun = begin(subscribe(OneResource(uri=uri)))
    assert not isinstance(begun, PlanResult)
    assert begun.step == warning


def test_error_is_kept_if_the_list_fails() -> None:
    sent = Call("resources/read", {"uri": "x"}, allow_failure=True)
    ended = replay(read_resource(OneResource(uri="x")), (sent, Failure(ERROR)), (LISTING, Failure(ERROR)))

    assert ended == PlanResult(None, ERROR)


def test_subscribe_connects_first() -> None:
    begun = begin(subscribe(OneResource(uri="demo://a")))

    assert not isinstance(begun, PlanResult)
    assert begun.step == Connect()


def test_modern_subscription_uses_the_request_timeout() -> None:
    plan = subscribe(OneResource(uri="demo://a"))
    subscription = Send("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["demo://a"]}})
    steps = [plan.send(reply) for reply in (None, MODERN, ClockReading(5.0, 2.5, frozenset()), 1)]

    assert steps == [Connect(), ReadClock(), subscription, NextEvent(2.5)]
