"""One connection: send requests, and dispatch the messages that arrive."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from mcpi.core.jsontext.exact import Exact, Params
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Exited, Fault
from mcpi.core.outcome.last_received import LastReceived
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.plans import events
from mcpi.core.plans.events import Event
from mcpi.core.plans.responders import Handlers
from mcpi.core.plans.steps import Call
from mcpi.core.session import input_rounds, retry
from mcpi.core.session.bounded_queue import BoundedQueue
from mcpi.core.session.effects import (
    AwaitMessage,
    CollectMessages,
    ConnectionLost,
    Effects,
    FunctionAnswered,
    Inbound,
    MessagesProcessed,
    Now,
    RequestFailed,
    SendMessage,
    TimerExpired,
    TransportEvent,
)
from mcpi.core.session.lifecycle import State, Trigger, advance
from mcpi.core.session.pending_server_requests import PendingServerRequests, resume_answer
from mcpi.core.session.server_requests import ServerRequests, answer_request
from mcpi.core.session.terms import ComposedRequest, StageTimes, Terms, compose, message_headers, sent_log_level
from mcpi.core.wire import modern, notifications
from mcpi.core.wire.jsonrpc import Id, InvalidMessage, Notification, Request, RpcResponse
from mcpi.core.wire.peer import Peer, Received, encode_notification, encode_request
from mcpi.core.wire.server_info import NegotiatedServer

LOGS_SHOWN = "to show the server's log messages"
MAX_EVENTS = 250_000
"""Maximum number of events kept for a plan that does not read them."""


class Session:
    """The state of one connection: the server, the outstanding requests, and the events."""

    def __init__(self, terms: Terms, handlers: Handlers, record: Callable[[Event], None]) -> None:
        """Start disconnected; `record` is called with each event as it happens."""
        self.terms: Terms = terms
        self.server_requests: ServerRequests = ServerRequests(handlers, terms.client.capabilities)
        self.record = record
        self.questions: PendingServerRequests = PendingServerRequests()
        self.before_waiting: Callable[[], None] | None = None
        """Called after a request is sent and before its response is awaited, to do other work meanwhile."""
        self.on_state: Callable[[State, Fault | None], None] = lambda _, __: None
        self.state: State = "disconnected"
        self.connection_fault: Fault | None = None
        self._implicit_log_level = terms.log_level
        self.keep_events = self.debugged = False
        self.times: StageTimes = StageTimes()
        self.dropped: int = 0
        self.deadline: float | None = None
        """Time at which the whole run ends, in follow mode."""
        self.restart()

    def restart(self) -> None:
        """Reset the state that belongs to the previous connection."""
        self.peer: Peer = Peer()
        self.events: BoundedQueue[Event] = BoundedQueue(MAX_EVENTS, events.params_size)
        self.outcomes: dict[Id, Result[Exact]] = {}
        self.methods: dict[Id, str] = {}
        self.last_activity: dict[Id, float] = {}
        self.awaited: set[Id] = set()
        self.sent_messages: dict[Id, SendMessage] = {}
        self.authorization_attempts: dict[Id, int] = {}
        self.notification_rules: notifications.NotificationChecker = notifications.NotificationChecker()
        self.excluded_seconds: float = 0.0
        self.authorization_fault: Fault | None = None
        self.last_received: LastReceived = LastReceived()
        self._abandoned_probe: Id = None
        self._composed: ComposedRequest | None = None
        self.server: NegotiatedServer | None = None
        self.questions.clear()
        self.connection_fault = None

    def extend_terms(self, log_level: str | None, extension: str | None) -> None:
        """Add a log level and an extension to all further modern requests; a handshake fixes the extensions."""
        self._implicit_log_level = None if log_level else self._implicit_log_level
        self.terms = self.terms.extended(log_level, extension if self.server is None or self.modern else None)

    def connect_limit(self, start: float) -> float:
        """Seconds that an attempt to connect may take."""
        limit = self.terms.connect_timeout
        return limit if self.deadline is None else max(min(limit, self.deadline - start), 0.0)

    @property
    def modern(self) -> bool:
        """Tell whether the modern era is in use; before the server is known, whether it was requested."""
        return (self.server.era if self.server is not None else self.terms.era) == "modern"

    def advance(self, trigger: Trigger, fault: Fault | None = None) -> None:
        """Move to the connection's next state, and report it with the fault that led to it."""
        self.state = advance(self.state, trigger)
        self.on_state(self.state, fault)

    def record_event(self, event: Event) -> None:
        """Record the event, and keep it for a plan that reads events."""
        self.record(event)
        if self.keep_events:
            self.dropped += self.events.append(event)

    def post(
        self, method: str, params: Params | None, headers: Mapping[str, str] | None = None
    ) -> Effects[tuple[Id, float]]:
        """Send a request; return its id and the time."""
        number = self.peer.next_id
        message = SendMessage(encode_request(number, method, params), "request", method, number, headers or {})
        return (yield from self._post(message))

    def _post(self, message: SendMessage) -> Effects[tuple[int, float]]:
        number = self.peer.expect(message.method)
        self.methods[number] = message.method
        if self.terms.authorize:
            self.sent_messages[number] = message
        self.last_received.start_request(message.method, in_handshake=self.server is None)
        self.last_activity[number] = yield message
        return number, self.last_activity[number]

    def notify(self, method: str, params: Params | None = None, cancels: Id = None) -> Effects[None]:
        """Send a notification."""
        headers = message_headers(self.terms, self.server, method, params)
        yield SendMessage(encode_notification(method, params), "notification", method, headers=headers, cancels=cancels)

    def compose(self, step: Call) -> None:
        """Compose a request that is sent later."""
        self._composed = compose(step, self.peer.next_id, self.terms, self.server)

    def send(self, step: Call) -> Effects[tuple[Id, float]]:
        """Send a plan's request with the metadata and headers of the era; return its id and the time."""
        ready, self._composed = self._composed, None
        if ready is None or not ready.fits(step, self.peer.next_id, self.terms, self.server):
            ready = compose(step, self.peer.next_id, self.terms, self.server)
        number, at = yield from self._post(ready.message)
        self.notification_rules.request_sent(number, step.method, ready.token)
        if step.reason:
            self.record(events.ImplicitRequest(step.method, step.params, step.reason, at))
        if self._implicit_log_level is not None and sent_log_level(self.terms, self.server) == self._implicit_log_level:
            level: Params = {"_meta": {modern.LOG_LEVEL: self._implicit_log_level}}
            self.record(events.ImplicitRequest(step.method, level, LOGS_SHOWN, at))
            self._implicit_log_level = None
        return number, at

    def call(self, step: Call) -> Effects[Result[Exact]]:
        """Send a plan's request and return its outcome, after any rounds of input."""
        return input_rounds.call(self, step)

    def cancel(self, number: Id, waited: float, why: str = "no response within") -> Effects[None]:
        """Cancel a request, and notify the server."""
        self.peer.abandon(number)
        if self.methods[number] != "initialize":
            # MCP 2025-11-25, cancellation: "the sender SHOULD issue a cancellation notification"; never for initialize.
            params = {"requestId": cast("Json", number), "reason": f"{why} {waited:.3g} s"}
            yield from self.notify("notifications/cancelled", params, cancels=number)

    def abandon_probe(self, number: Id) -> None:
        """Abandon a request of the handshake; its late response is not quoted when a timeout expires."""
        self._abandoned_probe = number
        self.peer.abandon(number)

    def next(self, within: float | None) -> Effects[Event]:
        """Return the next event, or events.DeadlineReached if none arrived in time."""
        until = None if within is None else (yield Now()) + within
        while not self.events:
            if self.connection_fault is not None:
                return events.ConnectionClosed(self.connection_fault, (yield Now()))
            inbound: Inbound = yield AwaitMessage(until)
            if isinstance(inbound, TimerExpired):
                return events.DeadlineReached(inbound.at)
            yield from self.absorb(inbound)
        return self.events.popleft()

    def process_pending(self, until: float | None) -> Effects[None]:
        """Wait for at least one message or the deadline, and process all messages that have arrived."""
        arrived: Sequence[Inbound] = yield CollectMessages(0.0 if self.events else until)
        for inbound in arrived:
            if not self.process_simple(inbound):
                yield from self.absorb(inbound)

    def sleep(self, seconds: float) -> Effects[None]:
        """Wait some seconds, and process the messages that arrive meanwhile."""
        at: float = yield Now()
        until = at + seconds if self.deadline is None else min(at + seconds, self.deadline)
        while at < until and self.connection_fault is None:
            inbound: Inbound = yield AwaitMessage(until)
            yield from self.absorb(inbound)
            at = inbound.at

    def absorb(self, inbound: Inbound) -> Effects[None]:
        """Process an event of the transport."""
        match inbound:
            case Received():
                yield from self._message_received(inbound)
            case RequestFailed(number, fault, at) if number in self.peer.outstanding:
                yield from self._request_failed(number, fault, at)
            case ConnectionLost(fault, at):
                self._connection_lost(fault, at)
            case TransportEvent(event, facts, at):
                self.record_event(events.TransportNote(event, facts, at))
            case FunctionAnswered():
                yield from resume_answer(self, inbound)
            case TimerExpired() | MessagesProcessed() | RequestFailed():
                pass

    def process_simple(self, inbound: Inbound) -> bool:
        """Process a single valid notification or response on a fast path; return False for anything else."""
        if type(inbound) is not Received or inbound.violations or len(inbound.messages) != 1:
            return False
        message = inbound.messages[0]
        if type(message) is Notification:
            self._notification_received(message, inbound.at)
        elif type(message) is RpcResponse:
            self._response_received(message, inbound.at)
        else:
            return False
        return True

    def _request_failed(self, number: Id, fault: Fault, at: float) -> Effects[None]:
        reason = yield from retry.send_again(self, number, fault)
        if reason is not None:
            self.peer.abandon(number)
            self._complete(number, Failure(reason), at)

    def _message_received(self, received: Received) -> Effects[None]:
        at = received.at
        for violation in received.violations:
            self.record_event(events.ViolationSeen(violation, at, on_stdout=self.terms.transport == "stdio"))
        if received.violations and not received.messages:
            self.last_received.add(received.quoted)
        for message in received.messages:
            if isinstance(message, Notification):
                self._notification_received(message, at)
            else:
                yield from self._dispatch(message, at)

    def _connection_lost(self, fault: Fault, at: float) -> None:
        if isinstance(fault, Exited):
            pending = [self.methods[number] for number in self.peer.outstanding]
            fault = explain.exit_during(fault, pending, is_connected=self.server is not None)
        self.connection_fault = fault
        self.questions.clear()
        if self.state == "connected":
            self.advance("connection_lost", fault)
        self.record_event(events.ConnectionClosed(fault, at))

    def _dispatch(self, message: Request | RpcResponse | InvalidMessage, at: float) -> Effects[None]:
        match message:
            case RpcResponse() | InvalidMessage():
                self._response_received(message, at)
            case Request():
                self.last_received.add(message.quoted)
                yield from answer_request(self, message, at)

    def _notification_received(self, message: Notification, at: float) -> None:
        self.last_received.add_notification(message.quoted)
        if message.method == "notifications/cancelled":
            self.exclude(self.questions.cancel(message.params, at))
        if not self.notification_rules.is_known_valid(message.method):
            number = self.notification_rules.request_of(message)
            if number in self.last_activity and self.terms.progress_resets_timeout:
                self.last_activity[number] = at
            log_asked = self.terms.log_level is not None
            for violation in self.notification_rules.check(message, self.server, log_asked=log_asked):
                self.record_event(events.ViolationSeen(violation, at))
        self.record_event(events.NotificationReceived(message.method, message.params, at))

    def _response_received(self, message: RpcResponse | InvalidMessage, at: float) -> None:
        if message.id != self._abandoned_probe:
            self.last_received.add(message.quoted)
        self._complete(message.id, input_rounds.outcome_of(message, self.methods.get(message.id, "")), at)

    def _complete(self, number: Id, outcome: Result[Exact], at: float) -> None:
        self.sent_messages.pop(number, None)
        if number in self.awaited:
            self.outcomes[number] = outcome
        else:
            self.record_event(events.ResponseReceived(number, outcome, at))

    def forget(self, number: Id) -> None:
        """Forget a request whose response was taken, or is no longer awaited."""
        self.awaited.discard(number)
        states: tuple[dict[Id, Any], ...] = (self.outcomes, self.methods, self.last_activity)
        for state in (*states, self.sent_messages, self.authorization_attempts):
            state.pop(number, None)

    def exclude(self, seconds: float) -> None:
        """Exclude the time that a user took to reply from all timeouts."""
        self.last_activity = {number: heard + seconds for number, heard in self.last_activity.items()}
        self.excluded_seconds += seconds
