"""One request after another on one connection; in between, what the server says is heard."""

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
Chore: TypeAlias = Callable[[], Effects[None] | None]
Lost: TypeAlias = Callable[[Fault], Awaitable[None]]


class Worker:
    """The queue of a connection, and the task that works it off."""

    def __init__(self, link: Connection, chore: Chore, lost: Lost, now: Callable[[], float]) -> None:
        """Nothing waits; a chore is what there is to do when nothing does."""
        self.queue: RequestQueue = RequestQueue()
        self._link = link
        self._now = now
        self._chore = chore
        self._lost = lost
        self._waiting: dict[int, tuple[Work, asyncio.Future[PlanResult]]] = {}
        self._task: asyncio.Task[None] | None = None
        self._reopening = False
        self._running: tuple[int, asyncio.Task[PlanResult]] | None = None

    def start(self) -> None:
        """From now on what is queued is carried out."""
        self._task = asyncio.create_task(self._run())

    async def stop(self, fault: Fault) -> None:
        """Nothing is carried out any more, and what waited is rejected."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        self.reject(fault)

    async def do(self, method: str, work: Work, params: Printable, *, alone: bool = False) -> PlanResult:
        """How the work ended, when its turn had come; what needs no server may be done without a connection."""
        if alone and self._task is None:
            return await self._link.perform(work())
        if asyncio.current_task() in (self._task, self._running and self._running[1]):
            asked = "a function that answers the server cannot ask it: the server waits for its answer"
            raise McpiError(Invalid("INVALID_ARGUMENT", method, asked))
        lost = self._link.session.connection_fault
        if (lost is not None and not self._reopening) or self._task is None:
            # Who tries again and again lets the connection be opened meanwhile.
            await asyncio.sleep(0)
            raise McpiError(lost or Unreachable("CONNECTION_LOST", "there is no connection: connect first"))
        entry = self.queue.enqueue(method, params, self._now())
        future: asyncio.Future[PlanResult] = asyncio.get_running_loop().create_future()
        self._waiting[entry.id] = (work, future)
        self._link.wake()
        try:
            return await future
        except asyncio.CancelledError:
            # Who waits no more does not want it done either.
            self.cancel(entry.id)
            if self._running is not None and self._running[0] == entry.id:
                self._running[1].cancel()
            raise

    def cancel(self, number: int) -> bool:
        """Whether a request of that number was still waiting, and waits no more."""
        if not self.queue.cancel(number, self._now()):
            return False
        self._waiting.pop(number)[1].cancel()
        return True

    def reject(self, fault: Fault) -> None:
        """Whatever waits has waited in vain."""
        for entry in self.queue.reject_all(fault, self._now()):
            future = self._waiting.pop(entry.id)[1]
            if not future.done():
                future.set_result(PlanResult(None, fault))

    async def _run(self) -> None:
        session = self._link.session
        while session.connection_fault is None:
            entry = self.queue.start_next(self._now())
            if entry is not None:
                await self._carry_out(entry)
            else:
                await self._link.perform(self._chore() or session.process_pending(None))
            if session.connection_fault is not None:
                self.reject(session.lost)
                self._reopening = True
                await self._lost(session.lost)
                self._reopening = False
        # What came while the connection was opened again waited for it in vain.
        self.reject(session.connection_fault)

    async def _carry_out(self, entry: QueuedRequest) -> None:
        work, future = self._waiting.pop(entry.id)
        acts = work()
        self._running = entry.id, asyncio.create_task(self._link.perform(acts))
        try:
            ended = await self._running[1]
        except asyncio.CancelledError:
            if not self._is_stopping():
                await self._give_up(entry, acts)
                return
            gone = Interrupted("disconnect")
            self._finish(entry, gone)
            if not future.done():
                future.set_result(PlanResult(None, gone))
            raise
        except Exception as error:  # noqa: BLE001 - whoever asked gets it, and the others are served
            fault = Invalid("PLUGIN_FAILED", entry.method, f"{type(error).__name__}: {error}")
            self._finish(entry, fault)
            told = McpiError(fault)
            told.__cause__ = error
            if not future.done():
                future.set_exception(told)
            return
        self._finish(entry, ended.fault)
        if not future.done():
            future.set_result(ended)

    def _is_stopping(self) -> bool:
        return self._task is None or self._task.cancelling() > 0

    async def _give_up(self, entry: QueuedRequest, acts: Effects[PlanResult]) -> None:
        """Nobody waits for what runs: the server is told so, and the next has its turn."""
        acts.close()
        self._finish(entry, Interrupted("cancellation"))
        await self._link.perform(cancel_abandoned(self._link.session))

    def _finish(self, entry: QueuedRequest, fault: Fault | None) -> None:
        self._running = None
        self._link.session.keep_events = False
        self._link.session.events.clear()
        self.queue.finish(entry, fault, self._now())
