"""Our end of a JSON-RPC conversation: it numbers, correlates and answers, and does no IO."""

from collections import OrderedDict

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Params, Printable
from mcpi.core.jsontext.writing import dump
from mcpi.core.wire.jsonrpc import Answer, Id, InvalidMessage, Message, Notification, Request, parse, violation_of
from mcpi.core.wire.violations import Violation, quote

_REMEMBERED = 1000
_ANSWERS = frozenset({Answer, InvalidMessage})


@frozen
class Received:
    """What one line, body or event held."""

    messages: tuple[Message, ...]
    violations: tuple[Violation, ...]
    raw: bytes
    at: float = 0.0
    """When, by the clock of whoever has one."""


class Peer:
    """Numbers our requests and says which of them an answer belongs to."""

    def __init__(self) -> None:
        """Nothing is outstanding."""
        self._last = 0
        self.outstanding: dict[Id, str] = {}
        self.batches = False
        """Whether several messages may come as one, as MCP 2025-03-26 says and no other version."""
        self._done: OrderedDict[Id, bool] = OrderedDict()
        """Whether an answer came to what is no longer outstanding."""

    @property
    def upcoming(self) -> int:
        """The number that the next request will have."""
        return self._last + 1

    def request(self, method: str, params: Params | None) -> tuple[int, bytes]:
        """A new request's id and bytes; an answer to it is expected from now on."""
        self._last += 1
        self.outstanding[self._last] = method
        return self._last, encode({"jsonrpc": "2.0", "id": self._last, "method": method}, params)

    def give_up(self, number: Id) -> None:
        """An answer that comes after all is neither wanted nor wrong."""
        method = self.outstanding.pop(number, None)
        if method is not None:
            self._remember(number, answered=False)

    def receive(self, raw: bytes, at: float = 0.0, about: Id = None) -> Received:
        """The messages that count, and what is wrong with the rest; an error without an id may be about a request."""
        simple = violation_of(raw)
        if simple is not None:
            return Received((simple,), (), raw, at)
        messages, violations = parse(raw)
        if self.batches and messages:
            violations = tuple(violation for violation in violations if violation.rule != "batch")
        if not _ANSWERS.intersection(map(type, messages)):
            return Received(messages, violations, raw, at)
        kept: list[Message] = []
        found = list(violations)
        for message in messages:
            match message:
                case Answer() | InvalidMessage():
                    counted = self._correlate(message, found, about)
                    kept += [counted] if counted else []
                case Request() | Notification():
                    kept.append(message)
        return Received(tuple(kept), tuple(found), raw, at)

    def _correlate(
        self, message: Answer | InvalidMessage, found: list[Violation], about: Id
    ) -> Answer | InvalidMessage | None:
        number = self._known(about if message.id is None else message.id, found, message.text)
        if number is None and message.id is None and len(self.outstanding) == 1:
            # "If there was an error in detecting the id, it MUST be null" (JSON-RPC 2.0, 5): it means our only request.
            number = next(iter(self.outstanding))
            found.append(Violation("null-id", "an answer without an id", quote(message.text)))
        if number is not None:
            del self.outstanding[number]
            self._remember(number, answered=True)
            return message if type(message.id) is int else evolve(message, id=number)
        if message.id in self._done:
            if self._done[message.id]:
                found.append(Violation("repeated-id", f"request {message.id} was answered before", quote(message.text)))
        elif isinstance(message, Answer):
            said = quote(repr(message.id))
            found.append(Violation("unknown-id", f"no request has the id {said}", quote(message.text)))
        return None

    def _known(self, number: Id, found: list[Violation], text: str) -> Id:
        if number in self.outstanding and type(number) is int:
            return number
        for known in self.outstanding:
            if str(known) == str(number).removesuffix(".0"):
                found.append(Violation("id-type", f"id {known!r} came back as {number!r}", quote(text)))
                return known
        return None

    def _remember(self, number: Id, *, answered: bool) -> None:
        self._done[number] = answered
        if len(self._done) > _REMEMBERED:
            self._done.popitem(last=False)


def notification(method: str, params: Params | None = None) -> bytes:
    """The bytes of a notification."""
    return encode({"jsonrpc": "2.0", "method": method}, params)


def result(number: Printable, value: Printable) -> bytes:
    """The bytes of our answer to a server's request."""
    return dump({"jsonrpc": "2.0", "id": number, "result": value}).encode()


def refusal(number: Printable, code: int, message: str) -> bytes:
    """The bytes of our error to a server's request."""
    return dump({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}).encode()


def encode(message: dict[str, Printable], params: Params | None) -> bytes:
    """One message as bytes; a server that gets no params gets none."""
    if params is not None:
        message["params"] = params
    return dump(message).encode()
