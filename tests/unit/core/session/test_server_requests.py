"""Requests from the server are answered by handlers."""

from typing import cast

import pytest

from mcpi.core.outcome.faults import InvalidResponse
from mcpi.core.plans.responders import UNKNOWN, Accept, Handler, Handlers, Refuse, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import AskFunction, Steps, Validate, check, request, stop
from mcpi.core.session.effects import Effects
from mcpi.core.session.server_requests import DeferredReply, ServerRequests
from support.drive import drive
from support.replay import exact


def count(outcome: str, asking: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept([outcome, asking.params, asking.previous_count])


def validate(_: str, __: ServerRequest) -> Steps[Reply]:
    problems = yield from check(5, {"type": "string"})
    return Refuse(-1, problems[0][1])


def call_function(_: str, asking: ServerRequest) -> Steps[Reply]:
    return cast("Reply", (yield AskFunction(asking.method, asking.params)))


def stop_plan(_: str, __: ServerRequest) -> Steps[Reply]:
    return (yield from stop(InvalidResponse("INVALID_RESPONSE", "no")))


def send_request(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from request("tools/list")
    return Accept({})


def raise_error(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from ()
    raise KeyError("shelf")


HANDLERS: Handlers = {
    one.method: Handler(one, "hi" if one.method != "sampling" else "")
    for one in (
        Responder("count", "count", str, lambda *_: {}, count, bool),
        Responder("measure", "measure", str, lambda *_: {}, validate, bool),
        Responder("consult", "consult", str, lambda *_: {}, call_function, bool),
        Responder("give up", "give up", str, lambda *_: {}, stop_plan, bool),
        Responder("fall", "fall", str, lambda *_: {}, raise_error, bool),
        Responder("reach out", "reach out", str, lambda *_: {}, send_request, bool),
        Responder("roots", "roots", str, lambda *_: {}, count, bool, capability="roots"),
        Responder("sampling", "sampling", str, lambda *_: {}, count, bool, capability="sampling"),
    )
}


def server_requests() -> ServerRequests:
    return ServerRequests(HANDLERS, {"roots": {}})


def outcome(effects: Effects[Reply | DeferredReply], *replies: object) -> Reply | DeferredReply:
    """Run the effects with these replies and return the outcome."""
    left = iter(replies)
    return drive(effects, lambda _: next(left))


def test_request_is_passed_to_its_handler() -> None:
    assert outcome(server_requests().reply("count", exact({"a": 1}))) == Accept(["hi", exact({"a": 1}), 0])


def test_requests_are_counted_per_method() -> None:
    one = server_requests()
    outcome(one.reply("count", None))
    outcome(one.reply("roots", None))

    assert outcome(one.reply("count", None)) == Accept(["hi", None, 1])


def test_request_without_handler_is_method_not_found() -> None:
    assert outcome(server_requests().reply("vendor/thing", None)) == UNKNOWN == Refuse(-32601, "Method not found")


def test_undeclared_request_is_method_not_found_despite_a_handler() -> None:
    assert outcome(server_requests().reply("sampling", None)) == UNKNOWN


@pytest.mark.parametrize(
    ("method", "is_open"), [("count", True), ("roots", True), ("sampling", False), ("vendor/thing", False)]
)
def test_only_declared_methods_are_reported_as_declared(method: str, is_open: bool) -> None:  # noqa: FBT001 - a case
    assert server_requests().is_declared(method) is is_open


@pytest.mark.parametrize(("method", "given"), [("count", True), ("sampling", False), ("vendor/thing", False)])
def test_only_configured_methods_are_reported_as_configured(method: str, given: bool) -> None:  # noqa: FBT001 - a case
    assert server_requests().is_configured(method) is given


def test_configured_methods_lists_all_configured_handlers() -> None:
    assert server_requests().configured_methods == {
        "count",
        "measure",
        "consult",
        "give up",
        "fall",
        "reach out",
        "roots",
    }


def test_handler_may_validate_against_a_schema() -> None:
    effects = server_requests().reply("measure", None)

    assert next(effects) == Validate(5, {"type": "string"})
    assert outcome(server_requests().reply("measure", None), (("", "5 is no string"),)) == Refuse(-1, "5 is no string")


def test_handler_may_call_a_function() -> None:
    effects = server_requests().reply("consult", exact({"a": 1}))

    assert next(effects) == AskFunction("consult", exact({"a": 1}))
    assert outcome(server_requests().reply("consult", None), Accept("mine")) == Accept("mine")


def test_function_may_defer_its_reply() -> None:
    deferred = outcome(server_requests().reply("consult", None), 7)

    assert isinstance(deferred, DeferredReply)
    assert deferred.number == 7


def test_stopped_handler_returns_an_internal_error() -> None:
    assert outcome(server_requests().reply("give up", None)) == Refuse(
        -32603, "internal error: a responder cannot perform Stop"
    )


def test_handler_exception_is_named_in_the_error_response() -> None:
    assert outcome(server_requests().reply("fall", None)) == Refuse(-32603, "KeyError: 'shelf'")


def test_handler_sending_a_request_is_answered_with_an_error() -> None:
    refused = Refuse(-32603, "internal error: a responder cannot perform Call")

    assert outcome(server_requests().reply("reach out", None)) == refused
