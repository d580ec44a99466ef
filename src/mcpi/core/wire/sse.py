"""Server-sent events: bytes become events, as the HTML standard says (section 9.2)."""

from attrs import frozen

from mcpi.core.wire.lines import TooLongError


@frozen
class SseEvent:
    """One event of a stream."""

    data: bytes
    event: str = "message"
    id: str | None = None


class SseDecoder:
    """Collects lines into events; any split of the same bytes gives the same events."""

    def __init__(self, limit: int) -> None:
        """Events longer than the limit are refused rather than kept."""
        self.last_id: str | None = None
        self.retry: float | None = None
        self._limit = limit
        self._buffer = b""
        self._parts: list[bytes] = []
        self._begun = False
        self._clear()

    def _clear(self) -> None:
        self._data: list[bytes] = []
        self._event = ""
        self._size = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that the chunk completes."""
        if b"\n" not in chunk and b"\r" not in chunk:
            self._parts.append(chunk)
            self._grow(len(chunk))
            return []
        self._parts.append(chunk)
        text = b"".join(self._parts)
        self._parts.clear()
        events: list[SseEvent] = []
        *lines, rest = self._lines(text)
        for line in lines:
            event = self._line(line)
            if event is not None:
                events.append(event)
        if rest:
            self._parts.append(rest)
            self._grow(0)
        return events

    def _lines(self, text: bytes) -> list[bytes]:
        if not self._begun:
            self._begun = True
            text = text.removeprefix(b"\xef\xbb\xbf")
        if b"\r" not in text:
            return text.split(b"\n")
        # A carriage return at the end may be half of a line end: it waits for the next chunk.
        held = text.endswith(b"\r")
        lines = text.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if held:
            lines[-1] += b"\r"
        return lines

    def _line(self, line: bytes) -> SseEvent | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._data.append(value)
                self._grow(len(value))
            case b"event":
                self._event = value.decode(errors="replace")
            case b"id" if b"\0" not in value:
                self.last_id = value.decode(errors="replace")
            case b"retry" if value.isdigit():
                self.retry = int(value[:9]) / 1000
            case _:
                pass
        return None

    def _dispatch(self) -> SseEvent | None:
        event = SseEvent(b"\n".join(self._data), self._event or "message", self.last_id) if self._data else None
        self._clear()
        return event

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size + sum(map(len, self._parts)) > self._limit:
            raise TooLongError
