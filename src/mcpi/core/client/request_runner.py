"""Run queued requests concurrently on one session, and process the server's messages."""

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias, cast

from attrs import define, evolve, field

from mcpi.core.client.request_queue import QueuedRequest, RequestQueue
from mcpi.core.outcome.explain import sentence
from mcpi.core.outcome.faults import Fault, Interrupted, TimedOut, Unreachable
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.plan import PlanResult, plugin_failure
from mcpi.core.plans.steps import Call
from mcpi.core.session.effects import (
    AwaitMessage,
    ConnectionLost,
    Effect,
    Effects,
    Inbound,
    MessagesProcessed,
    Now,
    RequestFailed,
    SendMessage,
    TimerExpired,
)
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id, Notification, Request
from mcpi.core.wire.peer import Received

Work: TypeAlias = Callable[[], Effects[PlanResult]]
IdleWork: TypeAlias = Callable[[], Effects[None] | None]
Finished: TypeAlias = Callable[[QueuedRequest, PlanResult], None]

MAX_OLD_TIMERS = 100
"""Maximum number of replaced timers to keep, in addition to one for each running request."""


@define(eq=False)
class _Active:
    """A running request; background work has no entry in the queue."""

    effects: Effects[Any]
    entry: QueuedRequest | None
    timer: int = 0
    """Number of the timer that it waits for; 0 for none."""
    message_ids: list[Id] = field(factory=list)


