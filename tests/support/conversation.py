"""An in-memory shell: the test server follows a script, and the clock advances only during waits."""

import json
from collections import deque
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar, cast

from attrs import frozen

from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import Event
from mcpi.core.plans.responders import Accept, Handlers
from mcpi.core.plans.steps import AskFunction, Emit, Validate
from mcpi.core.session.effects import (
    Authorize,
    AwaitMessage,
    CloseTransport,
    CollectMessages,
    ConnectionLost,
    Effect,
    Effects,
    FlushDebugger,
    Inbound,
    Now,
    OpenServerStream,
    OpenTransport,
    RequestFailed,
    SendMessage,
    TimerExpired,
    TransportEvent,
)
from mcpi.core.session.session import Session
from mcpi.core.session.terms import Terms
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.lines import LineSplitter
from mcpi.core.wire.server_info import ClientInfo, NegotiatedServer
from support.drive import drive

T = TypeVar("T")

CLIENT = ClientInfo({"sampling": {}}, "mcpi", "1.0")
_LIMIT = 1 << 20


@frozen
class Expect:
    """Wait until this method is received."""

    method: str


@frozen
class Write:
    """Write bytes to standard output, at most this many at a time."""

    data: bytes
    at_a_time: int = _LIMIT


@frozen
class Pause:
    """Send nothing for some seconds."""

    seconds: float


@frozen
class Close:
    """Close the connection."""

    fault: Fault


@frozen
class FailRequest:
    """Fail a request without a response, for example with an HTTP status."""

    number: Id
    fault: Fault


@frozen
class ReportEvent:
    """Report an event of the transport."""

    event: str
    facts: Printable


@frozen
class FailToOpen:
    """Fail to open the connection this time."""

    fault: Fault


ServerAction: TypeAlias = Expect | Write | Pause | Close | FailRequest | ReportEvent | FailToOpen


