"""FIFO queue of requests that run one at a time."""

from collections import Counter, deque
from typing import Literal, TypeAlias

from attrs import define

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Fault

Stage: TypeAlias = Literal["pending", "in_progress", "completed", "cancelled", "error"]

DEFAULT_HISTORY = 1000
"""Default number of finished requests to keep."""


@define
class QueuedRequest:
    """One request with its status and timestamps."""

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
    """Number of requests in each stage."""

    pending: int
    in_progress: int
    completed: int
    failed: int
    cancelled: int
    waiting: tuple[int, ...] = ()
    """Ids of the pending requests in order; each of them can be cancelled."""


class RequestQueue:
    """Serial FIFO queue; a pending request can be cancelled, a running one cannot."""

    def __init__(self, history: int = DEFAULT_HISTORY) -> None:
        """Start with an empty queue; `history` limits the number of finished requests kept."""
        self._waiting: dict[int, QueuedRequest] = {}
        self._running: QueuedRequest | None = None
        self._finished: deque[QueuedRequest] = deque(maxlen=history)
        self._counts: Counter[Stage] = Counter()
        self._last = 0

    def enqueue(self, method: str, params: Printable, now: float) -> QueuedRequest:
        """Add a pending request."""
        self._last += 1
        entry = QueuedRequest(self._last, method, params, now)
        self._waiting[entry.id] = entry
        return entry

    def start_next(self, now: float) -> QueuedRequest | None:
        """Start the next pending request; return None if there is none or one is running."""
        if self._running is not None or not self._waiting:
            return None
        entry = self._waiting.pop(next(iter(self._waiting)))
        entry.status, entry.started_at = "in_progress", now
        self._running = entry
        return entry

    def finish(self, entry: QueuedRequest, fault: Fault | None, now: float) -> None:
        """Mark the running request as finished."""
        self._running = None
        self._end(entry, "completed" if fault is None else "error", fault, now)

    def cancel(self, number: int, now: float) -> bool:
        """Cancel a pending request; return False if it is not pending."""
        entry = self._waiting.pop(number, None)
        if entry is None:
            return False
        self._end(entry, "cancelled", None, now)
        return True

    def reject_all(self, fault: Fault, now: float) -> tuple[QueuedRequest, ...]:
        """Fail all pending requests, and return them."""
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
        """Number of requests in each stage."""
        return QueueStatus(
            pending=len(self._waiting),
            in_progress=int(self._running is not None),
            completed=self._counts["completed"],
            failed=self._counts["error"],
            cancelled=self._counts["cancelled"],
            waiting=tuple(self._waiting),
        )

    def history(self, limit: int | None = None) -> tuple[QueuedRequest, ...]:
        """Return the last finished requests, oldest first."""
        entries = tuple(self._finished)
        return entries if limit is None else entries[len(entries) - min(limit, len(entries)) :]
