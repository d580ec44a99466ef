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
    OpenTransport,
    RequestFailed,
    SendMessage,
    TimerExpired,
    TransportEvent,
)
from mcpi.core.session.effects import OpenServerStream as ListenAct
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
class Hears:
    """Wait until this method is received."""

    method: str


@frozen
class Says:
    """Write bytes to standard output, at most this many at a time."""

    data: bytes
    at_a_time: int = _LIMIT


@frozen
class Rests:
    """Send nothing for some seconds."""

    seconds: float


@frozen
class Ends:
    """Close the connection."""

    fault: Fault


@frozen
class Refuses:
    """Fail a request without a response, for example with an HTTP status."""

    number: Id
    fault: Fault


@frozen
class Happens:
    """Report an event of the transport."""

    event: str
    facts: Printable


@frozen
class StaysShut:
    """Fail to open the connection this time."""

    fault: Fault


Deed: TypeAlias = Hears | Says | Rests | Ends | Refuses | Happens | StaysShut


class Conversation:
    """A session, the test server, and the messages between them."""

    def __init__(self, session: Session, events: list[Event], deeds: tuple[Deed, ...]) -> None:
        """Start without messages, at second 0."""
        self.session = session
        self.events = events
        self.clock = 0.0
        self.transmitted: list[SendMessage] = []
        self.log: list[tuple[float, str]] = []
        self.emitted: list[str] = []
        self.verbatim: list[str] = []
        """What of it may show secrets."""
        self.validated: list[tuple[Json, Json]] = []
        self.problems: tuple[tuple[str, str], ...] = ()
        self.authorized: list[Authorize] = []
        self.authorizations: deque[Result[None]] = deque()
        self.authorizing = 0.0
        self.thinking = 0.0
        """Seconds that a person takes for an answer."""
        self._deeds = deque(deeds)
        self._heard: deque[tuple[float, str]] = deque()
        self._inbox: deque[Inbound] = deque()
        self._lines = LineSplitter(_LIMIT)
        self._due = 0.0

    @property
    def said(self) -> list[Any]:
        """The client messages as JSON."""
        return [json.loads(one.data) for one in self.transmitted]

    def run(self, acts: Effects[T]) -> T:
        """Run the effects and return their result; the server script must be finished by then."""
        result = drive(acts, self._do)
        assert not self._deeds, f"the client ended before the server {self._deeds[0]}"
        return result

    def _do(self, act: Effect) -> object:
        match act:
            case AwaitMessage(until):
                return self._await(until)
            case CollectMessages(until):
                return self._collect(until)
            case SendMessage():
                return self._transmit(act)
            case Now():
                return self.clock
            case OpenTransport():
                return self._open()
            case Validate(value, schema):
                self.validated.append((value, schema))
                return self.problems
            case Authorize():
                return self._authorize(act)
            case _:
                return self._do_rarer(act)

    def _do_rarer(self, act: Effect) -> object:
        match act:
            case AskFunction():
                self.clock += self.thinking
                return Accept({})
            case _:
                self._do_without_reply(act)
                return None

    def _authorize(self, act: Authorize) -> Result[None]:
        self.authorized.append(act)
        self.log.append((self.clock, "authorize"))
        self.clock += self.authorizing
        return self.authorizations.popleft()

    def _do_without_reply(self, act: Effect) -> None:
        match act:
            case CloseTransport():
                self.log.append((self.clock, "shut"))
                self._heard.clear()
            case ListenAct():
                self.log.append((self.clock, "listen"))
            case FlushDebugger():
                self.log.append((self.clock, "settle"))
            case Emit(text, verbatim):
                self.emitted.append(text)
                self.verbatim += [text] if verbatim else []
            case _:
                raise AssertionError(f"the test's shell cannot do {act}")

    def _transmit(self, act: SendMessage) -> float:
        self.transmitted.append(act)
        self.log.append((self.clock, act.method))
        self._heard.append((self.clock, act.method))
        return self.clock

    def _open(self) -> Result[float]:
        self._lines = LineSplitter(_LIMIT)
        if self._deeds and isinstance(self._deeds[0], StaysShut):
            self.log.append((self.clock, "open in vain"))
            return Failure(cast("StaysShut", self._deeds.popleft()).fault)
        self.log.append((self.clock, "open"))
        return Success(self.clock)

    def _await(self, until: float | None) -> Inbound:
        while not self._inbox:
            if not self._ready() or (until is not None and self._due > max(until, self.clock)):
                assert until is not None, "the client waits for ever"
                self.clock = max(self.clock, until)
                return TimerExpired(self.clock)
            self.clock = max(self.clock, self._due)
            self._act(self._deeds.popleft())
        return self._inbox.popleft()

    def _collect(self, until: float | None) -> list[Inbound]:
        found: list[Inbound] = []
        while not isinstance(inbound := self._await(0.0 if found else until), TimerExpired):
            found.append(inbound)
        return found

    def _ready(self) -> bool:
        """True if the server has an action to perform, once its pauses and waits are over."""
        while self._deeds:
            match self._deeds[0]:
                case Rests(seconds):
                    self._due += seconds
                case Hears(method):
                    times = [at for at, heard in self._heard if heard == method]
                    if not times:
                        return False
                    while self._heard and self._heard.popleft()[1] != method:
                        pass
                    self._due = max(self._due, times[0])
                case StaysShut():
                    return False
                case _:
                    return True
            self._deeds.popleft()
        return False

    def _act(self, deed: Deed) -> None:
        match deed:
            case Says(data, size):
                for start in range(0, len(data), size):
                    for line in self._lines.feed(data[start : start + size]):
                        self._take_in(line)
                assert not self._lines.too_long, "the test's server says more than the test's shell takes"
            case Ends(fault):
                self._inbox.append(ConnectionLost(fault, self.clock))
            case Refuses(number, fault):
                self._inbox.append(RequestFailed(number, fault, self.clock))
            case Happens(event, facts):
                self._inbox.append(TransportEvent(event, facts, self.clock))
            case Hears() | Rests() | StaysShut():
                raise AssertionError(deed)

    def _take_in(self, line: bytes) -> None:
        received = self.session.peer.receive(line, self.clock)
        if received.messages or received.violations:
            self._inbox.append(received)


