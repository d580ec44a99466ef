"""The request queue of a connection, and the task that processes it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias, cast

from mcpi.core.client.request_queue import CallOptions, QueuedRequest, RequestQueue
from mcpi.core.client.request_runner import IdleWork, RequestRunner, Work
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Fault, Interrupted, Unreachable
from mcpi.core.plans.plan import PlanResult
from mcpi.shell.client.errors import McpiError
from mcpi.shell.client.pending_requests import is_answering
from mcpi.shell.connection.connection import Connection

LossHandler: TypeAlias = Callable[[Fault], Awaitable[None]]


class Worker:
    """Runs the queued requests of a connection, and reopens it when it is lost."""

    def __init__(
        self,
        connection: Connection,
        queue: RequestQueue,
        idle: IdleWork,
        lost: LossHandler,
        now: Callable[[], float],
    ) -> None:
        """Start with an empty queue; `idle` returns work for the background, `lost` handles a lost connection."""
        self.queue: RequestQueue = queue
        self.runner: RequestRunner = RequestRunner(connection.session, queue, idle, self._finished)
        self.on_change: Callable[[], None] = lambda: None
        self._connection = connection
        self._now = now
        self._on_loss = lost
        self._waiting: dict[int, asyncio.Future[PlanResult]] = {}
        self._task: asyncio.Task[None] | None = None
        self._reopening = False

    def start(self) -> None:
        """Start processing the queue."""
        self._task = asyncio.create_task(self._run())

    @property
    def is_running(self) -> bool:
        """True between `start` and `stop`."""
        return self._task is not None

    async def stop(self, fault: Fault) -> None:
        """Stop processing the queue, and reject all requests."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        self.runner.abandon(fault, self._now())
        self.reject(fault)

    async def submit(self, method: str, work: Work, params: Printable, options: CallOptions) -> PlanResult:
        """Queue the work and return its result."""
        lost = self._connection.session.connection_fault
        if (lost is not None and not self._reopening) or self._task is None:
            # A caller that retries in a loop must not block the reconnection.
            await asyncio.sleep(0)
            raise McpiError(lost or Unreachable("CONNECTION_LOST", "not connected; call connect() first"))
        entry = self.queue.enqueue(method, params, self._now(), options)
        self.runner.work[entry.id] = work
        at_once = is_answering()
        if at_once:
            # The server may wait for the answer of the handler that makes this call.
            self.runner.start_at_once(entry)
        future: asyncio.Future[PlanResult] = asyncio.get_running_loop().create_future()
        self._waiting[entry.id] = future
        if at_once or self.queue.can_start:
            self._connection.wake()
        self.on_change()
        try:
            return await future
        except asyncio.CancelledError:
            # The caller was cancelled: cancel its request as well.
            self.cancel(entry.id)
            raise

    def cancel(self, number: int) -> bool:
        """Cancel the request with that number; return False if it has already finished."""
        entry = self.queue.cancel(number, self._now())
        if entry is not None:
            self.runner.work.pop(number, None)
            self._settle(entry, PlanResult(None, Interrupted("cancellation")))
            self.on_change()
            return True
        cancelled = self.runner.cancel(number)
        if cancelled:
            self._connection.wake()
        return cancelled

    def reject(self, fault: Fault) -> None:
        """Fail all waiting requests with the fault."""
        for entry in self.queue.reject_all(fault, self._now()):
            self.runner.work.pop(entry.id, None)
            self._settle(entry, PlanResult(None, fault))
        self.on_change()

    async def _run(self) -> None:
        session = self._connection.session
        while session.connection_fault is None:
            await self._connection.perform(self.runner.run())
            fault = cast("Fault", session.connection_fault)
            self.runner.abandon(fault, self._now())
            self.reject(fault)
            self._reopening = True
            await self._on_loss(fault)
            self._reopening = False
        # Fail the requests that were queued during the reconnection.
        self.reject(session.connection_fault)

    def _finished(self, entry: QueuedRequest, result: PlanResult) -> None:
        if entry.status == "in_progress":
            self.queue.finish(entry, result.fault, self._now(), result.result)
        self._settle(entry, result)
        self.on_change()

    def _settle(self, entry: QueuedRequest, result: PlanResult) -> None:
        future = self._waiting.pop(entry.id, None)
        if future is not None and not future.done():
            future.set_result(result)
