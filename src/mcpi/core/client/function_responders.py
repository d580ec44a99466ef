"""Functions of the user's as answers to what a server asks."""

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
"""What a client declares when it answers."""


def consulting(method: str) -> Handler:
    """A handler that asks the user's function."""
    capability = CAPABILITIES.get(method, "")
    responder = Responder(
        method,
        capability or "request",
        RawParams,
        lambda _, version: responders.capability(capability, version) if capability else {},
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
    """The parameters of a question; an empty object where there are none."""
    return consult.params if consult.params is not None else Exact("{}", {})
