"""Responders that call the user's functions."""

from mcpi.core.jsontext.exact import Exact
from mcpi.core.plans import responders
from mcpi.core.plans.method import RawParams
from mcpi.core.plans.responders import Handler, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import AskFunction, Steps

CAPABILITIES = {
    "sampling/createMessage": "sampling",
    "elicitation/create": "elicitation",
    "roots/list": "roots",
}
"""Client capability to declare for each method that a function answers."""


def function_handler(method: str) -> Handler:
    """Build a handler that calls the user's function."""
    capability = CAPABILITIES.get(method, "")
    responder = Responder(
        method,
        capability or "request",
        RawParams,
        lambda _, version: responders.client_capability(capability, version) if capability else {},
        _answer,
        lambda _: True,
        capability=capability,
        announce="notifications/roots/list_changed" if capability == "roots" else "",
    )
    return Handler(responder, RawParams())


def _answer(_: RawParams, asking: ServerRequest) -> Steps[Reply]:
    reply: Reply = yield AskFunction(asking.method, asking.params)
    return reply


def params_of(consult: AskFunction) -> Exact:
    """Return the parameters of the request, or an empty object."""
    return consult.params if consult.params is not None else Exact("{}", {})
