"""Parse server-sent events (HTML standard, section 9.2)."""

from mcpi.core.frozen import frozen
from mcpi.core.wire.lines import LineSplitter

_BOM = b"\xef\xbb\xbf"
MAX_RETRY = 60.0
"""Maximum reconnection time in seconds; a longer one would keep the stream closed for good."""
_FIELD_PREFIX = len("data: ")


@frozen
class SseEvent:
    """One event of a stream."""

    data: bytes
    event: str = "message"
    id: str | None = None


class SseDecoder:
    """An incremental decoder; the boundaries between chunks do not affect the events."""

    def __init__(self, limit: int) -> None:
        """Start with an empty event; decoding stops at the first event of more than `limit` bytes."""
        self.last_id: str | None = None
        self.retry: float | None = None
        self._limit = limit
        self.restart()

    def restart(self) -> None:
        """Prepare for a stream that resumes after the last event; an incomplete event is discarded."""
        self._lines = LineSplitter(self._limit + _FIELD_PREFIX)
        self._started = self._ends_with_cr = self._overflowed = False
        self._id: str | None = None
        self._clear()

    def _clear(self) -> None:
        self._data: list[bytes] = []
        self._event = ""
        self._size = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Return the events that the chunk completes, up to the first one that is too long."""
        events: list[SseEvent] = []
        for line in self._lines.feed(self._normalize_line_ends(chunk)):
            event = self._line(line)
            if self._overflowed:
                break
            if event is not None:
                events.append(event)
        return events

    @property
    def too_long(self) -> bool:
        """True if the stream contained an event or a line beyond the limit."""
        return self._overflowed or self._lines.too_long

    def _normalize_line_ends(self, chunk: bytes) -> bytes:
        """Convert all line ends to line feeds; CR LF is one line end, also across two chunks."""
        if self._ends_with_cr and chunk:
            chunk, self._ends_with_cr = chunk.removeprefix(b"\n"), False
        if b"\r" not in chunk:
            return chunk
        self._ends_with_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _line(self, line: bytes) -> SseEvent | None:
        if not self._started:
            self._started, line = True, line.removeprefix(_BOM)
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._add(value)
            case b"event":
                self._event = value.decode(errors="replace")
            case b"id" if b"\0" not in value:
                self._id = value.decode(errors="replace")
            case b"retry" if value.isdigit():
                self.retry = min(int(value[:9]) / 1000, MAX_RETRY)
            case _:
                pass
        return None

    def _dispatch(self) -> SseEvent | None:
        # Set last_id only after a complete event: the server must send a truncated event again on resumption.
        if self._id is not None:
            self.last_id = self._id or None
        event = SseEvent(b"\n".join(self._data), self._event or "message", self.last_id) if self._data else None
        self._clear()
        return event

    def _add(self, value: bytes) -> None:
        self._size += len(value) + bool(self._data)
        self._overflowed = self._overflowed or self._size > self._limit
        self._data.append(value)
