"""Follow mode: print each event of a connection as a line of JSON."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.modes.follow_events import EventLines, Stamp
from mcpi.core.modes.follow_states import FOLLOW_TRANSITIONS, FollowTrigger, State
from mcpi.core.outcome.faults import Fault, Interrupted, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    Event,
    NotificationReceived,
    ResponseReceived,
    TransportNote,
)
from mcpi.core.plans.pagination import all_pages
from mcpi.core.plans.plan import PlanResult, StartedPlan, begin
from mcpi.core.plans.steps import Call, Emit, Plan, request
from mcpi.core.session.effects import Effects, Now
from mcpi.core.session.run_plan import run_plan
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id, as_id
from mcpi.core.wire.notifications import LIST_METHODS, LISTEN

T = TypeVar("T")


@frozen
class FollowOptions:
    """Options of follow mode."""

    logs: bool = False
    """Print log messages as `log` events, after logging/setLevel."""
    uri: str | None = None
    """Subscribed resource; updated resources are read again."""
    refetch: bool = False
    live: bool = False
    """Print the result as an event, and events as they arrive, also before the result."""
    max_events: int | None = None
    ping_interval: float | None = None
    event_names: Mapping[str, str] = field(factory=dict)
    """Event names for requests from the server, by method."""


class Follower:
    """One stream of events."""

    def __init__(self, session: Session, options: FollowOptions, started: float, stamp: Stamp) -> None:
        """Set up the stream; the session's deadline is its end."""
        self.session = session
        self.options = options
        self._lines = EventLines(stamp, options.event_names, shows_logs=options.logs)
        self.state: State = "connected"
        self.printed: int = 0
        self.changed: dict[str, None] = {}
        self.last_heard: float = started
        self.pending_ping: tuple[Id, float] | None = None
        self.lost: Fault | None = None

    def transition(self, turn: FollowTrigger) -> None:
        """Move to the next state of the transition table."""
        self.state = FOLLOW_TRANSITIONS[self.state, turn]

    def stream(self) -> Effects[PlanResult]:
        """Print events until the stream ends."""
        self.transition("result")
        if self.options.uri is not None:
            yield from self._show([self._lines.line("subscribed", (yield Now()), {"uri": self.options.uri})])
        while self.state == "streaming":
            yield from self._wait()
            yield from self._process_events()
        return PlanResult(None, self.lost)

    def _wait(self) -> Effects[None]:
        """Wait for an event, a ping deadline or the time limit."""
        known = [time for time in (self.session.deadline, self._ping_due()) if time is not None]
        if not self._limit_reached(0):
            yield from self.session.process_pending(min(known) if known else None)

    def _ping_due(self) -> float | None:
        """Time at which the next ping, or the response to the last one, is due."""
        if self.pending_ping is not None:
            return self.pending_ping[1] + self.session.terms.timeout
        interval = None if self.session.modern else self.options.ping_interval
        return None if interval is None else self.last_heard + interval

    def run_live(self, effects: Effects[T]) -> Effects[T]:
        """Perform the effects, and print each event as it arrives."""
        record, arrived = self.session.record, list[Event]()

        def keep(event: Event) -> None:
            record(event)
            arrived.append(event)

        self.session.record = keep
        reply: Any = None
        while True:
            try:
                effect = effects.send(reply)
            except StopIteration as done:
                self.session.record = record
                # These events have been printed.
                self.session.events.pop_all()
                return cast("T", done.value)
            lines = [line for event in arrived for line in self._lines.of(event)]
            arrived.clear()
            yield from self._show(lines if self.options.max_events is None else lines[: self._room()])
            reply = yield effect

    def _room(self) -> int:
        return max((self.options.max_events or 0) - self.printed, 0)

    def show_result(self, ended: PlanResult) -> Effects[None]:
        """Print the result: a line and an empty line, or an event, which may also have the server's error."""
        if not self.options.live:
            if ended.result is not None:
                yield Emit(f"{dump(ended.result)}\n\n", verbatim=True)
        elif ended.document is not None:
            head = dump({"event": "result", "timestamp": self._lines.stamp((yield Now()))})
            shown = f'{{"result":{dump(ended.result)}}}' if ended.result is not None else dump(ended.document)
            yield Emit(f"{head[:-1]},{shown[1:]}\n", verbatim=True)

    def flush(self) -> Effects[None]:
        """Print the events before a failure, without waiting for more."""
        lines, closed = self._format_events((yield Now()))
        ends = [] if closed is None or isinstance(closed, Interrupted) else [self._lines.closed(closed, (yield Now()))]
        yield from self._show([*lines, *ends])

    def _process_events(self) -> Effects[None]:
        """Print all received events, and update the state."""
        now: float = yield Now()
        lines, closed = self._format_events(now)
        yield from self._show(lines)
        yield from self._refetch()
        yield from self._update_state(closed, now)

    def _format_events(self, now: float) -> tuple[list[str], Fault | None]:
        """Format all received events; the fault, if any, is the reason that the stream ends."""
        closed: Fault | None = None
        lines: list[str] = []
        if self.session.dropped:
            # The oldest events are dropped, so this line precedes all others.
            lines.append(self._lines.line("dropped", now, {"count": self.session.dropped}))
            self.session.dropped = 0
        for event in self.session.events.pop_all():
            if self._limit_reached(len(lines)):
                break
            self.last_heard = now
            closed = self._subscription_end(event) or closed
            if self._marks_change(event):
                continue
            if (
                isinstance(event, ResponseReceived)
                and self.pending_ping is not None
                and event.request_id == self.pending_ping[0]
            ):
                closed = closed or self._pong(event.outcome)
            else:
                closed = _end_of_stream(event) or closed
                lines += self._lines.of(event)
                # The note that there is no stream is not sent by the server, so --max-events does not count it.
                self.printed -= isinstance(event, TransportNote) and event.event == "no-stream"
        return lines, closed

    def _subscription_end(self, event: Event) -> Fault | None:
        """Return a fault if the server ended the subscription."""
        match event:
            # MCP 2026-07-28, subscriptions: the server ends one by its result, or by notifications/cancelled.
            case ResponseReceived(number, Success()):
                pass
            case NotificationReceived("notifications/cancelled", params) if params is not None:
                number = as_id(as_object(params.value).get("requestId"))
            case _:
                return None
        if self.session.methods.get(number) != LISTEN:
            return None
        return Unreachable("CONNECTION_LOST", "the server has ended the subscription")

    def _pong(self, outcome: Result[Exact]) -> Fault | None:
        """Return the fault of a failed connection; any response to a ping, even an error, is fine."""
        self.pending_ping = None
        match outcome:
            case Failure(Unreachable() as fault):
                return fault
            case _:
                return None

    def _update_state(self, closed: Fault | None, now: float) -> Effects[None]:
        if isinstance(closed, Interrupted):
            self.transition("signal")
        elif closed is not None:
            self.transition("closed")
            self.lost = closed
            yield from self._show([self._lines.closed(closed, now)])
        elif self._limit_reached(0):
            self.transition("enough")
        elif self.session.deadline is not None and now >= self.session.deadline:
            self.transition("timeout")
        else:
            yield from self._ping(now)

    def _limit_reached(self, more: int) -> bool:
        return self.options.max_events is not None and self.printed + more >= self.options.max_events

    def _show(self, lines: list[str]) -> Effects[None]:
        if lines:
            self.printed += len(lines)
            yield Emit("\n".join(lines) + "\n")

    def _ping(self, now: float) -> Effects[None]:
        """Send a ping if one is due; end the stream if the response to the last one is overdue."""
        due = self._ping_due()
        if due is None or now < due:
            return
        if self.pending_ping is None:
            self.pending_ping = yield from self.session.send(Call("ping"))
            return
        number, at = self.pending_ping
        yield from self.session.cancel(number, now - at)
        silent = f"the server did not answer a ping within {round(now - at, 3):g} s"
        yield from self._update_state(Unreachable("CONNECTION_LOST", silent), now)

    def _marks_change(self, event: Event) -> bool:
        """Note a resource or list to fetch again; return True if the notification itself is not shown."""
        if not isinstance(event, NotificationReceived):
            return False
        uri = as_object(event.params.value).get("uri") if event.params is not None else None
        if event.method == "notifications/resources/updated" and self.options.uri is not None and isinstance(uri, str):
            self.changed[uri] = None
            return True
        if self.options.refetch and event.method in LIST_METHODS:
            self.changed[event.method] = None
        return False

    def _refetch(self) -> Effects[None]:
        """Fetch changed lists and resources again; several changes cause one request."""
        dirty, self.changed = self.changed, {}
        for what in dirty:
            if self._limit_reached(0):
                return
            outcome = yield from self._run_limited(_refetch_plan(what))
            if isinstance(self.session.connection_fault, Interrupted):
                return
            yield from self._show([self._lines.fetched(what, outcome, (yield Now()))])

    def _run_limited(self, plan: Plan) -> Effects[Result[Printable]]:
        """Run a plan; the session's deadline ends it no later than the stream."""
        begun = begin(plan)
        assert isinstance(begun, StartedPlan)
        ended = yield from run_plan(begun, self.session, lambda _: None)
        return Success(ended.result) if ended.fault is None else Failure(ended.fault)


def announcing(effects: Effects[T], session: Session, tell: Callable[[str], None]) -> Effects[T]:
    """Perform the effects, and tell the user when the connection is established."""
    reply: Any = None
    is_announced = False
    while True:
        try:
            effect = effects.send(reply)
        except StopIteration as done:
            return cast("T", done.value)
        if session.server is not None and not is_announced:
            is_announced = True
            name = as_text(as_object(session.server.info.value).get("name")) or "the server"
            tell(f"connected to {name}; waiting for events (Ctrl-C to stop)")
        reply = yield effect


def _end_of_stream(event: Event) -> Fault | None:
    """Return the fault if the event ends the stream: a lost connection or a lost response stream."""
    match event:
        case ConnectionClosed(fault) | ResponseReceived(outcome=Failure(Unreachable() as fault)):
            return fault
        case _:
            return None


def _refetch_plan(what: str) -> Plan:
    """Build the plan that fetches a changed list, named by its notification, or a changed resource."""
    if what in LIST_METHODS:
        return all_pages(LIST_METHODS[what], LIST_METHODS[what].partition("/")[0])
    return request("resources/read", {"uri": what})
