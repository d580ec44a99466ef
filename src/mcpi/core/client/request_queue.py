"""FIFO queue of requests, of which a limited number runs at a time."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, cast

from attrs import define, field

from mcpi.core.client.entries import ErrorInfo, QueueEntry, QueueStatus, Stage
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import as_object
from mcpi.core.outcome.faults import Fault
from mcpi.core.record.envelope import error_json
from mcpi.core.session.bounded_queue import BoundedQueue
from mcpi.core.text.timestamps import iso
from mcpi.core.wire.jsonrpc import Id

DEFAULT_HISTORY = 1000
"""Default number of finished requests to keep."""


@frozen(kw_only=True)
class CallOptions:
    """Options of one request that differ from those of the connection."""

    alone: bool = False
    """Run only while no other request runs."""
    terms: Mapping[str, Any] = field(factory=dict)
    """Changed settings of the connection, by name."""
    on_progress: Callable[[Any], object] | None = None
    """Called with the event of each progress notification."""


NO_OPTIONS = CallOptions()


@define
class QueuedRequest:
    """One request with its status, timestamps, and result."""

    id: int
    method: str
    params: Printable
    created_at: float
    options: CallOptions = NO_OPTIONS
    status: Stage = "pending"
    started_at: float | None = None
    completed_at: float | None = None
    fault: Fault | None = None
    result: Printable = None
    message_ids: list[Id] = field(factory=list)
    sent: bytes = b""
    """The last request that was sent."""

    def record(self, epoch: float, parse: Callable[[bytes], Any]) -> QueueEntry:
        """Build the public entry; the clock was zero at `epoch`."""
        times = {"created_at": self.created_at, "started_at": self.started_at, "completed_at": self.completed_at}
        return QueueEntry.of(
            {
                "id": self.id,
                "method": self.method,
                "params": to_plain(self.params),
                "status": self.status,
                **{
                    one: None if at is None else iso(epoch + at)
                    for one, at in zip(("createdAt", "startedAt", "completedAt"), times.values(), strict=True)
                },
                "messageIds": [*self.message_ids],
                "wireParams": as_object(parse(self.sent)).get("params") if self.sent else None,
                "result": to_plain(self.result),
                "error": None if self.fault is None else error_info(self.fault),
            }
        )


def error_info(fault: Fault, more: Mapping[str, Any] | None = None) -> ErrorInfo:
    """Describe a fault as JSON; `more` has further details."""
    found = cast("dict[str, Any]", to_plain(error_json(fault)))
    rpc = {"rpc": found.pop("rpc")} if "rpc" in found else {}
    hints = found.pop("hints", [])
    about = {**(found.get("details") or {}), **rpc, **({"hints": hints} if hints else {}), **(more or {})}
    return ErrorInfo.of({**found, "details": about})


class RequestQueue:
    """FIFO queue of which up to `limit` requests run at a time."""

    def __init__(self, history: int = DEFAULT_HISTORY, limit: int = 1) -> None:
        """Start with an empty queue; `history` limits the number of finished requests kept."""
        self._waiting: dict[int, QueuedRequest] = {}
        self._running: dict[int, QueuedRequest] = {}
        self._finished: BoundedQueue[QueuedRequest] = BoundedQueue(history, _weight)
        self._counts: Counter[Stage] = Counter()
        self.limit: int = limit
        self._running_alone = False
        self._last = 0

    def enqueue(self, method: str, params: Printable, now: float, options: CallOptions = NO_OPTIONS) -> QueuedRequest:
        """Add a pending request."""
        self._last += 1
        entry = QueuedRequest(self._last, method, params, now, options)
        self._waiting[entry.id] = entry
        return entry

    def start_next(self, now: float) -> QueuedRequest | None:
        """Start the next pending request; return None if it has to wait, or there is none."""
        return self.start(self._waiting[next(iter(self._waiting))], now) if self.can_start else None

    @property
    def can_start(self) -> bool:
        """True if the next pending request can start now."""
        if not self._waiting or len(self._running) >= self.limit:
            return False
        if self._running_alone:
            return False
        return not self._running or not self._waiting[next(iter(self._waiting))].options.alone

    def start(self, entry: QueuedRequest, now: float) -> QueuedRequest:
        """Start a pending request regardless of its turn."""
        self._waiting.pop(entry.id)
        entry.status, entry.started_at = "in_progress", now
        self._running[entry.id] = entry
        self._running_alone = self._running_alone or entry.options.alone
        return entry

    def finish(self, entry: QueuedRequest, fault: Fault | None, now: float, result: Printable = None) -> None:
        """Mark a running request as finished."""
        entry.result = result
        self._end(entry, "completed" if fault is None else "error", fault, now)

    def cancel(self, number: int, now: float) -> QueuedRequest | None:
        """Cancel a pending request and return it; return None if it is not pending."""
        entry = self._waiting.get(number)
        if entry is not None:
            self._end(entry, "cancelled", None, now)
        return entry

    def cancelled(self, entry: QueuedRequest, fault: Fault, now: float) -> None:
        """Mark a running request as cancelled."""
        self._end(entry, "cancelled", fault, now)

    def reject_all(self, fault: Fault, now: float) -> tuple[QueuedRequest, ...]:
        """Fail all pending requests, and return them."""
        rejected = tuple(self._waiting.values())
        for entry in rejected:
            self._end(entry, "error", fault, now)
        return rejected

    def _end(self, entry: QueuedRequest, status: Stage, fault: Fault | None, now: float) -> None:
        self._waiting.pop(entry.id, None)
        if self._running.pop(entry.id, None) is not None and entry.options.alone:
            self._running_alone = False
        entry.status, entry.fault, entry.completed_at = status, fault, now
        self._counts[status] += 1
        self._finished.append(entry)

    @property
    def status(self) -> QueueStatus:
        """Number of requests in each stage."""
        return QueueStatus(
            pending=len(self._waiting),
            in_progress=len(self._running),
            completed=self._counts["completed"],
            failed=self._counts["error"],
            cancelled=self._counts["cancelled"],
            waiting=[*self._waiting],
            running=[*self._running],
        )

    @property
    def active(self) -> tuple[QueuedRequest, ...]:
        """The running requests, then the pending ones."""
        return (*self._running.values(), *self._waiting.values())

    def history(self, limit: int | None = None) -> tuple[QueuedRequest, ...]:
        """Return the last finished requests, oldest first."""
        entries = tuple(self._finished.items)
        return entries if limit is None else entries[len(entries) - min(limit, len(entries)) :]


def _weight(entry: QueuedRequest) -> int:
    """Number of characters in the result and in the request."""
    size = len(entry.sent)
    parts = [entry.result]
    while parts:
        part = parts.pop()
        if isinstance(part, Exact):
            size += len(part.text)
        elif isinstance(part, Mapping):
            parts += part.values()
        elif isinstance(part, str):
            size += len(part)
        elif isinstance(part, list | tuple):
            parts += part
    return size
