"""What the core asks for is done, one act after the other."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

from mcpi.core.debugger.probe import Program
from mcpi.core.outcome.faults import Interrupted, TimedOut
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import AskFunction, Debug, Emit, Validate
from mcpi.core.plans.world_steps import WorldStep
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
    SendMessage,
    TimerExpired,
)
from mcpi.shell.connection.ports import Performer, Ports
from mcpi.shell.transports.inbox import Inbox, wake

if TYPE_CHECKING:
    from mcpi.core.debugger.verdict import Verdict

T = TypeVar("T")

TURN = 0.01
"""Seconds that the loop may be kept from its other work, if that is ours alone."""


class Transport(Protocol):
    """What carries messages."""

    opening: str
    """What has not been answered as long as it is not open."""

    async def open(self) -> Result[float]:
        """Connected, at that time."""
        ...

    def send(self, outgoing: SendMessage) -> bool:
        """Whether the message is on its way; where the transport has another way to say it, nothing is sent."""
        ...

    def listen(self) -> None:
        """What the server says unasked is listened to."""
        ...

    def resume(self) -> None:
        """All that had arrived is read: more may come."""
        ...

    def glance(self) -> None:
        """What comes within a moment is read, without the loop if that is quicker."""
        ...

    def finish(self) -> None:
        """Patience is at an end: a message whose own end is missing arrives as it is."""
        ...

    async def close(self, *, stay: bool) -> None:
        """Nothing is left of the connection; who need not stay for that may leave it to others."""
        ...


Look: TypeAlias = Callable[[Program], Coroutine[None, None, "Verdict"]]


class Driver:
    """Carries out acts over one transport."""

    def __init__(
        self, transport: Transport, inbox: Inbox, ports: Ports, performer: Callable[[], Performer], look: Look
    ) -> None:
        """Nothing is open yet; what goes out is told, what is beside the connection is looked for when it is wanted."""
        self._make_performer = performer
        self._performer: Performer | None = None
        self._look = look
        self.transport = transport
        self.inbox = inbox
        self.ports = ports
        self._now = ports.context.clock.now
        self.interrupted: str | None = None
        self._turned = 0.0

    def interrupt(self, signal: str) -> None:
        """The work ends as if the connection were gone."""
        self.interrupted = signal
        self.inbox.put(ConnectionLost(Interrupted(signal), self._now()))

    async def run(self, acts: Effects[T]) -> T:
        """What the acts lead to."""
        reply: Any = None
        while True:
            try:
                act = acts.send(reply)
            except StopIteration as done:
                return cast("T", done.value)
            if type(act) is AwaitMessage:
                # _in_time, said once more: this is done for each message of a flood.
                items, until = self.inbox.items, act.until
                if items and (not until or items[0].at <= until):
                    reply = items.popleft()
                else:
                    reply = TimerExpired(self._now()) if until == 0 else await self._wait(until)
            elif type(act) is CollectMessages:
                reply = await self._collect(act.until)
            else:
                reply = await self._do(act)

    async def _do(self, act: Effect) -> object:
        match act:
            case SendMessage():
                said = self.transport.send(act)
                at = self._now()
                if said:
                    self.ports.tap.sent(act, at)
                return at
            case Now():
                return self._now()
            case Emit():
                await self.ports.emit(act)
                return None
            case _:
                return await self._do_rarer(act)

    async def _do_rarer(self, act: Effect) -> object:
        match act:
            case OpenTransport(within):
                return await self._open(within)
            case OpenServerStream():
                self.transport.listen()
            case CloseTransport():
                await self.transport.close(stay=True)
            case Validate(value, schema):
                from mcpi.shell.connection.json_schema import schema_problems  # noqa: PLC0415 - jsonschema is heavy and rarely wanted

                return schema_problems(value, schema, self._now)
            case _:
                return await self._do_beside(act)
        return None

    async def _do_beside(self, act: Effect) -> object:
        """What has nothing to do with the transport."""
        match act:
            case AskFunction():
                return await self.ports.consult(act)
            case Debug():
                return await self._debug(act)
            case FlushDebugger():
                await self.ports.settle()
                return None
            case Authorize(fault):
                return self.performer.use(await self.run(self.performer.authorize(fault)))
            case _:
                assert isinstance(act, WorldStep)
                work = await self._attend(self.performer.perform(act))
                return Failure(Interrupted(str(self.interrupted))) if work.cancelled() else work.result()

    async def _open(self, within: float) -> Result[float]:
        opening: asyncio.Task[Result[float]] = await self._attend(self.transport.open(), within)
        if not opening.cancelled():
            return opening.result()
        if self.interrupted is not None:
            return Failure(Interrupted(self.interrupted))
        return Failure(TimedOut("CONNECTION_TIMEOUT", within, self.transport.opening))

    async def _attend(self, work: Coroutine[Any, Any, T], within: float | None = None) -> "asyncio.Task[T]":
        """Wait until the work is done; an interruption or the time limit cancels it.

        Messages that arrive meanwhile are kept.
        """
        task = asyncio.get_running_loop().create_task(work)
        until = None if within is None else self._now() + within
        waiter: asyncio.Future[None] | None = None

        def ended(_: object) -> None:
            if waiter is not None:
                wake(waiter)

        task.add_done_callback(ended)
        try:
            while not task.done() and self.interrupted is None and (until is None or self._now() < until):
                # Everything that arrives wakes us too: it may be an interruption.
                waiter = self.inbox.waiter = asyncio.get_running_loop().create_future()
                await self._sleep(waiter, until)
        finally:
            task.cancel()
        await asyncio.wait([task])
        return task

    async def _sleep(self, waiter: "asyncio.Future[None]", until: float | None) -> None:
        """Wait for the waiter to be woken, or for the time."""
        clock = self.ports.context.clock
        timer = None if until is None else clock.call_later(max(until - self._now(), 0), wake, waiter)
        try:
            await waiter
        finally:
            self.inbox.waiter = None
            if timer is not None:
                timer.cancel()

    @property
    def performer(self) -> Performer:
        """The performer of effects beside the connection, made when the first is wanted."""
        if self._performer is None:
            self._performer = self._make_performer()
        return self._performer

    async def close(self) -> None:
        """What was opened beside the connection is closed."""
        if self._performer is not None:
            await self._performer.close()

    async def _debug(self, wanted: Debug) -> "Result[Verdict]":
        """Debug the program; a signal ends it."""
        work = await self._attend(self._look(wanted.program))
        return Failure(Interrupted(str(self.interrupted))) if work.cancelled() else Success(work.result())

    async def _collect(self, until: float | None) -> Sequence[Inbound]:
        items = self.inbox.items
        if not items and until != 0:
            await self._stir(until)
        if not self._in_time(until):
            return ()
        found = tuple(items)
        items.clear()
        return found

    async def _wait(self, until: float | None) -> Inbound:
        await self._stir(until)
        return self.inbox.items.popleft() if self._in_time(until) else TimerExpired(self._now())

    async def _stir(self, until: float | None) -> None:
        """Something has arrived, or the time has come."""
        self.transport.resume()
        if self.ports.alone and not self.inbox.items:
            await self._glance()
        if not self.inbox.items:
            waiter = self.inbox.waiter = asyncio.get_running_loop().create_future()
            await self._sleep(waiter, until)

    async def _glance(self) -> None:
        """What comes at once has arrived; the loop, which hears of all else, has its turn now and then."""
        if self._now() - self._turned > TURN:
            await asyncio.sleep(0)
            self._turned = self._now()
        if not self.inbox.items:
            self.transport.glance()

    def _in_time(self, until: float | None) -> bool:
        """Whether something came before the time was up: who never stops talking does not put off the end."""
        items = self.inbox.items
        return bool(items) and (not until or items[0].at <= until)
