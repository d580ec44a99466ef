"""User-supplied functions as handlers of server requests."""

import pytest

from mcpi.core.client.function_responders import function_handler, params_of
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.plans.responders import Accept, ServerRequest, declared_capabilities
from mcpi.core.plans.steps import AskFunction


@pytest.mark.parametrize(
    ("method", "version", "capabilities"),
    [
        ("sampling/createMessage", "2025-11-25", {"sampling": {}}),
        ("elicitation/create", "2025-11-25", {"elicitation": {"form": {}, "url": {}}}),
        ("elicitation/create", "2025-06-18", {"elicitation": {}}),
        ("elicitation/create", "2025-03-26", {}),
        ("roots/list", "2025-11-25", {"roots": {"listChanged": True}}),
        ("roots/list", "2026-07-28", {"roots": {}}),
        ("vendor/ask", "2025-11-25", {}),
    ],
)
def test_handled_requests_are_declared_as_capabilities(method: str, version: str, capabilities: JsonObject) -> None:
    assert declared_capabilities({method: function_handler(method)}, version) == capabilities


def test_function_is_called_and_its_reply_is_returned() -> None:
    handler = function_handler("roots/list")
    steps = handler.answer(ServerRequest("roots/list", None, 0))

    assert next(steps) == AskFunction("roots/list", None)
    with pytest.raises(StopIteration) as done:
        steps.send(Accept({"roots": []}))
    assert done.value.value == Accept({"roots": []})


def test_function_handler_counts_as_configured() -> None:
    assert function_handler("sampling/createMessage").is_configured


def test_only_roots_have_a_list_changed_notification() -> None:
    announced = [function_handler(method).responder.announce for method in ("roots/list", "elicitation/create")]

    assert announced == ["notifications/roots/list_changed", ""]


def test_request_without_params_has_an_empty_object() -> None:
    request = Exact('{"a":1}', {"a": 1})

    assert params_of(AskFunction("x", None)).value == {}
    assert params_of(AskFunction("x", request)) == request
