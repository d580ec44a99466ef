"""Responders: replies to the requests that a server sends to its client."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.plans.steps import Steps
from mcpi.core.version import __version__
from mcpi.core.wire.server_info import ClientInfo
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS, has_elicitation, has_elicitation_modes

A = TypeVar("A")


@frozen
class Accept:
    """A result to send to the server."""

    result: Printable
    warning: str = ""
    """A warning for the user, as a sentence."""


@frozen
class Refuse:
    """A JSON-RPC error to send to the server; in the modern era the original request is not retried."""

    code: int
    message: str


Reply: TypeAlias = Accept | Refuse


@frozen
class ServerRequest:
    """One request from the server, and the number of earlier requests with the same method."""

    method: str
    params: Exact | None
    previous_count: int


@frozen
class Responder(Generic[A]):
    """A responder for one server method, configured by its flags."""

    method: str
    event: str
    args: type[A]
    declare: Callable[[A, str], JsonObject]
    """Client capabilities to declare, given the flags and the protocol version."""
    answer: Callable[[A, ServerRequest], Steps[Reply]]
    is_configured: Callable[[A], bool]
    """True if the user specified a reply; otherwise a request causes a warning."""
    capability: str = ""
    """Client capability that must be declared; otherwise requests are rejected."""
    announce: str = ""
    """Notification to send after a handshake, if the user specified a reply."""


@frozen
class Handler:
    """A responder with its flags."""

    responder: Responder[Any]
    args: Any

    def answer(self, asking: ServerRequest) -> Steps[Reply]:
        """Return the steps that produce the reply."""
        return self.responder.answer(self.args, asking)

    @property
    def is_configured(self) -> bool:
        """Tell whether the user specified a reply."""
        return self.responder.is_configured(self.args)


Handlers: TypeAlias = Mapping[str, Handler]


FLAGS: Mapping[str, str] = {
    "sampling/createMessage": "--handle-sampling",
    "elicitation/create": "--handle-elicitation",
    "roots/list": "--roots",
}
"""Flag that specifies the reply, by method."""


def handler_hints(methods: Iterable[str]) -> tuple[str, ...]:
    """Suggest the flags that specify replies to these methods."""
    return tuple(f"respond with {FLAGS[method]}" for method in methods if method in FLAGS)


def declared_capabilities(handlers: Handlers, version: str) -> JsonObject:
    """Merge the client capabilities of all responders."""
    capabilities: JsonObject = {}
    for handler in handlers.values():
        capabilities.update(handler.responder.declare(handler.args, version))
    return capabilities


def client_capability(name: str, version: str) -> JsonObject:
    """Return the client capability as spelled in that protocol version; empty if the version does not have it."""
    match name:
        case "elicitation" if not has_elicitation(version):
            return {}
        case "elicitation" if has_elicitation_modes(version):
            return {name: {"form": {}, "url": {}}}
        case "roots" if version not in MODERN_VERSIONS:
            return {name: {"listChanged": True}}
        case _:
            return {name: {}}


def client_info_of(handlers: Handlers, era: str, version: str | None) -> ClientInfo:
    """Build the client info; it has separate capabilities for the modern era if those differ."""
    own = declared_capabilities(handlers, version or (MODERN_VERSIONS if era == "modern" else HANDSHAKE_VERSIONS)[0])
    modern = declared_capabilities(handlers, MODERN_VERSIONS[0])
    return ClientInfo(own, version=__version__, modern=None if modern == own else modern)


UNKNOWN = Refuse(-32601, "Method not found")


def as_json(reply: Reply) -> Printable:
    """Return the reply as shown in the envelope and the event stream."""
    match reply:
        case Accept():
            return reply.result
        case Refuse():
            return {"error": {"code": reply.code, "message": reply.message}}
