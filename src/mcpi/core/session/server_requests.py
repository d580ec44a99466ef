"""Reply to the requests that the server sends."""

from collections.abc import Container
from typing import TYPE_CHECKING, cast

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Fault, OperationFailed, RpcError
from mcpi.core.plans.events import ServerRequestReceived, TransportNote, ViolationSeen
from mcpi.core.plans.responders import FLAGS, UNKNOWN, Accept, Handlers, Refuse, Reply, ServerRequest, as_json
from mcpi.core.plans.steps import AskFunction, Steps, Validate
from mcpi.core.session.effects import Effects, SendMessage
from mcpi.core.session.terms import message_headers
from mcpi.core.wire.jsonrpc import Request
from mcpi.core.wire.peer import encode_error, encode_result
from mcpi.core.wire.violations import Violation

if TYPE_CHECKING:
    from mcpi.core.session.session import Session

_NAMES = {"elicitation/create": "elicit", "sampling/createMessage": "sampling"}
"""A word in the error messages of servers that fail to send a request, by its method."""
_UNSENT = ("back-channel", "server-initiated")
"""Words in the error messages of the SDKs whose servers cannot send requests."""


@frozen
class DeferredReply:
    """A request that a user function answers later, by its number, and the steps that need the answer."""

    number: int
    steps: Steps[Reply]


class ServerRequests:
    """The handlers, and the number of requests received per method."""

    def __init__(self, handlers: Handlers, declared: Container[str]) -> None:
        """Start without any requests; handlers whose capability is not in `declared` are not used."""
        self.handlers = handlers
        self.declared = declared
        self._counts: dict[str, int] = {}

    @property
    def configured_methods(self) -> frozenset[str]:
        """The methods that the user specified a reply for."""
        return frozenset(method for method in self.handlers if self.is_configured(method))

    def is_configured(self, method: str) -> bool:
        """Tell whether the user specified a reply to the method."""
        handler = self.handlers.get(method)
        return handler is not None and handler.is_configured

    def was_requested(self, method: str) -> bool:
        """Tell whether the server has sent such a request."""
        return method in self._counts

    def is_declared(self, method: str) -> bool:
        """Tell whether the client declared the capability for the method."""
        handler = self.handlers.get(method)
        if handler is None:
            return False
        needs = handler.responder.capability
        return not needs or needs in self.declared

    def reply(self, method: str, params: Exact | None) -> Effects[Reply | DeferredReply]:
        """Return the handler's reply to one request, unless a user function answers later."""
        before = self._counts.get(method, 0)
        self._counts[method] = before + 1
        handler = self.handlers.get(method)
        if handler is None or not self.is_declared(method):
            return UNKNOWN
        return (yield from perform(handler.answer(ServerRequest(method, params, before))))


def answer_request(session: "Session", message: Request, at: float) -> Effects[None]:
    """Reply to the server's request, or record a violation if its era does not allow requests."""
    if session.modern:
        # MCP 2026-07-28, transports: "the server MUST NOT write JSON-RPC requests", "the client MUST NOT respond".
        problem = f"a modern server sent the request {message.method}"
        session.record_event(ViolationSeen(Violation("server-request", problem, message.quoted), at))
        return
    reply = yield from session.server_requests.reply(message.method, message.params)
    if isinstance(reply, DeferredReply):
        session.questions.add(reply, at, message)
        return
    # The time that a person or a model takes to reply does not count towards the timeouts of mcpi's requests.
    session.exclude((yield from send_reply(session, message, reply, at)) - at)


def send_reply(session: "Session", message: Request, reply: Reply, asked: float) -> Effects[float]:
    """Record the reply and send it to the server; return the time."""
    record_reply(session, message.method, message.params, reply, asked)
    match reply:
        case Accept():
            data = encode_result(message.id, reply.result)
        case Refuse():
            data = encode_error(message.id, reply.code, reply.message)
    headers = message_headers(session.terms, session.server, "", None)
    replied: float = yield SendMessage(data, "response", message.method, headers=headers)
    return replied


def record_reply(session: "Session", method: str, params: Exact | None, reply: Reply, at: float) -> None:
    """Record the server's request and the reply."""
    if method != "ping":
        handled = session.server_requests.is_configured(method)
        session.record_event(ServerRequestReceived(method, params, as_json(reply), at, handled))
    if isinstance(reply, Accept) and reply.warning:
        session.record_event(TransportNote("warning", {"reason": reply.warning}, at))


def era_hints(session: "Session", fault: Fault) -> tuple[str, ...]:
    """Suggest the other era if the server failed because it cannot send a request in the auto-detected modern era."""
    match fault:
        case RpcError(message=message):
            text = message.lower()
        case OperationFailed(code="TOOL_ERROR", evidence=texts):
            text = " ".join(texts).lower()
        case _:
            return ()
    terms, requests = session.terms, session.server_requests
    if not session.modern or terms.era != "auto" or terms.version is not None:
        return ()
    unsent = any(words in text for words in _UNSENT)
    named = [method for method, word in _NAMES.items() if word in text and not requests.was_requested(method)]
    for method in named:
        flag, other = FLAGS[method], "this server sends such requests only in the handshake era; add --era handshake"
        if requests.is_configured(method):
            return (f"{flag} was not used: {other}",)
        if unsent:
            return (f"{other} and {flag}",)
    return ()


def perform(steps: Steps[Reply], answer: object = None) -> Effects[Reply | DeferredReply]:
    """Run a responder's steps; only validation and function calls are allowed."""
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as done:
            return cast("Reply", done.value)
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything, and the server waits for a response
            return Refuse(-32603, f"{type(error).__name__}: {error}")
        match step:
            case Validate() | AskFunction():
                answer = yield step
                if isinstance(answer, int):
                    return DeferredReply(answer, steps)
            case _:
                return Refuse(-32603, f"internal error: a responder cannot perform {type(step).__name__}")
