"""What the core asks for is done, one act after the other."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

from mcpi.core.acts import (
    Act,
    Acts,
    Arrived,
    Authorize,
    Await,
    Expired,
    Gone,
    Inbound,
    Listen,
    Now,
    Open,
    Settle,
    Shut,
    Transmit,
)
from mcpi.core.aside import Aside
from mcpi.core.faults import Interrupted, TimedOut
from mcpi.core.inspector.program import Program
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.session import Session
from mcpi.core.steps import Consult, Debug, Emit, Validate
from mcpi.core.wire.jsonrpc import Garbled, Id, parse
from mcpi.core.wire.peer import Received
from mcpi.core.wire.violations import Violation
from mcpi.shell.wiring import Wiring, World

if TYPE_CHECKING:
    from mcpi.core.inspector.verdict import Verdict

T = TypeVar("T")
now: Callable[[], float] = time.monotonic
BACKLOG, ROOM = 10_000, 8 << 20
"""So many unread messages, or bytes of them, make the transport stop reading."""


class Transport(Protocol):
    """What carries messages."""

    opening: str
    """What has not been answered as long as it is not open."""

    async def open(self) -> Outcome[float]:
        """Connected, at that time."""
        ...

    def send(self, outgoing: Transmit) -> None:
        """The message is on its way."""
        ...

    def listen(self, version: str) -> None:
        """What the server says unasked is listened to."""
        ...

    def resume(self) -> None:
        """All that had arrived is read: more may come."""
        ...

    def finish(self) -> None:
        """Patience is at an end: a message whose own end is missing arrives as it is."""
        ...

    async def close(self, *, stay: bool) -> None:
        """Nothing is left of the connection; who need not stay for that may leave it to others."""
        ...


class Inbox:
    """What arrived and was not looked at yet."""

    def __init__(self, session: Session, received: Callable[[Received, float], None]) -> None:
        """Messages are read by the session's peer of the moment, and told."""
        self._session = session
        self._received = received
        self.items: deque[Inbound] = deque()
        self.waiter: asyncio.Future[None] | None = None
        self._room = asyncio.Event()
        self._size = 0

    def take_in(self, raw: bytes, violation: Violation | None = None) -> None:
        """A message, as its bytes came."""
        received = self._session.peer.receive(raw)
        if violation is not None:
            received = Received(received.messages, (*received.violations, violation), raw)
        self._arrive(received)

    def take_in_rest(self, raw: bytes, violation: Violation) -> None:
        """What stood after the last line end: a message, or the half of one, which is no answer yet."""
        messages, violations = parse(raw)
        if any(isinstance(message, Garbled) for message in messages):
            self._arrive(Received((), (*violations, violation), raw))
        else:
            self.take_in(raw, violation)

    def _arrive(self, received: Received) -> None:
        at = now()
        self._received(received, at)
        if received.messages or received.violations:
            self._size = len(received.raw) + (self._size if self.items else 0)
            self.put(Arrived(received, at))

    def put(self, inbound: Inbound) -> None:
        """One more; whoever waits is woken."""
        self.items.append(inbound)
        waiter = self.waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def wake(self) -> None:
        """Whoever waits is woken, though nothing has arrived."""
        self.put(Expired(now()))

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


Look: TypeAlias = Callable[[Program], Coroutine[None, None, "Verdict"]]


