"""Answers to what a server asks of its client."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.plans.steps import Steps
from mcpi.core.version import __version__
from mcpi.core.wire.server_info import ClientInfo
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS

A = TypeVar("A")


@frozen
class Accept:
    """A result for the server."""

    result: Printable


@frozen
class Refuse:
    """A JSON-RPC error for the server; in the modern era the request is not tried again."""

    code: int
    message: str


Reply: TypeAlias = Accept | Refuse


@frozen
class ServerRequest:
    """One request of the server, and how many of its kind came before it."""

    method: str
    params: Exact | None
    before: int


@frozen
class Responder(Generic[A]):
    """How one method of the server's is answered, as its flags say."""

    method: str
    event: str
    args: type[A]
    declare: Callable[[A, str], JsonObject]
    """The client capabilities to declare, given the flags and the protocol version."""
    answer: Callable[[A, ServerRequest], Steps[Reply]]
    given: Callable[[A], bool]
    """Whether the user said how to answer; if not, the request is worth a warning."""
    capability: str = ""
    """The client capability without which it answers nothing."""
    announce: str = ""
    """The notification to send once connected in the handshake era, if the user said how to answer."""


@frozen
class Handler:
    """A responder with its flags."""

    responder: Responder[Any]
    args: Any

    def answer(self, asking: ServerRequest) -> Steps[Reply]:
        """The steps that lead to the reply."""
        return self.responder.answer(self.args, asking)

    @property
    def given(self) -> bool:
        """Whether the user said how to answer."""
        return self.responder.given(self.args)


Handlers: TypeAlias = Mapping[str, Handler]


FLAGS: Mapping[str, str] = {
    "sampling/createMessage": "--handle-sampling",
    "elicitation/create": "--handle-elicitation",
    "roots/list": "--roots",
}
"""How the user says what to answer."""


def advice(methods: Iterable[str]) -> tuple[str, ...]:
    """What to do when nobody was told how to answer these."""
    return tuple(f"give the answer with {FLAGS[method]}" for method in methods if method in FLAGS)


def declared(handlers: Handlers, version: str) -> JsonObject:
    """All that the responders let us declare."""
    capabilities: JsonObject = {}
    for handler in handlers.values():
        capabilities.update(handler.responder.declare(handler.args, version))
    return capabilities


def capability(name: str, version: str) -> JsonObject:
    """The client capability as that version of the protocol spells it; nothing where it has none such."""
    match name:
        case "elicitation" if version < "2025-06-18":
            return {}
        case "elicitation" if version >= "2025-11-25":
            return {name: {"form": {}, "url": {}}}
        case "roots" if version not in MODERN_VERSIONS:
            return {name: {"listChanged": True}}
        case _:
            return {name: {}}


def client(handlers: Handlers, era: str, version: str | None) -> ClientInfo:
    """What we declare of ourselves; while the era is still to be found out, for both."""
    own = declared(handlers, version or (MODERN_VERSIONS if era == "modern" else HANDSHAKE_VERSIONS)[0])
    modern = declared(handlers, MODERN_VERSIONS[0])
    return ClientInfo(own, version=__version__, modern=None if modern == own else modern)


UNKNOWN = Refuse(-32601, "Method not found")


def as_json(reply: Reply) -> Printable:
    """The reply as the envelope and the stream show it."""
    match reply:
        case Accept():
            return reply.result
        case Refuse():
            return {"error": {"code": reply.code, "message": reply.message}}
