"""One connection: send requests, and dispatch the messages that arrive."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from attrs import evolve

from mcpi.core.jsontext.exact import Exact, Params, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Exited, Fault, TimedOut
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    NotificationReceived,
    ResponseReceived,
    ServerAsked,
    TransportNote,
    ViolationSeen,
    params_size,
)
from mcpi.core.plans.responders import Handlers, Reply, as_json
from mcpi.core.plans.steps import Call
from mcpi.core.session import input_rounds, retry
from mcpi.core.session.bounded_queue import BoundedQueue
from mcpi.core.session.effects import (
    AwaitMessage,
    CollectMessages,
    ConnectionLost,
    Effects,
    Inbound,
    Now,
    RequestFailed,
    SendMessage,
    TimerExpired,
    TransportEvent,
)
from mcpi.core.session.lifecycle import State, Trigger, advance
from mcpi.core.session.server_requests import ServerRequests, answer_request
from mcpi.core.session.terms import StageTimes, Terms
from mcpi.core.wire import http_headers, modern, notifications
from mcpi.core.wire.jsonrpc import Id, InvalidMessage, Notification, Request, RpcResponse
from mcpi.core.wire.peer import Peer, Received, encode_notification
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import quote

MAX_EVENTS = 250_000
"""Maximum number of events kept for a plan that does not read them."""


class Session:
    """The state of one connection: the server, the outstanding requests, and the events."""

    def __init__(self, terms: Terms, handlers: Handlers, record: Callable[[Event], None]) -> None:
        """Start disconnected; `record` is called with each event as it happens."""
        self.terms: Terms = terms
        self.desk: ServerRequests = ServerRequests(handlers, terms.client.capabilities)
        self.record = record
        self.state: State = "disconnected"
        self.lost: Fault | None = None
        self.keep = False
        self.debugged = False
        self.times: StageTimes = StageTimes()
        self.dropped: int = 0
        self.tries: dict[Id, int] = {}
        self.restart()

    def restart(self) -> None:
        """Reset the state that belongs to the previous connection."""
        self.peer: Peer = Peer()
        self.events: BoundedQueue[Event] = BoundedQueue(MAX_EVENTS, params_size)
        self.replies: dict[Id, Result[Exact]] = {}
        self.methods: dict[Id, str] = {}
        self.heard: dict[Id, float] = {}
        self.waited: set[Id] = set()
        self.sent: dict[Id, SendMessage] = {}
        self.agreement: notifications.NotificationChecker = notifications.NotificationChecker()
        self.paused: float = 0.0
        self.last_seen: str = ""
        self.server: NegotiatedServer | None = None
        self.lost = None

    def adopt(self, log_level: str | None, extension: str | None) -> None:
        """Add a log level and an extension to all further modern requests; a handshake fixes the extensions."""
        self.terms = self.terms.adopting(log_level, extension if self.server is None or self.modern else None)

    @property
    def modern(self) -> bool:
        """Tell whether the modern era is in use; before the server is known, whether it was requested."""
        return (self.server.era if self.server is not None else self.terms.era) == "modern"

    def advance(self, happening: Trigger) -> None:
        """Move to the connection's next state."""
        self.state = advance(self.state, happening)

    def note(self, event: Event) -> None:
        """Record the event, and keep it for a plan that reads events."""
        self.record(event)
        if self.keep:
            self.dropped += self.events.append(event)

    def post(
        self, method: str, params: Params | None, headers: Mapping[str, str] | None = None
    ) -> Effects[tuple[Id, float]]:
        """Send a request; return its id and the time."""
        number, data = self.peer.request(method, params)
        self.methods[number] = method
        transmit = SendMessage(data, "request", method, number, headers or {})
        if self.terms.authorize:
            self.sent[number] = transmit
        at: float = yield transmit
        self.heard[number] = at
        return number, at

    def notify(self, method: str, params: Params | None = None, cancels: Id = None) -> Effects[None]:
        """Send a notification."""
        headers = self.headers(method, params)
        yield SendMessage(encode_notification(method, params), "notification", method, headers=headers, cancels=cancels)

    def send(self, step: Call) -> Effects[tuple[Id, float]]:
        """Send a plan's request with the metadata and headers of the era; return its id and the time."""
        params = self.dress(step.params, track=step.track)
        headers = {**self.headers(step.method, params), **step.headers}
        self.agreement.ask(self.peer.upcoming, step.method, modern.progress_token(params))
        return (yield from self.post(step.method, params, headers))

    def call(self, step: Call) -> Effects[Result[Exact]]:
        """Send a plan's request and return its outcome, after any rounds of input."""
        return input_rounds.call(self, step)

    def outcome(self, number: Id, sent: float) -> Effects[Result[Exact]]:
        """Wait for the response to a request; fail on a timeout or a lost connection."""
        self.waited.add(number)
        cap = sent + self.terms.total_timeout - self.paused
        until = self._deadline(number, cap)
        wait = AwaitMessage(until)
        while number not in self.replies:
            if self.lost is not None:
                return Failure(self.lost)
            inbound: Inbound = yield wait
            if not self._absorb_notification(inbound):
                yield from self.absorb(inbound)
            # A flood of other messages must not delay the timeout: each of them carries the current time.
            if inbound.at >= until:
                until = self._deadline(number, cap)
                wait = AwaitMessage(until)
                if inbound.at >= until and not isinstance(inbound, ConnectionLost) and number not in self.replies:
                    flag = "--timeout" if until == self.heard[number] + self.terms.patience else "--max-total-timeout"
                    return (yield from self._time_out(number, inbound.at - sent, flag))
        self.heard.pop(number, None)
        self.waited.discard(number)
        return self.replies.pop(number)

    def _deadline(self, number: Id, cap: float) -> float:
        return min(self.heard[number] + self.terms.patience, cap + self.paused)

    def _time_out(self, number: Id, waited: float, flag: str) -> Effects[Result[Exact]]:
        yield from self.withdraw(number, waited)
        what = f"{self.methods[number]} (request {number})"
        hints = (f"an answer that takes its time may need a longer {flag}",)
        return Failure(TimedOut("REQUEST_TIMEOUT", round(waited, 3), what, self.last_seen, hints))

    def withdraw(self, number: Id, waited: float, why: str = "no answer within") -> Effects[None]:
        """Give up a request, and notify the server of the cancellation."""
        self.peer.give_up(number)
        if self.methods[number] != "initialize":
            # MCP 2025-11-25, cancellation: "the sender SHOULD issue a cancellation notification"; never for initialize.
            params = {"requestId": cast("Json", number), "reason": f"{why} {waited:.3g} s"}
            yield from self.notify("notifications/cancelled", params, cancels=number)

    def next(self, within: float | None) -> Effects[Event]:
        """Return the next event, or DeadlineReached if none arrived in time."""
        until = None if within is None else (yield Now()) + within
        while not self.events:
            if self.lost is not None:
                return ConnectionClosed(self.lost, (yield Now()))
            inbound: Inbound = yield AwaitMessage(until)
            if isinstance(inbound, TimerExpired):
                return DeadlineReached(inbound.at)
            yield from self.absorb(inbound)
        return self.events.popleft()

    def gather(self, until: float | None) -> Effects[None]:
        """Wait for at least one message or the deadline, and process all messages that have arrived."""
        arrived: Sequence[Inbound] = yield CollectMessages(0.0 if self.events else until)
        for inbound in arrived:
            if not self._absorb_notification(inbound):
                yield from self.absorb(inbound)

    def sleep(self, seconds: float) -> Effects[None]:
        """Wait some seconds, and process the messages that arrive meanwhile."""
        at: float = yield Now()
        until = at + seconds
        while at < until and self.lost is None:
            inbound: Inbound = yield AwaitMessage(until)
            yield from self.absorb(inbound)
            at = inbound.at

    def absorb(self, inbound: Inbound) -> Effects[None]:
        """Process an event of the transport."""
        match inbound:
            case Received():
                yield from self._message_received(inbound)
            case RequestFailed(number, fault, at):
                if number in self.peer.outstanding:
                    yield from self._request_failed(number, fault, at)
            case ConnectionLost(fault, at):
                self._connection_lost(fault, at)
            case TransportEvent(event, facts, at):
                self.note(TransportNote(event, facts, at))
            case TimerExpired():
                pass

    def _absorb_notification(self, inbound: Inbound) -> bool:
        """Process a single valid notification on a fast path, as there may be many; return False for anything else."""
        if type(inbound) is not Received:
            return False
        message = inbound.messages[0] if len(inbound.messages) == 1 else None
        if type(message) is not Notification or inbound.violations:
            return False
        self.last_seen = quote(message.text)
        self._notification_received(message, inbound.at)
        return True

    def _request_failed(self, number: Id, fault: Fault, at: float) -> Effects[None]:
        reason = yield from retry.send_again(self, number, fault)
        if reason is not None:
            self.peer.give_up(number)
            self._complete(number, Failure(reason), at)

    def _message_received(self, received: Received) -> Effects[None]:
        at = received.at
        for violation in received.violations:
            self.note(ViolationSeen(violation, at))
        last = received.messages[-1].text if received.messages else received.raw.decode(errors="replace").strip()
        self.last_seen = quote(last)
        for message in received.messages:
            if isinstance(message, Notification):
                self._notification_received(message, at)
            else:
                yield from self._dispatch(message, at)

    def _connection_lost(self, fault: Fault, at: float) -> None:
        if isinstance(fault, Exited):
            waiting = [self.methods[number] for number in self.peer.outstanding]
            fault = evolve(fault, during=", ".join(map(str, waiting)))
        self.lost = fault
        if self.state == "connected":
            self.advance("connection_lost")
        self.note(ConnectionClosed(fault, at))

    def _dispatch(self, message: Request | RpcResponse | InvalidMessage, at: float) -> Effects[None]:
        match message:
            case RpcResponse() | InvalidMessage():
                self._complete(message.id, input_rounds.outcome_of(message, self.methods.get(message.id, "")), at)
            case Request():
                yield from answer_request(self, message, at)

    def _notification_received(self, message: Notification, at: float) -> None:
        if not self.agreement.covers(message.method):
            number = self.agreement.about(message)
            if number in self.heard:
                self.heard[number] = at
            for violation in self.agreement.judge(message, self.server, log_asked=self.terms.log_level is not None):
                self.note(ViolationSeen(violation, at))
        self.note(NotificationReceived(message.method, message.params, at))

    def _complete(self, number: Id, outcome: Result[Exact], at: float) -> None:
        self.sent.pop(number, None)
        if number in self.waited:
            self.replies[number] = outcome
        else:
            self.note(ResponseReceived(number, outcome, at))

    def reply(self, method: str, params: Exact | None, at: float) -> Effects[Reply]:
        """Return the handler's reply to the server's request, and record both."""
        reply = yield from self.desk.reply(method, params)
        if method != "ping":
            self.note(ServerAsked(method, params, as_json(reply), at, self.desk.given(method)))
        return reply

    def dress(self, params: Params | None, *, track: bool = False) -> Params | None:
        """Add the `_meta` members of the era, the user's metadata, and the progress token to the params."""
        meta: dict[str, Printable] = {"progressToken": self.peer.upcoming} if track else {}
        server = self.server
        if server is not None and server.era == "modern":
            level = self.terms.log_level if server.declares("logging") or not server.asked else None
            meta |= modern.request_meta(self.terms.client, server.version, level)
        return modern.with_meta(params, {**meta, **self.terms.meta})

    def headers(self, method: str, params: Params | None) -> Mapping[str, str]:
        """Build the HTTP headers that the protocol version requires for a message."""
        if self.terms.transport == "stdio" or self.server is None:
            return {}
        return http_headers.headers(method, params, self.server.version, modern=self.server.era == "modern")
