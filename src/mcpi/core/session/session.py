"""One connection as the core sees it: requests go out, what comes back finds its place."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from attrs import evolve

from mcpi.core.jsontext.exact import Exact, Params, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Exited, Fault, InvalidResponse, TimedOut
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    NotificationReceived,
    ServerAnswered,
    ServerAsked,
    TransportNote,
    ViolationSeen,
    weight,
)
from mcpi.core.plans.responders import Accept, Handlers, Refuse, Reply, as_json
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
from mcpi.core.session.lifecycle import Happening, State, advance
from mcpi.core.session.server_requests import ServerRequests
from mcpi.core.session.terms import StageTimes, Terms
from mcpi.core.wire import http_headers, modern, notifications
from mcpi.core.wire.jsonrpc import Answer, Id, InvalidMessage, Notification, Request
from mcpi.core.wire.peer import Peer, Received, notification, refusal, result
from mcpi.core.wire.server_info import Server
from mcpi.core.wire.violations import Violation, quote

KEPT = 250_000
"""How many events wait for a plan that does not look."""


class Session:
    """Who is at the other end, what is outstanding, and what has happened."""

    def __init__(self, terms: Terms, handlers: Handlers, record: Callable[[Event], None]) -> None:
        """Nothing is open; every event is recorded as it happens."""
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
        """A new connection knows nothing of the old one."""
        self.peer: Peer = Peer()
        self.events: BoundedQueue[Event] = BoundedQueue(KEPT, weight)
        self.replies: dict[Id, Result[Exact]] = {}
        self.methods: dict[Id, str] = {}
        self.heard: dict[Id, float] = {}
        self.waited: set[Id] = set()
        self.sent: dict[Id, SendMessage] = {}
        self.agreement: notifications.NotificationRules = notifications.NotificationRules()
        self.paused: float = 0.0
        self.last_seen: str = ""
        self.server: Server | None = None
        self.lost = None

    def adopt(self, log_level: str | None, extension: str | None) -> None:
        """What each further request of the modern era says; after a handshake nothing more can be declared."""
        self.terms = self.terms.adopting(log_level, extension if self.server is None or self.modern else None)

    @property
    def modern(self) -> bool:
        """Whether the era without a handshake is spoken, as far as that is known."""
        return (self.server.era if self.server is not None else self.terms.era) == "modern"

    def advance(self, happening: Happening) -> None:
        """The connection's machine takes one step."""
        self.state = advance(self.state, happening)

    def note(self, event: Event) -> None:
        """The event is recorded, and kept for a plan that asks for it."""
        self.record(event)
        if self.keep:
            self.dropped += self.events.append(event)

    def post(
        self, method: str, params: Params | None, headers: Mapping[str, str] | None = None
    ) -> Effects[tuple[Id, float]]:
        """The request goes out; its number and the time."""
        number, data = self.peer.request(method, params)
        self.methods[number] = method
        transmit = SendMessage(data, "request", method, number, headers or {})
        if self.terms.authorize:
            self.sent[number] = transmit
        at: float = yield transmit
        self.heard[number] = at
        return number, at

    def notify(self, method: str, params: Params | None = None, cancels: Id = None) -> Effects[None]:
        """The notification goes out."""
        headers = self._headers(method, params)
        yield SendMessage(notification(method, params), "notification", method, headers=headers, cancels=cancels)

    def send(self, step: Call) -> Effects[tuple[Id, float]]:
        """A plan's request goes out, dressed as the era wants it."""
        params = self.dress(step.params, track=step.track)
        headers = {**self._headers(step.method, params), **step.headers}
        self.agreement.ask(self.peer.upcoming, step.method, modern.progress_token(params))
        return (yield from self.post(step.method, params, headers))

    def call(self, step: Call) -> Effects[Result[Exact]]:
        """The outcome of a plan's request, after as many rounds of input as the server wants."""
        return input_rounds.call(self, step)

    def outcome(self, number: Id, sent: float) -> Effects[Result[Exact]]:
        """The answer to a request, or the end of our patience."""
        self.waited.add(number)
        cap = sent + self.terms.total - self.paused
        limit = self._limit(number, cap)
        wait = AwaitMessage(limit)
        while number not in self.replies:
            if self.lost is not None:
                return Failure(self.lost)
            inbound: Inbound = yield wait
            if not self._is_told(inbound):
                yield from self.absorb(inbound)
            # A flood of other messages must not keep us waiting: any of them tells what time it is.
            if inbound.at >= limit:
                limit = self._limit(number, cap)
                wait = AwaitMessage(limit)
                if inbound.at >= limit and not isinstance(inbound, ConnectionLost) and number not in self.replies:
                    flag = "--timeout" if limit == self.heard[number] + self.terms.patience else "--max-total-timeout"
                    return (yield from self._given_up(number, inbound.at - sent, flag))
        self.heard.pop(number, None)
        self.waited.discard(number)
        return self.replies.pop(number)

    def _limit(self, number: Id, cap: float) -> float:
        return min(self.heard[number] + self.terms.patience, cap + self.paused)

    def _given_up(self, number: Id, waited: float, flag: str) -> Effects[Result[Exact]]:
        yield from self.withdraw(number, waited)
        what = f"{self.methods[number]} (request {number})"
        hints = (f"an answer that takes its time may need a longer {flag}",)
        return Failure(TimedOut("REQUEST_TIMEOUT", round(waited, 3), what, self.last_seen, hints))

    def withdraw(self, number: Id, waited: float, why: str = "no answer within") -> Effects[None]:
        """The request is given up, and the server is told."""
        self.peer.give_up(number)
        if self.methods[number] != "initialize":
            # MCP 2025-11-25, cancellation: "the sender SHOULD issue a cancellation notification"; never for initialize.
            params = {"requestId": cast("Json", number), "reason": f"{why} {waited:.3g} s"}
            yield from self.notify("notifications/cancelled", params, cancels=number)

    def next(self, within: float | None) -> Effects[Event]:
        """The next event; Elapsed when none came in time."""
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
        """Something has happened, and all that had happened by then is known; or the time has come."""
        arrived: Sequence[Inbound] = yield CollectMessages(0.0 if self.events else until)
        for inbound in arrived:
            if not self._is_told(inbound):
                yield from self.absorb(inbound)

    def sleep(self, seconds: float) -> Effects[None]:
        """Time passes; what arrives finds its place."""
        at: float = yield Now()
        until = at + seconds
        while at < until and self.lost is None:
            inbound: Inbound = yield AwaitMessage(until)
            yield from self.absorb(inbound)
            at = inbound.at

    def absorb(self, inbound: Inbound) -> Effects[None]:
        """What arrived finds its place."""
        match inbound:
            case Received():
                yield from self._arrived(inbound)
            case RequestFailed(number, fault, at):
                if number in self.peer.outstanding:
                    yield from self._refused(number, fault, at)
            case ConnectionLost(fault, at):
                self._lose(fault, at)
            case TransportEvent(event, facts, at):
                self.note(TransportNote(event, facts, at))
            case TimerExpired():
                pass

    def _is_told(self, inbound: Inbound) -> bool:
        """Whether it was a notification and nothing else, which asks for no act of ours; there may be many."""
        if type(inbound) is not Received:
            return False
        message = inbound.messages[0] if len(inbound.messages) == 1 else None
        if type(message) is not Notification or inbound.violations:
            return False
        self.last_seen = quote(message.text)
        self._hear(message, inbound.at)
        return True

    def _refused(self, number: Id, fault: Fault, at: float) -> Effects[None]:
        reason = yield from retry.send_again(self, number, fault)
        if reason is not None:
            self.peer.give_up(number)
            self._settle(number, Failure(reason), at)

    def _arrived(self, received: Received) -> Effects[None]:
        at = received.at
        for violation in received.violations:
            self.note(ViolationSeen(violation, at))
        last = received.messages[-1].text if received.messages else received.raw.decode(errors="replace").strip()
        self.last_seen = quote(last)
        for message in received.messages:
            if isinstance(message, Notification):
                self._hear(message, at)
            else:
                yield from self._take(message, at)

    def _lose(self, fault: Fault, at: float) -> None:
        if isinstance(fault, Exited):
            waiting = [self.methods[number] for number in self.peer.outstanding]
            fault = evolve(fault, during=", ".join(map(str, waiting)))
        self.lost = fault
        if self.state == "connected":
            self.advance("connection_lost")
        self.note(ConnectionClosed(fault, at))

    def _take(self, message: Request | Answer | InvalidMessage, at: float) -> Effects[None]:
        match message:
            case Answer():
                self._settle(message.id, input_rounds.outcome_of(message, self.methods.get(message.id, "")), at)
            case InvalidMessage():
                method = self.methods.get(message.id, "")
                problem = f"the answer to {method} (request {message.id}) is unreadable: {message.problem}"
                self._settle(
                    message.id, Failure(InvalidResponse("INVALID_RESPONSE", problem, (quote(message.text),))), at
                )
            case Request():
                yield from self._asked(message, at)

    def _hear(self, message: Notification, at: float) -> None:
        if not self.agreement.covers(message.method):
            number = self.agreement.about(message)
            if number in self.heard:
                self.heard[number] = at
            for violation in self.agreement.judge(message, self.server, log_asked=self.terms.log_level is not None):
                self.note(ViolationSeen(violation, at))
        self.note(NotificationReceived(message.method, message.params, at))

    def _settle(self, number: Id, outcome: Result[Exact], at: float) -> None:
        self.sent.pop(number, None)
        if number in self.waited:
            self.replies[number] = outcome
        else:
            self.note(ServerAnswered(number, outcome, at))

    def _asked(self, message: Request, at: float) -> Effects[None]:
        if self.modern:
            # MCP 2026-07-28, transports: "the server MUST NOT write JSON-RPC requests", "the client MUST NOT respond".
            problem = f"a modern server sent the request {message.method}"
            self.note(ViolationSeen(Violation("server-request", problem, quote(message.text)), at))
            return
        reply = yield from self.reply(message.method, message.params, at)
        match reply:
            case Accept():
                data = result(message.id, reply.result)
            case Refuse():
                data = refusal(message.id, reply.code, reply.message)
        replied: float = yield SendMessage(data, "response", message.method, headers=self._headers("", None))
        # How long a person or a model thinks about a question is no delay of the server's.
        self.heard = {number: heard + replied - at for number, heard in self.heard.items()}
        self.paused += replied - at

    def reply(self, method: str, params: Exact | None, at: float) -> Effects[Reply]:
        """What our handlers say to the server's request, which is recorded with it."""
        reply = yield from self.desk.reply(method, params)
        if method != "ping":
            self.note(ServerAsked(method, params, as_json(reply), at, self.desk.given(method)))
        return reply

    def dress(self, params: Params | None, *, track: bool = False) -> Params | None:
        """The params with what the era, the user's metadata and the wish for progress add to `_meta`."""
        meta: dict[str, Printable] = {"progressToken": self.peer.upcoming} if track else {}
        server = self.server
        if server is not None and server.era == "modern":
            level = self.terms.log_level if server.declares("logging") or not server.asked else None
            meta |= modern.envelope(self.terms.client, server.version, level)
        return modern.with_meta(params, {**meta, **self.terms.meta})

    def _headers(self, method: str, params: Params | None) -> Mapping[str, str]:
        if self.terms.transport == "stdio" or self.server is None:
            return {}
        return http_headers.headers(method, params, self.server.version, modern=self.server.era == "modern")
