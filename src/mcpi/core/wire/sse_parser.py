"""Server-sent events: bytes become events, as the HTML standard says (section 9.2)."""

from mcpi.core.frozen import frozen
from mcpi.core.wire.lines import Lines

_BOM = b"\xef\xbb\xbf"
_FIELD = len("data: ")


@frozen
class SseEvent:
    """One event of a stream."""

    data: bytes
    event: str = "message"
    id: str | None = None


class SseDecoder:
    """Collects lines into events; any split of the same bytes gives the same events."""

    def __init__(self, limit: int) -> None:
        """An event longer than the limit is not kept, and nothing after it is read."""
        self.last_id: str | None = None
        self.retry: float | None = None
        self._limit = limit
        self.restart()

    def restart(self) -> None:
        """Another stream goes on after the last event; what was cut off in this one is dropped."""
        self._lines = Lines(self._limit + _FIELD)
        self._begun = self._returned = self._overflowed = False
        self._id: str | None = None
        self._clear()

    def _clear(self) -> None:
        self._data: list[bytes] = []
        self._event = ""
        self._size = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that the chunk completes; none from the first on that is too long."""
        events: list[SseEvent] = []
        for line in self._lines.feed(self._line_feeds(chunk)):
            event = self._line(line)
            if self._overflowed:
                break
            if event is not None:
                events.append(event)
        return events

    @property
    def too_long(self) -> bool:
        """Whether the stream held an event, or a line, beyond the limit."""
        return self._overflowed or self._lines.too_long

    def _line_feeds(self, chunk: bytes) -> bytes:
        """The chunk with one kind of line end; a line feed after a carriage return adds none, nor in the next chunk."""
        if self._returned and chunk:
            chunk, self._returned = chunk.removeprefix(b"\n"), False
        if b"\r" not in chunk:
            return chunk
        self._returned = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _line(self, line: bytes) -> SseEvent | None:
        if not self._begun:
            self._begun, line = True, line.removeprefix(_BOM)
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
                self.retry = int(value[:9]) / 1000
            case _:
                pass
        return None

    def _dispatch(self) -> SseEvent | None:
        # Only now: who resumes after an event that was cut off has to get that event again.
        if self._id is not None:
            self.last_id = self._id or None
        event = SseEvent(b"\n".join(self._data), self._event or "message", self.last_id) if self._data else None
        self._clear()
        return event

    def _add(self, value: bytes) -> None:
        self._size += len(value) + bool(self._data)
        self._overflowed = self._overflowed or self._size > self._limit
        self._data.append(value)
