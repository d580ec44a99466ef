"""A stream of bytes becomes lines."""


class Lines:
    """Cuts what a server writes at its line ends; any split of the same bytes gives the same lines."""

    def __init__(self, limit: int) -> None:
        """A line longer than the limit is not kept, and nothing after it is read."""
        self.too_long: bool = False
        self._limit = limit
        # It grows where it is: pieces that are joined at the end would stand in memory twice.
        self._begun = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that the chunk completes, without their ends; none from the first on that is too long."""
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
    def begun(self) -> bytes:
        """What stands after the last line end up to now."""
        return bytes(self._begun)

    def finish(self) -> bytes:
        """What the server wrote after its last line end."""
        rest = self.begun
        self._begun.clear()
        return rest

    def _keep(self, part: bytes) -> None:
        if self.too_long or len(self._begun) + len(part) > self._limit:
            self.too_long = True
            self._begun.clear()
        else:
            self._begun += part


class LogLines(Lines):
    """The lines of a log: what becomes too long is left out, which is told at once, and reading goes on behind it."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that the chunk completes, without their ends."""
        *ended, begun = chunk.split(b"\n")
        lines: list[bytes] = []
        for part in ended:
            lines += self._left_out(part)
            if not self.too_long:
                lines.append(self.finish())
            self.too_long = False
        return [*lines, *self._left_out(begun)]

    def _left_out(self, part: bytes) -> list[bytes]:
        """What stands in the place of a line that is too long from this part on."""
        known = self.too_long
        self._keep(part)
        return [b"(a line of more than %d bytes is left out)" % self._limit] if self.too_long > known else []
