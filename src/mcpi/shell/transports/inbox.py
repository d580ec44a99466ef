"""A queue of received messages and transport events."""

import asyncio
from collections import deque
from collections.abc import Callable

from attrs import evolve

from mcpi.core.plans.events import TransportNote
from mcpi.core.session.effects import Inbound, TimerExpired
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id, InvalidMessage, parse
from mcpi.core.wire.peer import Received
from mcpi.core.wire.violations import Violation
from mcpi.shell.context import Clock
from mcpi.shell.process.signals import end_at_once

MAX_MESSAGES, MAX_BYTES = 10_000, 8 << 20
"""Maximum number of unread messages, and of their bytes, before the transport stops reading."""


class Inbox:
    """The messages and events that have not been processed yet."""

    def __init__(self, session: Session, received: Callable[[Received, float], None], clock: Clock) -> None:
        """Parse messages with the session's current peer, and pass each to `received`."""
        self._session = session
        self._received = received
        self.now: Callable[[], float] = clock.now
        self.items: deque[Inbound] = deque()
        self.waiter: asyncio.Future[None] | None = None
        self._room = asyncio.Event()
        self._size = 0

    def receive(self, raw: bytes, violation: Violation | None = None, about: Id = None) -> None:
        """Parse and queue a message; `about` is the request that an error without an id belongs to."""
        with end_at_once(len(raw)):
            received = self._session.peer.receive(raw, self.now(), about)
            if violation is not None:
                received = evolve(received, violations=(*received.violations, violation))
            self._enqueue(received)

    def receive_rest(self, raw: bytes, violation: Violation) -> None:
        """Queue the text after the last line end; an incomplete message is queued as a violation only."""
        messages, violations = parse(raw)
        if any(isinstance(message, InvalidMessage) for message in messages):
            self._enqueue(Received((), (*violations, violation), raw, self.now()))
        else:
            self.receive(raw, violation)

    def _enqueue(self, received: Received) -> None:
        self._received(received, received.at)
        if received.messages or received.violations:
            items = self.items
            self._size = len(received.raw) + (self._size if items else 0)
            items.append(received)
            if self.waiter is not None:
                wake(self.waiter)

    def put(self, inbound: Inbound) -> None:
        """Queue an event and wake the waiting task."""
        self.items.append(inbound)
        if self.waiter is not None:
            wake(self.waiter)

    def note_unchecked(self, sentence: str) -> None:
        """Record that a part of a schema is not checked."""
        self._session.record_event(TransportNote("unchecked", {"reason": sentence}, self.now()))

    def note_partial(self, received: str) -> None:
        """Keep a description of the part of a message that has arrived, as evidence after a timeout."""
        self._session.last_received.add_partial(received)

    @property
    def last_received(self) -> str:
        """The last message, and the part of another one that arrived after it."""
        return str(self._session.last_received)

    def wake(self) -> None:
        """Wake the waiting task although nothing has arrived."""
        self.put(TimerExpired(self.now()))

    def is_pending(self, number: Id) -> bool:
        """Tell whether the request is still waiting for its response."""
        return number in self._session.peer.outstanding

    async def wait_for_room(self) -> None:
        """Wait until the queue has room for more."""
        while self.is_full:
            self._room.clear()
            await self._room.wait()

    def make_room(self) -> None:
        """Wake the streams that wait for room."""
        self._room.set()

    @property
    def is_full(self) -> bool:
        """True if the transport should stop reading."""
        return len(self.items) >= MAX_MESSAGES or (self._size >= MAX_BYTES and len(self.items) > 0)


def wake(waiter: "asyncio.Future[None]") -> None:
    """Wake the task that awaits the future."""
    if not waiter.done():
        waiter.set_result(None)