class RequestRunner:
    """The running requests of one session."""

    def __init__(self, session: Session, queue: RequestQueue, idle: IdleWork, finished: Finished) -> None:
        """Set up without running requests; `idle` returns background work, `finished` is called with each result."""
        self.work: dict[int, Work] = {}
        """The work of pending requests, by the numbers in the queue."""
        self.ping_interval: float | None = None
        """Seconds without a message after which a ping is sent."""
        self.on_start: Callable[[], None] = lambda: None
        """Called after a request has been started."""
        self._session = session
        self._queue = queue
        self._idle = idle
        self._finished = finished
        self._active: dict[_Active, None] = {}
        self._owners: dict[Id, _Active] = {}
        self._timers: list[tuple[float, int, _Active]] = []
        self._timer_count = 0
        self._to_cancel: list[int] = []
        self._at_once: list[QueuedRequest] = []
        self._heard = 0.0

    def start_at_once(self, entry: QueuedRequest) -> None:
        """Start a pending request although others are running, as one of them waits for it."""
        self._at_once.append(entry)

    def request_of(self, number: Id) -> QueuedRequest | None:
        """Return the running request that sent the JSON-RPC request with that id."""
        owner = self._owners.get(number)
        return None if owner is None else owner.entry

    def cancel(self, number: int) -> bool:
        """Cancel a running request at the next opportunity; return False if it is not running."""
        running = any(one.entry is not None and one.entry.id == number for one in self._active)
        if running:
            self._to_cancel.append(number)
        return running

    def run(self) -> Effects[None]:
        """Run requests and process messages until the connection is lost."""
        session = self._session
        self._heard = yield Now()
        while session.connection_fault is None:
            if self._to_cancel:
                yield from self._cancel_running()
            yield from self._start()
            inbound: Inbound = yield AwaitMessage(self._next_deadline())
            if type(inbound) is TimerExpired:
                yield from self._time_has_come(inbound.at)
            else:
                self._heard = inbound.at
                yield from self._process(inbound)
        yield from self._wake(tuple(self._active), MessagesProcessed((yield Now())))

    def abandon(self, fault: Fault, now: float) -> None:
        """Fail the running requests without further effects."""
        for active in tuple(self._active):
            active.effects.close()
            self._remove(active)
            if active.entry is not None:
                self._queue.finish(active.entry, fault, now)
                self._finished(active.entry, PlanResult(None, fault))

    def _next_deadline(self) -> float | None:
        while self._timers and self._timers[0][1] != self._timers[0][2].timer:
            heappop(self._timers)
        first = self._timers[0][0] if self._timers else None
        if self.ping_interval is None or self._active:
            return first
        return self._heard + self.ping_interval

    def _start(self) -> Effects[None]:
        while self._at_once or self._may_start or not self._active:
            now: float = yield Now()
            first = self._at_once.pop(0) if self._at_once else None
            if first is not None and first.status != "pending":
                continue
            entry = self._queue.start_next(now) if first is None else self._queue.start(first, now)
            if entry is not None:
                self.on_start()
                yield from self._begin(_Active(self.work.pop(entry.id)(), entry))
                continue
            chore = self._idle()
            if chore is None:
                return
            yield from self._begin(_Active(chore, None))

    @property
    def _may_start(self) -> bool:
        """True if a request can start; a serial queue also waits for background work."""
        return self._queue.can_start and (self._queue.limit > 1 or not self._active)

    def _begin(self, active: _Active) -> Effects[None]:
        self._active[active] = None
        yield from self._step(active, None)

    def _time_has_come(self, at: float) -> Effects[None]:
        due: list[_Active] = []
        while self._timers and self._timers[0][0] <= at:
            _, number, active = heappop(self._timers)
            if active.timer == number:
                due.append(active)
        yield from self._wake(due, TimerExpired(at))
        if self.ping_interval is not None and not self._active and at >= self._heard + self.ping_interval:
            self._heard = at
            yield from self._begin(_Active(self._ping(), None))

    def _ping(self) -> Effects[None]:
        """Send a ping; if the server does not respond in time, the connection counts as lost."""
        answered = yield from self._session.call(Call("ping", allow_failure=True))
        if isinstance(answered, Failure) and isinstance(answered.failure(), TimedOut):
            at: float = yield Now()
            timeout = sentence(answered.failure())
            lost = Unreachable("CONNECTION_LOST", f"the server stopped responding: {timeout}")
            yield from self._session.absorb(ConnectionLost(lost, at))

    def _process(self, inbound: Inbound) -> Effects[None]:
        session = self._session
        asked = session.questions.waiting
        if not session.process_simple(inbound):
            yield from session.absorb(inbound)
        if asked is not session.questions.waiting or not isinstance(inbound, Received | RequestFailed):
            yield from self._wake(tuple(self._active), MessagesProcessed(inbound.at))
            return
        if isinstance(inbound, RequestFailed):
            numbers: tuple[Id, ...] = (inbound.request_id,)
        else:
            numbers = tuple(one.id for one in inbound.messages if not isinstance(one, Notification | Request))
        owners = [self._owners[number] for number in numbers if number in self._owners]
        if session.keep_events:
            owners = [*self._active]
        yield from self._wake(owners, MessagesProcessed(inbound.at))

    def _wake(self, some: Iterable[_Active], inbound: Inbound) -> Effects[None]:
        for active in some:
            if active in self._active:
                yield from self._step(active, inbound)

    def _step(self, active: _Active, reply: object) -> Effects[None]:
        """Run a request until it waits for a message."""
        active.timer = 0
        while True:
            try:
                effect = self._send(active, reply)
            except StopIteration as done:
                self._end(active, cast("PlanResult", done.value))
                return
            except Exception as error:  # noqa: BLE001 - the caller gets it, and other requests continue
                self._end(active, plugin_failure(error))
                return
            if type(effect) is AwaitMessage:
                if effect.until is not None:
                    self._set_timer(active, effect.until)
                return
            if type(effect) is SendMessage and effect.kind == "request":
                self._owners[effect.request_id] = active
                active.message_ids.append(effect.request_id)
                if active.entry is not None:
                    active.entry.message_ids.append(effect.request_id)
                    active.entry.sent = effect.data
            reply = yield effect

    def _set_timer(self, active: _Active, until: float) -> None:
        self._timer_count = active.timer = self._timer_count + 1
        heappush(self._timers, (until, active.timer, active))
        if len(self._timers) > 2 * len(self._active) + MAX_OLD_TIMERS:
            # Replaced timers stay behind that of a slow request, and keep the results of their requests.
            self._timers = [one for one in self._timers if one[1] == one[2].timer]
            heapify(self._timers)

    def _send(self, active: _Active, reply: object) -> Effect:
        """Resume a request, with its own settings if it has any."""
        own = {} if active.entry is None else active.entry.options.terms
        if not own:
            return active.effects.send(reply)
        before = self._session.terms
        self._session.terms = evolve(before, **own)
        try:
            return active.effects.send(reply)
        finally:
            self._session.terms = evolve(self._session.terms, **{name: getattr(before, name) for name in own})

    def _cancel_running(self) -> Effects[None]:
        numbers, self._to_cancel = self._to_cancel, []
        for active in [one for one in self._active if one.entry is not None and one.entry.id in numbers]:
            active.effects.close()
            self._remove(active)
            now: float = yield Now()
            session, fault = self._session, Interrupted("cancellation")
            # MCP 2025-11-25, cancellation: notifications "MUST only reference requests that [...] are believed to
            # still be in-progress".
            for number in active.message_ids:
                if number in session.peer.outstanding:
                    waited = now - session.last_activity[number]
                    yield from session.cancel(number, waited, "abandoned after")
                session.forget(number)
            entry = cast("QueuedRequest", active.entry)
            self._queue.cancelled(entry, fault, now)
            self._finished(entry, PlanResult(None, fault))

    def _end(self, active: _Active, result: PlanResult) -> None:
        self._remove(active)
        if active.entry is not None:
            self._finished(active.entry, result)

    def _remove(self, active: _Active) -> None:
        self._active.pop(active, None)
        active.timer = 0
        for number in active.message_ids:
            self._owners.pop(number, None)
        if not self._active:
            self._session.keep_events = False
            self._session.events.clear()
