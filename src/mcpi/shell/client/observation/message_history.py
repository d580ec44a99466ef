"""The last messages and stderr lines of a connection."""

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, cast

from attrs import define

from mcpi.core.client.entries import MessageEntry, StderrEntry
from mcpi.core.jsontext.exact import Exact, parse_json_text
from mcpi.core.jsontext.values import as_object
from mcpi.core.session.bounded_queue import BoundedQueue
from mcpi.core.session.effects import SendMessage
from mcpi.core.text.timestamps import iso, milliseconds
from mcpi.core.wire.jsonrpc import Id, InvalidMessage, Notification, Request, RpcResponse
from mcpi.core.wire.peer import MAX_UNANSWERED, Received

if TYPE_CHECKING:
    from mcpi.core.auth.metadata import Attempt
    from mcpi.core.record.http_message import HttpMessage
    from mcpi.shell.connection.protocol_schema import SchemaChecker


@define
class RecordedMessage:
    """A sent or received message; its entry is built on demand."""

    direction: Literal["sent", "received"]
    raw: bytes
    at: float
    kind: Literal["request", "response", "notification", "batch", "invalid"]
    id: Id = None
    method: str | None = None
    duration: float | None = None
    headers: dict[str, str] | None = None
    violations: tuple[object, ...] = ()

    def exact(self) -> Exact | None:
        """Parse the message, with its spelling; None if it is not JSON."""
        found = parse_json_text(self.raw.decode(errors="replace"))
        return found if isinstance(found, Exact) else None

    def entry(self, epoch: float) -> MessageEntry:
        """Build the entry; the clock was zero at `epoch`."""
        found = self.exact()
        about = {
            "time": iso(epoch + self.at),
            "direction": self.direction,
            "kind": self.kind,
            "id": self.id,
            "method": self.method,
            "message": self.raw.decode(errors="replace") if found is None else found.value,
            "durationMs": None if self.duration is None else milliseconds(self.duration),
            "headers": self.headers,
            "violations": [*self.violations] or None,
        }
        return MessageEntry.of({name: value for name, value in about.items() if value is not None})


class MessageHistory:
    """The last messages and stderr lines, recorded from the traffic."""

    def __init__(self, epoch: float, messages: int, lines: int, checker: "SchemaChecker | None" = None) -> None:
        """Start empty; the checker, if given, validates all messages."""
        self.messages: BoundedQueue[RecordedMessage] = BoundedQueue(messages, lambda one: len(one.raw))
        self.lines: BoundedQueue[StderrEntry] = BoundedQueue(lines, lambda one: len(one.text))
        self.on_message: Callable[[RecordedMessage], None] = lambda _: None
        self.on_stderr: Callable[[StderrEntry], None] = lambda _: None
        self.epoch: float = epoch
        self._checker = checker
        self._asked: OrderedDict[Id, tuple[float, str]] = OrderedDict()

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """Record a message that was sent."""
        if outgoing.kind == "request":
            self._asked[outgoing.request_id] = (at, outgoing.method)
            if len(self._asked) > MAX_UNANSWERED:
                self._asked.popitem(last=False)
        headers = dict(outgoing.headers) or None
        self._keep(
            RecordedMessage(
                "sent", outgoing.data, at, outgoing.kind, outgoing.request_id, outgoing.method, headers=headers
            )
        )
        if self._checker is not None:
            self._checker.sent(outgoing, at)

    def received(self, received: Received, at: float) -> None:
        """Record a message that was received."""
        entry = RecordedMessage("received", received.raw, at, "invalid" if not received.messages else "batch")
        if received.violations:
            entry.violations = tuple(violation.as_json() for violation in received.violations)
        if len(received.messages) == 1:
            match received.messages[0]:
                case Notification() as message:
                    entry.kind, entry.method = "notification", message.method
                case Request() as message:
                    entry.kind, entry.method = "request", message.method
                    entry.id = cast("Id", message.id.value)
                case RpcResponse() | InvalidMessage() as message:
                    entry.kind, entry.id = "response", message.id
                    entry.duration, entry.method = self._duration(message.id, at)
        elif not received.messages and not received.violations:
            # The response to a request that was given up.
            entry.kind, found = "response", entry.exact()
            number = None if found is None else as_object(found.value).get("id")
            entry.id = number if isinstance(number, int | str) else None
            entry.duration, entry.method = self._duration(entry.id, at)
        self._keep(entry)
        if self._checker is not None:
            self._checker.received(received, at)

    def _duration(self, number: Id, at: float) -> tuple[float | None, str | None]:
        """Return the time since the request with that id, and its method."""
        asked = self._asked.pop(number, None)
        return (None, None) if asked is None else (at - asked[0], asked[1])

    def _keep(self, entry: RecordedMessage) -> None:
        self.messages.append(entry)
        self.on_message(entry)

    def stderr(self, line: str, at: float) -> None:
        """Record a line that the server wrote to stderr."""
        entry = StderrEntry(time=iso(self.epoch + at), text=line)
        self.lines.append(entry)
        self.on_stderr(entry)

    def http(self, message: "HttpMessage", at: float) -> None:
        """Ignore HTTP requests and responses; their messages are recorded."""

    def attempted(self, attempt: "Attempt") -> None:
        """Ignore requests to an authorization server."""

    def info(self, text: str, at: float) -> None:
        """Ignore information about the transport."""

    def forget_requests(self) -> None:
        """Forget the open requests of a connection that has ended."""
        self._asked.clear()
