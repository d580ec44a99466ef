"""Run queued requests one at a time on a connection, and process server messages in between."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from mcpi.core.client.request_queue import QueuedRequest, RequestQueue
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Fault, Interrupted, Invalid, Unreachable
from mcpi.core.plans.plan import PlanResult
from mcpi.core.session.effects import Effects
from mcpi.core.session.run_plan import cancel_abandoned
from mcpi.shell.client.errors import McpiError
from mcpi.shell.connection.connection import Connection

Work: TypeAlias = Callable[[], Effects[PlanResult]]
IdleWork: TypeAlias = Callable[[], Effects[None] | None]
LossHandler: TypeAlias = Callable[[Fault], Awaitable[None]]


class Worker:
    """The request queue of a connection, and the task that processes it."""

    def __init__(self, connection: Connection, chore: IdleWork, lost: LossHandler, now: Callable[[], float]) -> None:
        """Start with an empty queue; `chore` returns the work for idle times, `lost` handles a lost connection."""
        self.queue: RequestQueue = RequestQueue()
        self._connection = connection
        self._now = now
        self._chore = chore
        self._on_loss = lost
        self._waiting: dict[int, tuple[Work, asyncio.Future[PlanResult]]] = {}
        self._task: asyncio.Task[None] | None = None
        self._reopening = False
        self._running: tuple[int, asyncio.Task[PlanResult]] | None = None

    def start(self) -> None:
        """Start processing the queue."""
        self._task = asyncio.create_task(self._run())

    async def stop(self, fault: Fault) -> None:
        """Stop processing the queue, and reject all waiting requests."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        self.reject(fault)

    async def submit(self, method: str, work: Work, params: Printable, *, alone: bool = False) -> PlanResult:
        """Queue the work and return its result; with `alone`, run it at once if there is no connection."""
        if alone and self._task is None:
            return await self._connection.perform(work())
        if asyncio.current_task() in (self._task, self._running and self._running[1]):
            problem = "a function that answers the server cannot ask it: the server waits for its answer"
            raise McpiError(Invalid("INVALID_ARGUMENT", method, problem))
        lost = self._connection.session.connection_fault
        if (lost is not None and not self._reopening) or self._task is None:
            # A caller that retries in a loop must not block the reconnection.
            await asyncio.sleep(0)
            raise McpiError(lost or Unreachable("CONNECTION_LOST", "there is no connection: connect first"))
        entry = self.queue.enqueue(method, params, self._now())
        future: asyncio.Future[PlanResult] = asyncio.get_running_loop().create_future()
        self._waiting[entry.id] = (work, future)
        self._connection.wake()
        try:
            return await future
        except asyncio.CancelledError:
            # The caller was cancelled: cancel its request as well.
            self.cancel(entry.id)
            if self._running is not None and self._running[0] == entry.id:
                self._running[1].cancel()
            raise

    def cancel(self, number: int) -> bool:
        """Cancel the waiting request with that number; return False if there is none."""
        if not self.queue.cancel(number, self._now()):
            return False
        self._waiting.pop(number)[1].cancel()
        return True

    def reject(self, fault: Fault) -> None:
        """Fail all waiting requests with the fault."""
        for entry in self.queue.reject_all(fault, self._now()):
            future = self._waiting.pop(entry.id)[1]
            if not future.done():
                future.set_result(PlanResult(None, fault))

    async def _run(self) -> None:
        session = self._connection.session
        while session.connection_fault is None:
            entry = self.queue.start_next(self._now())
            if entry is not None:
                await self._run_request(entry)
            else:
                await self._connection.perform(self._chore() or session.process_pending(None))
            if session.connection_fault is not None:
                self.reject(session.connection_fault)
                self._reopening = True
                await self._on_loss(session.connection_fault)
                self._reopening = False
        # Fail the requests that were queued during the reconnection.
        self.reject(session.connection_fault)

    async def _run_request(self, entry: QueuedRequest) -> None:
        work, future = self._waiting.pop(entry.id)
        effects = work()
        self._running = entry.id, asyncio.create_task(self._connection.perform(effects))
        try:
            result = await self._running[1]
        except asyncio.CancelledError:
            if not self._is_stopping():
                await self._give_up(entry, effects)
                return
            interrupted = Interrupted("disconnect")
            self._finish(entry, interrupted)
            if not future.done():
                future.set_result(PlanResult(None, interrupted))
            raise
        except Exception as error:  # noqa: BLE001 - the caller gets it, and other requests continue
            fault = Invalid("PLUGIN_FAILED", entry.method, f"{type(error).__name__}: {error}")
            self._finish(entry, fault)
            failure = McpiError(fault)
            failure.__cause__ = error
            if not future.done():
                future.set_exception(failure)
            return
        self._finish(entry, result.fault)
        if not future.done():
            future.set_result(result)

    def _is_stopping(self) -> bool:
        return self._task is None or self._task.cancelling() > 0

    async def _give_up(self, entry: QueuedRequest, effects: Effects[PlanResult]) -> None:
        """Cancel the running request, whose caller no longer waits, and notify the server."""
        effects.close()
        self._finish(entry, Interrupted("cancellation"))
        await self._connection.perform(cancel_abandoned(self._connection.session))

    def _finish(self, entry: QueuedRequest, fault: Fault | None) -> None:
        self._running = None
        self._connection.session.keep_events = False
        self._connection.session.events.clear()
        self.queue.finish(entry, fault, self._now())