class Conversation:
    """A session, the test server, and the messages between them."""

    def __init__(self, session: Session, events: list[Event], actions: tuple[ServerAction, ...]) -> None:
        """Start without messages, at second 0."""
        self.session = session
        self.events = events
        self.clock = 0.0
        self.sent: list[SendMessage] = []
        self.log: list[tuple[float, str]] = []
        self.emitted: list[str] = []
        self.verbatim: list[str] = []
        """The part that may contain secrets."""
        self.validated: list[tuple[Json, Json]] = []
        self.problems: tuple[tuple[str, str], ...] = ()
        self.authorized: list[Authorize] = []
        self.authorizations: deque[Result[None]] = deque()
        self.authorization_delay = 0.0
        self.answer_delay = 0.0
        """Seconds until the user answers."""
        self._actions = deque(actions)
        self._unread: deque[tuple[float, str]] = deque()
        self._inbox: deque[Inbound] = deque()
        self._lines = LineSplitter(_LIMIT)
        self._time = 0.0

    @property
    def messages(self) -> list[Any]:
        """The client messages as JSON."""
        return [json.loads(one.data) for one in self.sent]

    def run(self, effects: Effects[T]) -> T:
        """Run the effects and return their result; the server script must be finished by then."""
        result = drive(effects, self._perform)
        assert not self._actions, f"the client ended before the server {self._actions[0]}"
        return result

    def _perform(self, effect: Effect) -> object:
        match effect:
            case AwaitMessage(until):
                return self._await(until)
            case CollectMessages(until):
                return self._collect(until)
            case SendMessage():
                return self._send(effect)
            case Now():
                return self.clock
            case OpenTransport():
                return self._open()
            case Validate(value, schema):
                self.validated.append((value, schema))
                return self.problems
            case Authorize():
                return self._authorize(effect)
            case _:
                return self._perform_other(effect)

    def _perform_other(self, effect: Effect) -> object:
        match effect:
            case AskFunction():
                self.clock += self.answer_delay
                return Accept({})
            case _:
                self._perform_without_reply(effect)
                return None

    def _authorize(self, effect: Authorize) -> Result[None]:
        self.authorized.append(effect)
        self.log.append((self.clock, "authorize"))
        self.clock += self.authorization_delay
        return self.authorizations.popleft()

    def _perform_without_reply(self, effect: Effect) -> None:
        match effect:
            case CloseTransport():
                self.log.append((self.clock, "close"))
                self._unread.clear()
            case OpenServerStream():
                self.log.append((self.clock, "listen"))
            case FlushDebugger():
                self.log.append((self.clock, "flush"))
            case Emit(text, verbatim):
                self.emitted.append(text)
                self.verbatim += [text] if verbatim else []
            case _:
                raise AssertionError(f"the test's shell cannot do {effect}")

    def _send(self, effect: SendMessage) -> float:
        self.sent.append(effect)
        self.log.append((self.clock, effect.method))
        self._unread.append((self.clock, effect.method))
        return self.clock

    def _open(self) -> Result[float]:
        self._lines = LineSplitter(_LIMIT)
        if self._actions and isinstance(self._actions[0], FailToOpen):
            self.log.append((self.clock, "open failed"))
            return Failure(cast("FailToOpen", self._actions.popleft()).fault)
        self.log.append((self.clock, "open"))
        return Success(self.clock)

    def _await(self, until: float | None) -> Inbound:
        while not self._inbox:
            if not self._ready() or (until is not None and self._time > max(until, self.clock)):
                assert until is not None, "the client waits for ever"
                self.clock = max(self.clock, until)
                return TimerExpired(self.clock)
            self.clock = max(self.clock, self._time)
            self._take_action(self._actions.popleft())
        return self._inbox.popleft()

    def _collect(self, until: float | None) -> list[Inbound]:
        found: list[Inbound] = []
        while not isinstance(inbound := self._await(0.0 if found else until), TimerExpired):
            found.append(inbound)
        return found

    def _ready(self) -> bool:
        """True if the server has an action to perform, once its pauses and waits are over."""
        while self._actions:
            match self._actions[0]:
                case Pause(seconds):
                    self._time += seconds
                case Expect(method):
                    times = [at for at, received in self._unread if received == method]
                    if not times:
                        return False
                    while self._unread and self._unread.popleft()[1] != method:
                        pass
                    self._time = max(self._time, times[0])
                case FailToOpen():
                    return False
                case _:
                    return True
            self._actions.popleft()
        return False

    def _take_action(self, action: ServerAction) -> None:
        match action:
            case Write(data, size):
                for start in range(0, len(data), size):
                    for line in self._lines.feed(data[start : start + size]):
                        self._receive(line)
                assert not self._lines.too_long, "the test's server says more than the test's shell takes"
            case Close(fault):
                self._inbox.append(ConnectionLost(fault, self.clock))
            case FailRequest(number, fault):
                self._inbox.append(RequestFailed(number, fault, self.clock))
            case ReportEvent(event, facts):
                self._inbox.append(TransportEvent(event, facts, self.clock))
            case Expect() | Pause() | FailToOpen():
                raise AssertionError(action)

    def _receive(self, line: bytes) -> None:
        received = self.session.peer.receive(line, self.clock)
        if received.messages or received.violations:
            self._inbox.append(received)


def starting(*actions: ServerAction, handlers: Handlers | None = None, **terms: Any) -> Conversation:
    """A conversation with a server that performs these actions, under these terms."""
    events: list[Event] = []
    session = Session(Terms(**{"client": CLIENT, **terms}), handlers or {}, events.append)
    return Conversation(session, events, actions)


def connected(
    server: NegotiatedServer, *actions: ServerAction, handlers: Handlers | None = None, **terms: Any
) -> Conversation:
    """A conversation that starts after initialization of this server."""
    conversation = starting(*actions, handlers=handlers, transport=server.transport, **terms)
    conversation.session.server, conversation.session.state = server, "connected"
    return conversation


def line(message: Mapping[str, Printable]) -> bytes:
    """The message as a line written by a server."""
    return dump({"jsonrpc": "2.0", **message}).encode() + b"\n"


def answer(number: Id, result: Printable) -> Write:
    """Send a response."""
    return Write(line({"id": cast("Json", number), "result": result}))


def error(number: Id, code: int, message: str, data: Printable = None) -> Write:
    """Send an error response."""
    body: dict[str, Printable] = {"code": code, "message": message}
    return Write(line({"id": cast("Json", number), "error": body if data is None else {**body, "data": data}}))


def notify(method: str, params: Printable = None) -> Write:
    """Send a notification."""
    return Write(line({"method": method} if params is None else {"method": method, "params": params}))


def ask(number: Id, method: str, params: Printable = None) -> Write:
    """Send a request."""
    request: dict[str, Printable] = {"id": cast("Json", number), "method": method}
    return Write(line(request if params is None else {**request, "params": params}))
