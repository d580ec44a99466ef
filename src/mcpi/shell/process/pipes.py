"""Non-blocking access to the pipes of a process: by the event loop, or by threads where the loop cannot poll pipes."""

import asyncio
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Iterable

from mcpi.shell.process import shutdown

CHUNK_SIZE = 1 << 16
LARGE_CHUNK_SIZE = 1 << 18
"""The size of a chunk within a long line; a chunk of short lines takes much longer to process."""
POLL_TIMEOUT_MS = 1
"""Milliseconds to block on pipes before returning to the event loop."""
DRAIN_TIMEOUT = 0.5
"""Seconds to wait for queued data to be written before a pipe is closed."""


class Pipes:
    """Pipes that the event loop polls."""

    def __init__(self, fds: Iterable[int]) -> None:
        """Make the pipes non-blocking."""
        self._loop = asyncio.get_running_loop()
        self._polls: dict[tuple[int, ...], select.poll] = {}
        self._sizes: dict[int, int] = {}
        for fd in fds:
            os.set_blocking(fd, False)

    def watch(self, fd: int, callback: Callable[[], object]) -> None:
        """Call `callback` whenever there is data to read, or the other end is closed."""
        self._loop.add_reader(fd, callback)

    def unwatch(self, fd: int) -> None:
        """Stop watching."""
        self._loop.remove_reader(fd)

    def poll(self, *fds: int) -> frozenset[int]:
        """Return the pipes that can be read within a moment.

        The pipes are polled in the given order, so that data written to a later pipe first is not missed.
        """
        poll = self._polls.get(fds)
        if poll is None:
            poll = self._polls[fds] = select.poll()
            for fd in fds:
                poll.register(fd, select.POLLIN)
        return frozenset([fd for fd, _ in poll.poll(POLL_TIMEOUT_MS)])

    def read(self, fd: int) -> bytes | None:
        """Read a chunk; return b"" at the end of the stream, and None if there is no data yet."""
        size = self._sizes.get(fd, CHUNK_SIZE)
        try:
            chunk = os.read(fd, size)
        except BlockingIOError:
            return None
        except OSError:
            return b""
        if len(chunk) >= CHUNK_SIZE:
            is_long_line = b"\n" not in chunk
            if is_long_line and size == CHUNK_SIZE:
                self._sizes[fd] = _enlarge(fd)
            elif not is_long_line:
                self._sizes.pop(fd, None)
        return chunk

    def write(self, fd: int, data: memoryview) -> int:
        """Write what fits and return its length; raise OSError if the other end is closed."""
        try:
            return os.write(fd, data)
        except BlockingIOError:
            return 0

    def watch_writable(self, fd: int, callback: Callable[[], object]) -> None:
        """Call `callback` whenever more can be written."""
        self._loop.add_writer(fd, callback)

    def unwatch_writable(self, fd: int) -> None:
        """Stop waiting for room."""
        self._loop.remove_writer(fd)

    def drain(self, fd: int) -> None:
        """Wait for accepted data to be written, before the pipe is closed."""


def _enlarge(fd: int) -> int:
    """Enlarge a full pipe, if the system allows it; return the number of bytes to read at once."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows

        return fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, LARGE_CHUNK_SIZE)
    except (ImportError, AttributeError, OSError):
        return CHUNK_SIZE + 1


class ThreadedPipes(Pipes):
    """Pipes that are read and written by threads: on Windows, the event loop cannot poll them."""

    def __init__(self) -> None:
        """Start no thread yet; each starts on first use."""
        self._loop = asyncio.get_running_loop()
        self._readers: dict[int, _Reader] = {}
        self._writers: dict[int, _Writer] = {}

    def watch(self, fd: int, callback: Callable[[], object]) -> None:
        """Pass the callback to the reader thread."""
        if fd not in self._readers:
            self._readers[fd] = _Reader(fd, self._loop)
        self._readers[fd].set_callback(callback)

    def unwatch(self, fd: int) -> None:
        """Remove the callback from the reader thread."""
        if fd in self._readers:
            self._readers[fd].set_callback(None)

    def poll(self, *fds: int) -> frozenset[int]:
        """Return no pipe: the reader threads report data."""
        del fds
        return frozenset()

    def read(self, fd: int) -> bytes | None:
        """Return the next chunk that the reader thread has read."""
        return self._readers[fd].take()

    def write(self, fd: int, data: memoryview) -> int:
        """Queue all data; the writer thread waits for room."""
        if fd not in self._writers:
            self._writers[fd] = _Writer(fd)
        return self._writers[fd].put(data)

    def watch_writable(self, fd: int, callback: Callable[[], object]) -> None:
        """Do nothing: the queue has no limit."""

    def unwatch_writable(self, fd: int) -> None:
        """Do nothing: `watch_writable` registers nothing."""

    def drain(self, fd: int) -> None:
        """Wait for queued data to be written, up to DRAIN_TIMEOUT."""
        if fd in self._writers:
            self._writers[fd].idle.wait(DRAIN_TIMEOUT)


class _Reader:
    """A thread that reads one chunk ahead, and waits until it is taken."""

    def __init__(self, fd: int, loop: asyncio.AbstractEventLoop) -> None:
        self._fd, self._loop = fd, loop
        self._chunks: deque[bytes] = deque()
        self._taken = threading.Semaphore(1)
        self._callback: Callable[[], object] | None = None
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        chunk = b"-"
        while chunk:
            self._taken.acquire()
            try:
                chunk = os.read(self._fd, CHUNK_SIZE)
            except OSError:
                chunk = b""
            self._chunks.append(chunk)
            try:
                self._loop.call_soon_threadsafe(self._notify)
            except RuntimeError:
                return  # the event loop is closed

    def _notify(self) -> None:
        if self._callback is not None and self._chunks:
            self._callback()

    def set_callback(self, callback: Callable[[], object] | None) -> None:
        self._callback = callback
        self._loop.call_soon(self._notify)

    def take(self) -> bytes | None:
        if not self._chunks:
            return None
        if not self._chunks[0]:
            return b""  # keep it: later calls must see the end as well
        self._taken.release()
        return self._chunks.popleft()


class _Writer:
    """A thread that writes queued data in order."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._error: OSError | None = None
        self._queue: deque[memoryview] = deque()
        self._queued = threading.Semaphore(0)
        self.idle = threading.Event()
        threading.Thread(target=self._work, daemon=True).start()

    def put(self, data: memoryview) -> int:
        if self._error is not None:
            raise self._error
        self.idle.clear()
        self._queue.append(data)
        self._queued.release()
        return len(data)

    def _work(self) -> None:
        while self._error is None:
            self._queued.acquire()
            data = self._queue.popleft()
            try:
                while data:
                    data = data[os.write(self._fd, data) :]
            except OSError as error:
                self._error = error
            if not self._queue or self._error is not None:
                self.idle.set()


def open_pipes(*fds: int) -> Pipes:
    """Return the kind of pipes that this system supports."""
    return Pipes(fds) if shutdown.POSIX else ThreadedPipes()
