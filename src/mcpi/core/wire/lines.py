"""A stream of bytes becomes lines."""


class Lines:
    """Cuts what a server writes at its line ends; any split of the same bytes gives the same lines."""

    def __init__(self, limit: int) -> None:
        """A line longer than the limit is not kept, and nothing after it is read."""
        self.too_long: bool = False
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

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

    def finish(self) -> bytes:
        """What the server wrote after its last line end."""
        rest = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return rest

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self.too_long or self._size > self._limit:
            self.too_long = True
            self._parts.clear()
        elif part:
            self._parts.append(part)