class Driver:
    """Carries out acts over one transport."""

    def __init__(
        self, transport: Transport, inbox: Inbox, wiring: Wiring, outside: Callable[[], World], look: Look
    ) -> None:
        """Nothing is open yet; what goes out is told, what is beside the connection is looked for when it is wanted."""
        self._reach = outside
        self._outside: World | None = None
        self._look = look
        self.transport = transport
        self.inbox = inbox
        self.wiring = wiring
        self.interrupted: str | None = None

    def interrupt(self, signal: str) -> None:
        """The work ends as if the connection were gone."""
        self.interrupted = signal
        self.inbox.put(Gone(Interrupted(signal), now()))

    async def run(self, acts: Acts[T]) -> T:
        """What the acts lead to."""
        reply: Any = None
        while True:
            try:
                act = acts.send(reply)
            except StopIteration as done:
                return cast("T", done.value)
            if type(act) is not Await:
                reply = await self._do(act)
            elif self._in_time(act.until):
                reply = self.inbox.items.popleft()
            else:
                reply = Expired(now()) if act.until == 0 else await self._wait(act.until)

    async def _do(self, act: Act) -> object:
        match act:
            case Transmit():
                self.transport.send(act)
                at = now()
                self.wiring.tap.sent(act, at)
                return at
            case Now():
                return now()
            case Emit(text):
                await self.wiring.emit(text)
                return None
            case _:
                return await self._do_rarer(act)

    async def _do_rarer(self, act: Act) -> object:
        match act:
            case Open(within):
                return await self._open(within)
            case Listen(version):
                self.transport.listen(version)
            case Shut():
                await self.transport.close(stay=True)
            case Validate(value, schema):
                from mcpi.shell.law import problems  # noqa: PLC0415 - jsonschema is heavy and rarely wanted

                return problems(value, schema)
            case _:
                return await self._do_beside(act)
        return None

    async def _do_beside(self, act: Act) -> object:
        """What has nothing to do with the transport."""
        match act:
            case Consult():
                return await self.wiring.consult(act)
            case Debug():
                return await self._debug(act)
            case Settle():
                await self.wiring.settle()
                return None
            case Authorize(fault):
                return self.outside.use(await self.run(self.outside.authorize(fault)))
            case _:
                assert isinstance(act, Aside)
                return await self._beside(act)

    async def _open(self, within: float) -> Outcome[float]:
        opening = asyncio.ensure_future(self.transport.open())
        until = now() + within
        while not opening.done() and self.interrupted is None and now() < until:
            # What arrives meanwhile wakes us too: it may be an interruption.
            waiter = self.inbox.waiter = asyncio.get_running_loop().create_future()
            await asyncio.wait([opening, waiter], timeout=until - now(), return_when=asyncio.FIRST_COMPLETED)
            self.inbox.waiter = None
        if opening.done():
            return opening.result()
        opening.cancel()
        if self.interrupted is not None:
            return Failure(Interrupted(self.interrupted))
        return Failure(TimedOut("CONNECTION_TIMEOUT", within, self.transport.opening))

    @property
    def outside(self) -> World:
        """What is beside the connection."""
        if self._outside is None:
            self._outside = self._reach()
        return self._outside

    async def _beside(self, act: Act) -> object:
        """The reply to an act that no transport does; a signal ends it, what the server says meanwhile is kept."""
        work = asyncio.ensure_future(self.outside.perform(act))
        while not work.done() and self.interrupted is None:
            waiter = self.inbox.waiter = asyncio.get_running_loop().create_future()
            await asyncio.wait([work, waiter], return_when=asyncio.FIRST_COMPLETED)
            self.inbox.waiter = None
        if work.done():
            return work.result()
        work.cancel()
        return Failure(Interrupted(str(self.interrupted)))

    async def close(self) -> None:
        """What was opened beside the connection is closed."""
        if self._outside is not None:
            await self._outside.close()

    async def _debug(self, wanted: Debug) -> "Outcome[Verdict]":
        """What came of the program; a signal of ours ends it."""
        work = asyncio.ensure_future(self._look(wanted.program))
        while not work.done():
            waiter = self.inbox.waiter = asyncio.get_running_loop().create_future()
            if self.interrupted is not None:
                work.cancel()
            await asyncio.wait([work, waiter], return_when=asyncio.FIRST_COMPLETED)
            self.inbox.waiter = None
        if work.cancelled() and self.interrupted is not None:
            return Failure(Interrupted(self.interrupted))
        return Success(work.result())

    async def _wait(self, until: float | None) -> Inbound:
        self.transport.resume()
        if not self.inbox.items:
            loop = asyncio.get_running_loop()
            waiter = self.inbox.waiter = loop.create_future()
            timer = None if until is None else loop.call_later(max(until - now(), 0), _wake, waiter)
            try:
                await waiter
            finally:
                self.inbox.waiter = None
                if timer is not None:
                    timer.cancel()
        return self.inbox.items.popleft() if self._in_time(until) else Expired(now())

    def _in_time(self, until: float | None) -> bool:
        """Whether something came before the time was up: who never stops talking does not put off the end."""
        items = self.inbox.items
        return bool(items) and (not until or items[0].at <= until)


def _wake(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)
