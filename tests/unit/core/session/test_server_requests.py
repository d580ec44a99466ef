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


def count(said: str, asking: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept([said, asking.params, asking.previous_count])


def measure(_: str, __: ServerRequest) -> Steps[Reply]:
    problems = yield from check(5, {"type": "string"})
    return Refuse(-1, problems[0][1])


def ask(_: str, asking: ServerRequest) -> Steps[Reply]:
    return cast("Reply", (yield AskFunction(asking.method, asking.params)))


def give_up(_: str, __: ServerRequest) -> Steps[Reply]:
    return (yield from stop(InvalidResponse("INVALID_RESPONSE", "no")))


def reach_out(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from request("tools/list")
    return Accept({})


def fall(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from ()
    raise KeyError("shelf")


HANDLERS: Handlers = {
    one.method: Handler(one, "hi" if one.method != "sampling" else "")
    for one in (
        Responder("count", "count", str, lambda *_: {}, count, bool),
        Responder("measure", "measure", str, lambda *_: {}, measure, bool),
        Responder("consult", "consult", str, lambda *_: {}, ask, bool),
        Responder("give up", "give up", str, lambda *_: {}, give_up, bool),
        Responder("fall", "fall", str, lambda *_: {}, fall, bool),
        Responder("reach out", "reach out", str, lambda *_: {}, reach_out, bool),
        Responder("roots", "roots", str, lambda *_: {}, count, bool, capability="roots"),
        Responder("sampling", "sampling", str, lambda *_: {}, count, bool, capability="sampling"),
    )
}


def desk() -> ServerRequests:
    return ServerRequests(HANDLERS, {"roots": {}})


def said(effects: Effects[Reply | DeferredReply], *replies: object) -> Reply | DeferredReply:
    """Run the effects with these replies and return the outcome."""
    left = iter(replies)
    return drive(effects, lambda _: next(left))


def test_request_is_passed_to_its_handler() -> None:
    assert said(desk().reply("count", exact({"a": 1}))) == Accept(["hi", exact({"a": 1}), 0])


def test_requests_are_counted_per_method() -> None:
    one = desk()
    said(one.reply("count", None))
    said(one.reply("roots", None))

    assert said(one.reply("count", None)) == Accept(["hi", None, 1])


def test_request_without_handler_is_method_not_found() -> None:
    assert said(desk().reply("vendor/thing", None)) == UNKNOWN == Refuse(-32601, "Method not found")


def test_undeclared_request_is_method_not_found_despite_a_handler() -> None:
    assert said(desk().reply("sampling", None)) == UNKNOWN


@pytest.mark.parametrize(
    ("method", "is_open"), [("count", True), ("roots", True), ("sampling", False), ("vendor/thing", False)]
)
def test_only_declared_methods_are_reported_as_declared(method: str, is_open: bool) -> None:  # noqa: FBT001 - a case
    assert desk().is_declared(method) is is_open


@pytest.mark.parametrize(("method", "given"), [("count", True), ("sampling", False), ("vendor/thing", False)])
def test_only_configured_methods_are_reported_as_configured(method: str, given: bool) -> None:  # noqa: FBT001 - a case
    assert desk().is_configured(method) is given


def test_configured_methods_lists_all_configured_handlers() -> None:
    assert desk().configured_methods == {"count", "measure", "consult", "give up", "fall", "reach out", "roots"}


def test_handler_may_validate_against_a_schema() -> None:
    effects = desk().reply("measure", None)

    assert next(effects) == Validate(5, {"type": "string"})
    assert said(desk().reply("measure", None), (("", "5 is no string"),)) == Refuse(-1, "5 is no string")


def test_handler_may_call_a_function() -> None:
    effects = desk().reply("consult", exact({"a": 1}))

    assert next(effects) == AskFunction("consult", exact({"a": 1}))
    assert said(desk().reply("consult", None), Accept("mine")) == Accept("mine")


def test_function_may_defer_its_reply() -> None:
    deferred = said(desk().reply("consult", None), 7)

    assert isinstance(deferred, DeferredReply)
    assert deferred.number == 7


def test_stopped_handler_returns_an_internal_error() -> None:
    assert said(desk().reply("give up", None)) == Refuse(-32603, "internal error: no response was created")


def test_handler_exception_is_named_in_the_error_response() -> None:
    assert said(desk().reply("fall", None)) == Refuse(-32603, "KeyError: 'shelf'")


def test_handler_sending_a_request_raises_assertion_error() -> None:
    with pytest.raises(AssertionError, match="tools/list"):
        said(desk().reply("reach out", None))
