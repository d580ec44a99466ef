"""stdout as a stream: a slow reader slows us, one who leaves ends us, and a signal still gets through."""

import asyncio
import os
import select
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mcpi.shell.io.output import Output, descriptor, write_error

ATOMIC = 4096
"""So many bytes a pipe that is ready takes without blocking (PIPE_BUF)."""
READER_LEFT = "the end of stdout"


class StdoutStream:
    """Writes what there is at once, and waits where there is no room."""

    def __init__(self, output: Output) -> None:
        """A file is always ready; pipes, sockets and terminals are polled."""
        self._output = output
        number = descriptor(output.stdout)
        self._in_memory = number is None
        self._fd = -1 if number is None else number
        mode = 0 if number is None else os.fstat(number).st_mode
        self._is_pipe = stat.S_ISFIFO(mode)
        self._waits = hasattr(select, "poll") and (self._is_pipe or stat.S_ISSOCK(mode) or output.stdout.isatty())
        self._waiting: asyncio.Future[None] | None = None
        self._given_up = False

    async def write(self, text: str) -> None:
        """The text is out, unless it was given up."""
        if self._in_memory:
            self._output.write(text)
            return
        data = memoryview(self._output.for_terminal(text).encode(errors="backslashreplace"))
        try:
            while data:
                if self._waits and not self._ready() and not await self._room():
                    return
                data = data[os.write(self._fd, data[:ATOMIC] if self._waits else data) :]
        except OSError as error:
            raise write_error(error) from error

    def _ready(self) -> bool:
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        return bool(poll.poll(0))

    def give_up(self) -> None:
        """From now on nobody is waited for: what finds no room is left out."""
        self._given_up = True
        if self._waiting is not None:
            _tell(self._waiting)

    async def _room(self) -> bool:
        """Whether there is room, for which we wait unless it was given up."""
        if self._given_up:
            return False
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        loop.add_writer(self._fd, _tell, self._waiting)
        try:
            await self._waiting
        finally:
            loop.remove_writer(self._fd)
            self._waiting = None
        return not self._given_up or self._ready()

    @contextmanager
    def watched(self, interrupt: Callable[[str], None]) -> Iterator[None]:
        """While it lasts, a reader who goes away is noticed even when there is nothing to write."""
        if not self._is_pipe or not self._waits:
            yield
            return
        loop = asyncio.get_running_loop()

        def left() -> None:
            loop.remove_reader(self._fd)
            interrupt(READER_LEFT)

        # Only an error can make the writing end of a pipe "readable": its reader has gone.
        loop.add_reader(self._fd, left)
        try:
            yield
        finally:
            loop.remove_reader(self._fd)


def _tell(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
