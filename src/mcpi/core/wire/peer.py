"""The client's end of a JSON-RPC connection, without IO: it numbers requests and matches responses."""

from collections import OrderedDict

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Params, Printable
from mcpi.core.jsontext.writing import dump, text
from mcpi.core.wire.jsonrpc import (
    Id,
    InvalidMessage,
    Message,
    Notification,
    Request,
    RpcResponse,
    parse,
    parse_simple,
)
from mcpi.core.wire.violations import Violation, quote

_MAX_FINISHED = 1000
MAX_UNANSWERED = 2000
"""Maximum number of requests without a response that a recording of the traffic remembers."""
_RESPONSES = frozenset({RpcResponse, InvalidMessage})


@frozen
class Received:
    """The content of one line, body or event."""

    messages: tuple[Message, ...]
    violations: tuple[Violation, ...]
    raw: bytes
    at: float = 0.0
    """The time of arrival, by the caller's clock."""

    @property
    def quoted(self) -> str:
        """The whole text, shortened."""
        return quote(self.raw.decode(errors="replace").strip())


class Peer:
    """A JSON-RPC endpoint that numbers its requests and matches responses to them."""

    def __init__(self) -> None:
        """Start without outstanding requests."""
        self._last = 0
        self.outstanding: dict[Id, str] = {}
        self.allows_batches = False
        """True if batches are allowed, as in MCP 2025-03-26 and in no other version."""
        self._finished: OrderedDict[Id, bool] = OrderedDict()
        """The requests that are no longer outstanding: True if a response arrived."""

    @property
    def next_id(self) -> int:
        """The id of the next request."""
        return self._last + 1

    def request(self, method: str, params: Params | None) -> tuple[int, bytes]:
        """Create a request and expect its response; return its id and its bytes."""
        data = encode_request(self.next_id, method, params)
        return self.expect(method), data

    def expect(self, method: str) -> int:
        """Expect the response to the next request; return its id."""
        self._last += 1
        self.outstanding[self._last] = method
        return self._last

    def abandon(self, number: Id) -> None:
        """Abandon a request; a late response is then ignored without a violation."""
        method = self.outstanding.pop(number, None)
        if method is not None:
            self._remember(number, answered=False)

    def receive(self, raw: bytes, at: float = 0.0, about: Id = None) -> Received:
        """Parse messages and match the responses; an error without an id belongs to the request `about`, if given."""
        simple = parse_simple(raw)
        if type(simple) is Notification or (type(simple) is RpcResponse and self._take_response(simple.id)):
            return Received((simple,), (), raw, at)
        messages, violations = parse(raw)
        if self.allows_batches and messages:
            violations = tuple(violation for violation in violations if violation.rule != "batch")
        if not _RESPONSES.intersection(map(type, messages)):
            return Received(messages, violations, raw, at)
        kept: list[Message] = []
        found = list(violations)
        for message in messages:
            match message:
                case RpcResponse() | InvalidMessage():
                    counted = self._correlate(message, found, about)
                    kept += [counted] if counted else []
                case Request() | Notification():
                    kept.append(message)
        return Received(tuple(kept), tuple(found), raw, at)

    def _take_response(self, number: Id) -> bool:
        """Note the response to a request; return False if no request with that number is outstanding."""
        if self.outstanding.pop(number, None) is None:
            return False
        self._remember(number, answered=True)
        return True

    def _correlate(
        self, message: RpcResponse | InvalidMessage, found: list[Violation], about: Id
    ) -> RpcResponse | InvalidMessage | None:
        number = self._outstanding_id(about if message.id is None else message.id, found, message.quoted)
        if number is None and message.id is None and len(self.outstanding) == 1:
            # "If there was an error in detecting the id, it MUST be null" (JSON-RPC 2.0, 5): use the only open request.
            number = next(iter(self.outstanding))
            found.append(Violation("null-id", "a response without an id", message.quoted))
        if number is not None:
            self._take_response(number)
            return message if type(message.id) is int else evolve(message, id=number)
        if message.id in self._finished:
            if self._finished[message.id]:
                found.append(Violation("repeated-id", f"request {message.id} was already answered", message.quoted))
        elif isinstance(message, RpcResponse):
            number_text = quote(repr(message.id))
            found.append(Violation("unknown-id", f"no request has the id {number_text}", message.quoted))
        return None

    def _outstanding_id(self, number: Id, found: list[Violation], quoted: str) -> Id:
        if number in self.outstanding and type(number) is int:
            return number
        for known in self.outstanding:
            if str(known) == str(number).removesuffix(".0"):
                found.append(Violation("id-type", f"id {known!r} was returned as {number!r}", quoted))
                return known
        return None

    def _remember(self, number: Id, *, answered: bool) -> None:
        self._finished[number] = answered
        if len(self._finished) > _MAX_FINISHED:
            self._finished.popitem(last=False)


def encode_request(number: int, method: str, params: Params | None) -> bytes:
    """Encode a request."""
    head = f'{{"jsonrpc":"2.0","id":{number},"method":{text(method)}'
    return (f"{head}}}" if params is None else f'{head},"params":{dump(params)}}}').encode()


def encode_notification(method: str, params: Params | None = None) -> bytes:
    """Encode a notification."""
    return encode({"jsonrpc": "2.0", "method": method}, params)


def encode_result(number: Printable, value: Printable) -> bytes:
    """Encode a result as the response to a server's request."""
    return dump({"jsonrpc": "2.0", "id": number, "result": value}).encode()


def encode_error(number: Printable, code: int, message: str) -> bytes:
    """Encode an error as the response to a server's request."""
    return dump({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}).encode()


def encode(message: dict[str, Printable], params: Params | None) -> bytes:
    """Encode one message; the member `params` is omitted if there are none."""
    if params is not None:
        message["params"] = params
    return dump(message).encode()
