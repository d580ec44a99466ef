"""Split a byte stream into lines."""

_LARGE_PIECE = 4096


class LineSplitter:
    """A line splitter; the boundaries between chunks do not affect the lines."""

    def __init__(self, limit: int) -> None:
        """Start with an empty line; splitting stops at the first line of more than `limit` bytes."""
        self.too_long: bool = False
        self._limit = limit
        # Large pieces are kept as they are and copied once, when the line ends.
        self._pieces: list[bytes | bytearray] = []
        self.size: int = 0
        """The number of bytes after the last line end."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that the chunk completes, without line ends, up to the first one that is too long."""
        # Finding one byte is faster than splitting.
        end = chunk.find(b"\n")
        if 0 <= end == len(chunk) - 1 <= self._limit and not self.size and not self.too_long:
            return [chunk[:end]]
        head, *rest = (chunk,) if end < 0 else chunk.split(b"\n")
        self._keep(head)
        if not rest or self.too_long:
            return []
        lines = [self.finish(), *rest]
        last = lines.pop()
        if len(chunk) > self._limit:
            for place, line in enumerate(lines):
                if len(line) > self._limit:
                    self.too_long = True
                    return lines[:place]
        self._keep(last)
        return lines

    @property
    def partial_line(self) -> bytes:
        """The bytes after the last line end."""
        if len(self._pieces) != 1 or not isinstance(self._pieces[0], bytes):
            self._pieces = [b"".join(self._pieces)]
        return bytes(self._pieces[0])

    def finish(self) -> bytes:
        """Return the bytes after the last line end, and clear them."""
        rest = self.partial_line
        self._clear()
        return rest

    def _keep(self, part: bytes) -> None:
        self.size += len(part)
        if self.too_long or self.size > self._limit:
            self.too_long = True
            self._clear()
        elif len(part) >= _LARGE_PIECE or not self._pieces:
            self._pieces.append(part)
        elif isinstance(last := self._pieces[-1], bytearray) and len(last) < _LARGE_PIECE:
            last += part
        else:
            self._pieces.append(bytearray(part))

    def _clear(self) -> None:
        self._pieces, self.size = [], 0


class LogLineSplitter(LineSplitter):
    """The lines of a log; a line that is too long is replaced by a note, and splitting continues after it."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that the chunk completes, without line ends."""
        *ended, begun = chunk.split(b"\n")
        lines: list[bytes] = []
        for part in ended:
            lines += self._keep_or_note(part)
            if not self.too_long:
                lines.append(self.finish())
            self.too_long = False
        return [*lines, *self._keep_or_note(begun)]

    def _keep_or_note(self, part: bytes) -> list[bytes]:
        """Add the part to the current line; return a note when the line becomes too long."""
        known = self.too_long
        self._keep(part)
        return [b"(a line of more than %d bytes is left out)" % self._limit] if self.too_long > known else []
