"""Requests wait their turn: one at a time, in the order in which they came."""

from collections import Counter, deque
from typing import Literal, TypeAlias

from attrs import define

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Fault

Stage: TypeAlias = Literal["pending", "in_progress", "completed", "cancelled", "error"]

HISTORY = 1000
"""How many finished requests are remembered."""


@define
class QueuedRequest:
    """One request, from its coming to its end."""

    id: int
    method: str
    params: Printable
    created_at: float
    status: Stage = "pending"
    started_at: float | None = None
    completed_at: float | None = None
    fault: Fault | None = None


@frozen
class QueueStatus:
    """How many requests are at which stage."""

    pending: int
    in_progress: int
    completed: int
    failed: int
    cancelled: int
    waiting: tuple[int, ...] = ()
    """The numbers of those that are pending, in their order: each can be cancelled."""


class RequestQueue:
    """Serial, first come first served; what waits can be cancelled, what runs cannot."""

    def __init__(self, history: int = HISTORY) -> None:
        """Nothing waits."""
        self._waiting: dict[int, QueuedRequest] = {}
        self._running: QueuedRequest | None = None
        self._finished: deque[QueuedRequest] = deque(maxlen=history)
        self._counts: Counter[Stage] = Counter()
        self._last = 0

    def enqueue(self, method: str, params: Printable, now: float) -> QueuedRequest:
        """One more that waits."""
        self._last += 1
        entry = QueuedRequest(self._last, method, params, now)
        self._waiting[entry.id] = entry
        return entry

    def next(self, now: float) -> QueuedRequest | None:
        """The one whose turn it is, if none is running."""
        if self._running is not None or not self._waiting:
            return None
        entry = self._waiting.pop(next(iter(self._waiting)))
        entry.status, entry.started_at = "in_progress", now
        self._running = entry
        return entry

    def finish(self, entry: QueuedRequest, fault: Fault | None, now: float) -> None:
        """The one that ran has ended."""
        self._running = None
        self._end(entry, "completed" if fault is None else "error", fault, now)

    def cancel(self, number: int, now: float) -> bool:
        """Whether it was still waiting, and waits no more."""
        entry = self._waiting.pop(number, None)
        if entry is None:
            return False
        self._end(entry, "cancelled", None, now)
        return True

    def reject_all(self, fault: Fault, now: float) -> tuple[QueuedRequest, ...]:
        """Those that waited for a connection that is lost."""
        rejected = tuple(self._waiting.values())
        self._waiting.clear()
        for entry in rejected:
            self._end(entry, "error", fault, now)
        return rejected

    def _end(self, entry: QueuedRequest, status: Stage, fault: Fault | None, now: float) -> None:
        entry.status, entry.fault, entry.completed_at = status, fault, now
        self._counts[status] += 1
        self._finished.append(entry)

    @property
    def status(self) -> QueueStatus:
        """How many are at which stage."""
        return QueueStatus(
            pending=len(self._waiting),
            in_progress=int(self._running is not None),
            completed=self._counts["completed"],
            failed=self._counts["error"],
            cancelled=self._counts["cancelled"],
            waiting=tuple(self._waiting),
        )

    def history(self, limit: int | None = None) -> tuple[QueuedRequest, ...]:
        """The last that have finished, oldest first."""
        entries = tuple(self._finished)
        return entries if limit is None else entries[len(entries) - min(limit, len(entries)) :]
