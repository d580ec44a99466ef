"""Split a byte stream into lines."""


class LineSplitter:
    """A line splitter; the boundaries between chunks do not affect the lines."""

    def __init__(self, limit: int) -> None:
        """Start with an empty line; splitting stops at the first line of more than `limit` bytes."""
        self.too_long: bool = False
        self._limit = limit
        # A bytearray grows in place; joining pieces at the end would hold them in memory twice.
        self._begun = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that the chunk completes, without line ends, up to the first one that is too long."""
        head, *rest = chunk.split(b"\n")
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
        return bytes(self._begun)

    def finish(self) -> bytes:
        """Return the bytes after the last line end, and clear them."""
        rest = self.partial_line
        self._begun.clear()
        return rest

    def _keep(self, part: bytes) -> None:
        if self.too_long or len(self._begun) + len(part) > self._limit:
            self.too_long = True
            self._begun.clear()
        else:
            self._begun += part


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
