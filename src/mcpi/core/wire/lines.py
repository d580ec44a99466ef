"""A stream of bytes becomes lines."""


class TooLongError(ValueError):
    """A line went beyond the limit."""


class Lines:
    """Cuts what a server writes at its line ends; any split of the same bytes gives the same lines."""

    def __init__(self, limit: int) -> None:
        """Lines longer than the limit are refused rather than kept."""
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that the chunk completes, without their ends."""
        head, *rest = chunk.split(b"\n")
        self._keep(head)
        if not rest:
            return []
        lines = [self.finish(), *rest]
        self._keep(lines.pop())
        if len(chunk) > self._limit:
            for line in lines:
                self._check(len(line))
        return lines

    def finish(self) -> bytes:
        """What the server wrote after its last line end."""
        rest = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return rest

    def _keep(self, part: bytes) -> None:
        if part:
            self._size += len(part)
            self._check(self._size)
            self._parts.append(part)

    def _check(self, size: int) -> None:
        if size > self._limit:
            raise TooLongError
