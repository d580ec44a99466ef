"""Perform the effects that the core requests, one after the other."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

from mcpi.core.debugger.program.probe import Program
from mcpi.core.outcome.faults import Interrupted, TimedOut
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import AskFunction, Emit, Validate
from mcpi.core.plans.world_steps import Debug, ReadFile, RunOnServer, WorldStep
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
from mcpi.shell.io.files import read_optional_file
from mcpi.shell.transports.inbox import Inbox, wake

if TYPE_CHECKING:
    from mcpi.core.debugger.program.verdict import Verdict

T = TypeVar("T")

MAX_LOOP_DELAY = 0.01
"""Maximum time in seconds without a turn of the event loop, if it serves only this connection."""


class Transport(Protocol):
    """A transport for messages to and from a server."""

    not_open: str
    """The sentence for a timeout while the transport opens."""

    async def open(self) -> Result[float]:
        """Connect; return the completion time."""
        ...

    def send(self, outgoing: SendMessage) -> bool:
        """Send the message; return False if the transport does something else instead."""
        ...

    def open_server_stream(self) -> None:
        """Start listening for unsolicited messages."""
        ...

    def resume(self) -> None:
        """Resume reading, now that all events that had arrived have been processed."""
        ...

    def poll(self) -> None:
        """Read messages that arrive within a moment, without the event loop if that is faster."""
        ...

    def flush_incomplete(self) -> None:
        """Deliver an incomplete last message as it is, after a timeout."""
        ...

    async def close(self, *, stay: bool) -> None:
        """Close the connection; without `stay`, another process may finish the shutdown."""
        ...


RunDebugger: TypeAlias = Callable[[Program], Coroutine[None, None, "Verdict"]]


class Driver:
    """The loop that performs effects over one transport."""

    def __init__(
        self,
        transport: Transport,
        inbox: Inbox,
        ports: Ports,
        performer: Callable[[], Performer],
        run_debugger: RunDebugger,
    ) -> None:
        """Set up without connecting; the performer is created on first use."""
        self._make_performer = performer
        self._performer: Performer | None = None
        self._run_debugger = run_debugger
        self.transport = transport
        self.inbox = inbox
        self.ports = ports
        self._now = ports.context.clock.now
        self.interrupted: str | None = None
        self._last_turn = 0.0

    def interrupt(self, signal: str) -> None:
        """End the running work as if the connection were lost."""
        self.interrupted = signal
        self.inbox.put(ConnectionLost(Interrupted(signal), self._now()))

    async def run(self, effects: Effects[T]) -> T:
        """Perform the effects and return their result."""
        reply: Any = None
        while True:
            try:
                effect = effects.send(reply)
            except StopIteration as done:
                return cast("T", done.value)
            # The frequent effects need no coroutine of their own.
            if type(effect) is AwaitMessage:
                reply = self._arrived(effect.until) or await self._next_event(effect.until)
            elif type(effect) is Now:
                reply = self._now()
            elif type(effect) is SendMessage:
                reply = self._send(effect)
            elif type(effect) is CollectMessages:
                reply = await self._collect(effect.until)
            else:
                reply = await self._perform_rare(effect)

    def _send(self, effect: SendMessage) -> float:
        is_sent = self.transport.send(effect)
        at = self._now()
        if is_sent:
            self.ports.tap.sent(effect, at)
        return at

    async def _perform_rare(self, effect: Effect) -> object:
        match effect:
            case Emit():
                await self.ports.emit(effect)
            case OpenTransport(within):
                return await self._open(within)
            case OpenServerStream():
                self.transport.open_server_stream()
            case CloseTransport():
                await self.transport.close(stay=True)
            case Validate(value, schema):
                from mcpi.shell.connection.json_schema import schema_problems  # noqa: PLC0415 - jsonschema is slow to import and rarely needed

                return schema_problems(value, schema, self._now, self.inbox.note_unchecked)
            case _:
                return await self._perform_off_transport(effect)
        return None

    async def _perform_off_transport(self, effect: Effect) -> object:
        """Perform an effect that does not involve the transport."""
        match effect:
            case AskFunction():
                return self.ports.ask_function(effect)
            case Debug():
                return await self._debug(effect)
            case FlushDebugger():
                await self.ports.flush_debugger()
                return None
            case ReadFile(name):
                return read_optional_file(self.ports.context, name)
            case Authorize(fault):
                return self.performer.use_token(await self.run(self.performer.authorize(fault)))
            case _:
                assert isinstance(effect, WorldStep)
                performed: Coroutine[None, None, object] = (
                    self.ports.run_on_server(effect)
                    if isinstance(effect, RunOnServer)
                    else self.performer.perform(effect)
                )
                work = await self._await_work(performed)
                return Failure(Interrupted(str(self.interrupted))) if work.cancelled() else work.result()

    async def _open(self, within: float) -> Result[float]:
        opening: asyncio.Task[Result[float]] = await self._await_work(self.transport.open(), within)
        if not opening.cancelled():
            return opening.result()
        if self.interrupted is not None:
            return Failure(Interrupted(self.interrupted))
        seen = self.inbox.last_received
        return Failure(TimedOut("CONNECTION_TIMEOUT", within, "the connection", seen, problem=self.transport.not_open))

    async def _await_work(self, work: Coroutine[Any, Any, T], within: float | None = None) -> "asyncio.Task[T]":
        """Wait until the work is done; an interruption or the timeout cancels it.

        Messages that arrive meanwhile stay in the inbox.
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
                # Any event wakes this task as well, as it may be an interruption.
                waiter = self.inbox.waiter = asyncio.get_running_loop().create_future()
                await self._sleep(waiter, until)
        finally:
            task.cancel()
        await asyncio.wait([task])
        return task

    async def _sleep(self, waiter: "asyncio.Future[None]", until: float | None) -> None:
        """Wait until the waiter is woken or the time has come."""
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
        """Performer of effects outside the connection, created on first use."""
        if self._performer is None:
            self._performer = self._make_performer()
        return self._performer

    async def close(self) -> None:
        """Close the performer."""
        if self._performer is not None:
            await self._performer.close()

    async def _debug(self, effect: Debug) -> "Result[Verdict]":
        """Debug the program; an interruption cancels it."""
        work = await self._await_work(self._run_debugger(effect.program))
        return Failure(Interrupted(str(self.interrupted))) if work.cancelled() else Success(work.result())

    async def _collect(self, until: float | None) -> Sequence[Inbound]:
        items = self.inbox.items
        if not items and until != 0:
            self._poll_briefly()
            await self._wait_for_event(until)
        if not self._in_time(until):
            return ()
        events = tuple(items)
        items.clear()
        return events

    def _arrived(self, until: float | None) -> Inbound | None:
        """Return the next event if it has arrived or arrives within a moment; return TimerExpired if `until` is 0."""
        items = self.inbox.items
        if not items and until != 0:
            self._poll_briefly()
        if items and (not until or items[0].at <= until):
            return items.popleft()
        return TimerExpired(self._now()) if until == 0 else None

    async def _next_event(self, until: float | None) -> Inbound:
        await self._wait_for_event(until)
        return self.inbox.items.popleft() if self._in_time(until) else TimerExpired(self._now())

    async def _wait_for_event(self, until: float | None) -> None:
        """Wait until an event has arrived or the time has come."""
        if not self.inbox.items and self.ports.owns_loop and self._needs_turn():
            await asyncio.sleep(0)
            self._last_turn = self._now()
            self._poll_briefly()
        if not self.inbox.items:
            waiter = self.inbox.waiter = asyncio.get_running_loop().create_future()
            await self._sleep(waiter, until)

    def _poll_briefly(self) -> None:
        """Read messages that arrive within a moment, unless the event loop serves others or needs a turn."""
        self.transport.resume()
        if self.ports.owns_loop and not self.inbox.items and not self._needs_turn():
            self.transport.poll()

    def _needs_turn(self) -> bool:
        """Tell whether the event loop has had no turn for some time."""
        return self._now() - self._last_turn > MAX_LOOP_DELAY

    def _in_time(self, until: float | None) -> bool:
        """Return True if an event arrived in time; later events, however many, do not delay the timeout."""
        items = self.inbox.items
        return bool(items) and (not until or items[0].at <= until)