def talk(*deeds: Deed, handlers: Handlers | None = None, **terms: Any) -> Conversation:
    """A conversation with a server that performs these actions, under these terms."""
    events: list[Event] = []
    session = Session(Terms(**{"client": CLIENT, **terms}), handlers or {}, events.append)
    return Conversation(session, events, deeds)


def met(server: NegotiatedServer, *deeds: Deed, handlers: Handlers | None = None, **terms: Any) -> Conversation:
    """A conversation that starts after initialization of this server."""
    conversation = talk(*deeds, handlers=handlers, transport=server.transport, **terms)
    conversation.session.server, conversation.session.state = server, "connected"
    return conversation


def line(message: Mapping[str, Printable]) -> bytes:
    """The message as a line written by a server."""
    return dump({"jsonrpc": "2.0", **message}).encode() + b"\n"


def answer(number: Id, result: Printable) -> Says:
    """Send a response."""
    return Says(line({"id": cast("Json", number), "result": result}))


def error(number: Id, code: int, message: str, data: Printable = None) -> Says:
    """Send an error response."""
    about: dict[str, Printable] = {"code": code, "message": message}
    return Says(line({"id": cast("Json", number), "error": about if data is None else {**about, "data": data}}))


def tell(method: str, params: Printable = None) -> Says:
    """Send a notification."""
    return Says(line({"method": method} if params is None else {"method": method, "params": params}))


def ask(number: Id, method: str, params: Printable = None) -> Says:
    """Send a request."""
    asked: dict[str, Printable] = {"id": cast("Json", number), "method": method}
    return Says(line(asked if params is None else {**asked, "params": params}))
