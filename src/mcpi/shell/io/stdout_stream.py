"""Write to stdout without blocking the event loop: wait for a slow reader, and notice a closed pipe or a signal."""

import asyncio
import os
import select
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mcpi.shell.io.output import Output, file_descriptor, stdout_error

PIPE_BUF = 4096
"""The number of bytes that a writable pipe accepts without blocking (PIPE_BUF)."""
STDOUT_CLOSED = "a closed pipe on stdout"


class StdoutStream:
    """A writer for stdout that waits while a pipe is full."""

    def __init__(self, output: Output) -> None:
        """Poll pipes, sockets and terminals; a file is always writable."""
        self._output = output
        number = file_descriptor(output.stdout)
        self._in_memory = number is None
        self._fd = -1 if number is None else number
        mode = 0 if number is None else os.fstat(number).st_mode
        self._is_pipe = stat.S_ISFIFO(mode)
        self._waits = hasattr(select, "poll") and (self._is_pipe or stat.S_ISSOCK(mode) or output.stdout.isatty())
        self._waiting: asyncio.Future[None] | None = None
        self._is_stopped = self._is_cut = False

    async def write(self, text: str) -> None:
        """Write the text; after `stop_waiting`, drop everything from the first line that does not fit."""
        if self._in_memory:
            self._output.write(text)
            return
        data = memoryview(str(self._output.format_for_terminal(text)).encode(errors="backslashreplace"))
        try:
            while data and not self._is_cut:
                if self._waits and not self._is_writable() and not await self._wait_writable():
                    self._is_cut = True
                    return
                data = data[os.write(self._fd, _whole_lines(data) if self._waits else data) :]
        except OSError as error:
            raise stdout_error(error) from error

    def _is_writable(self) -> bool:
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        return bool(poll.poll(0))

    def stop_waiting(self) -> None:
        """Stop waiting for the reader: the rest of the output is dropped once the pipe is full."""
        self._is_stopped = True
        if self._waiting is not None:
            _set_result(self._waiting)

    async def _wait_writable(self) -> bool:
        """Wait until stdout is writable; return False if the text must be dropped."""
        if self._is_stopped:
            return False
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        loop.add_writer(self._fd, _set_result, self._waiting)
        try:
            await self._waiting
        finally:
            loop.remove_writer(self._fd)
            self._waiting = None
        return not self._is_stopped or self._is_writable()

    @contextmanager
    def watch_reader(self, interrupt: Callable[[str], None]) -> Iterator[None]:
        """Call `interrupt` when the reader closes the pipe, even if there is nothing to write."""
        if not self._is_pipe or not self._waits:
            yield
            return
        loop = asyncio.get_running_loop()

        def reader_left() -> None:
            loop.remove_reader(self._fd)
            interrupt(STDOUT_CLOSED)

        # The write end of a pipe becomes "readable" only on an error: the reader closed it.
        loop.add_reader(self._fd, reader_left)
        try:
            yield
        finally:
            loop.remove_reader(self._fd)


def _whole_lines(data: memoryview) -> memoryview:
    """Return the lines that can be written without blocking, or the part of a longer one."""
    end = len(data) if len(data) <= PIPE_BUF else bytes(data[:PIPE_BUF]).rfind(b"\n") + 1
    return data[: end or PIPE_BUF]


def _set_result(waiting: "asyncio.Future[None]") -> None:
    if not waiting.done():
        waiting.set_result(None)
