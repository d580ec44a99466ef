"""What a transport brings, until somebody looks at it."""

import asyncio
from collections import deque
from collections.abc import Callable

from attrs import evolve

from mcpi.core.session.effects import Inbound, TimerExpired
from mcpi.core.session.session import Session
from mcpi.core.wire.jsonrpc import Id, InvalidMessage, parse
from mcpi.core.wire.peer import Received
from mcpi.core.wire.violations import Violation
from mcpi.shell.context import Clock

BACKLOG, ROOM = 10_000, 8 << 20
"""So many unread messages, or bytes of them, make the transport stop reading."""


class Inbox:
    """What arrived and was not looked at yet."""

    def __init__(self, session: Session, received: Callable[[Received, float], None], clock: Clock) -> None:
        """Messages are read by the session's peer of the moment, and told."""
        self._session = session
        self._received = received
        self.now: Callable[[], float] = clock.now
        self.items: deque[Inbound] = deque()
        self.waiter: asyncio.Future[None] | None = None
        self._room = asyncio.Event()
        self._size = 0

    def take_in(self, raw: bytes, violation: Violation | None = None, about: Id = None) -> None:
        """A message, as its bytes came; where it is known which request they are about, it need not say so."""
        received = self._session.peer.receive(raw, self.now(), about)
        if violation is not None:
            received = evolve(received, violations=(*received.violations, violation))
        self._arrive(received)

    def take_in_rest(self, raw: bytes, violation: Violation) -> None:
        """What stood after the last line end: a message, or the half of one, which is no answer yet."""
        messages, violations = parse(raw)
        if any(isinstance(message, InvalidMessage) for message in messages):
            self._arrive(Received((), (*violations, violation), raw, self.now()))
        else:
            self.take_in(raw, violation)

    def _arrive(self, received: Received) -> None:
        self._received(received, received.at)
        if received.messages or received.violations:
            items = self.items
            self._size = len(received.raw) + (self._size if items else 0)
            items.append(received)
            if self.waiter is not None:
                wake(self.waiter)

    def put(self, inbound: Inbound) -> None:
        """One more; whoever waits is woken."""
        self.items.append(inbound)
        if self.waiter is not None:
            wake(self.waiter)

    def wake(self) -> None:
        """Whoever waits is woken, though nothing has arrived."""
        self.put(TimerExpired(self.now()))

    def expects(self, number: Id) -> bool:
        """Whether the request still waits for its answer."""
        return number in self._session.peer.outstanding

    async def room(self) -> None:
        """There is room for more; until then a stream is not read."""
        while self.full:
            self._room.clear()
            await self._room.wait()

    def make_room(self) -> None:
        """What had arrived has been read."""
        self._room.set()

    @property
    def full(self) -> bool:
        """Whether the transport should stop reading."""
        return len(self.items) >= BACKLOG or (self._size >= ROOM and len(self.items) > 0)


def wake(waiter: "asyncio.Future[None]") -> None:
    """Whoever waits goes on."""
    if not waiter.done():
        waiter.set_result(None)
