"""Functions of the user's as answers to what a server asks."""

from mcpi.core.jsontext.exact import Exact
from mcpi.core.plans import responders
from mcpi.core.plans.method import Bare
from mcpi.core.plans.responders import Asking, Handler, Reply, Responder
from mcpi.core.plans.steps import Consult, Steps

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
        Bare,
        lambda _, version: responders.capability(capability, version) if capability else {},
        _answer,
        lambda _: True,
        capability=capability,
        announce="notifications/roots/list_changed" if capability == "roots" else "",
    )
    return Handler(responder, Bare())


def _answer(_: Bare, asking: Asking) -> Steps[Reply]:
    reply: Reply = yield Consult(asking.method, asking.params)
    return reply


def params_of(consult: Consult) -> Exact:
    """The parameters of a question; an empty object where there are none."""
    return consult.params if consult.params is not None else Exact("{}", {})
