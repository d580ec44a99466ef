"""The pipes to a process, read as there is something: by the loop, or by threads where a loop cannot wait for pipes."""

import asyncio
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Iterable

from mcpi.shell.process import spawn

CHUNK = 1 << 16
MOMENT = 1
"""Milliseconds that are spent on waiting for a pipe rather than for all that the loop looks after."""
PATIENCE = 0.5
"""Seconds for the last words to somebody who may not read."""


class Pipes:
    """The loop itself waits for the pipes."""

    def __init__(self, ends: Iterable[int]) -> None:
        """None of them makes us wait."""
        self._loop = asyncio.get_running_loop()
        self._polls: dict[int, select.poll] = {}
        for end in ends:
            os.set_blocking(end, False)

    def watch(self, end: int, ready: Callable[[], object]) -> None:
        """From now on it is told when there is something to be read, or nothing any more."""
        self._loop.add_reader(end, ready)

    def rest(self, end: int) -> None:
        """Nothing of it is told."""
        self._loop.remove_reader(end)

    def look(self, end: int) -> bool:
        """Whether something comes there within a moment."""
        if end not in self._polls:
            self._polls[end] = select.poll()
            self._polls[end].register(end, select.POLLIN)
        return bool(self._polls[end].poll(MOMENT))

    def read(self, end: int) -> bytes | None:
        """What is there; nothing at the end, None when there is nothing yet."""
        try:
            return os.read(end, CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def write(self, end: int, data: memoryview) -> int:
        """How much was taken; raises OSError when nobody reads."""
        try:
            return os.write(end, data)
        except BlockingIOError:
            return 0

    def await_room(self, end: int, ready: Callable[[], object]) -> None:
        """It is told when more can be written."""
        self._loop.add_writer(end, ready)

    def ignore_room(self, end: int) -> None:
        """It is not told any more."""
        self._loop.remove_writer(end)

    def drain(self, end: int) -> None:
        """Before it is closed, what was taken is out."""


class ThreadedPipes(Pipes):
    """A thread waits for each pipe: on Windows no loop does."""

    def __init__(self) -> None:
        """The threads begin when somebody wants to know."""
        self._loop = asyncio.get_running_loop()
        self._readers: dict[int, _Reader] = {}
        self._writers: dict[int, _Writer] = {}

    def watch(self, end: int, ready: Callable[[], object]) -> None:
        """See above."""
        if end not in self._readers:
            self._readers[end] = _Reader(end, self._loop)
        self._readers[end].tell(ready)

    def rest(self, end: int) -> None:
        """See above."""
        if end in self._readers:
            self._readers[end].tell(None)

    def look(self, end: int) -> bool:
        """See above; the threads tell."""
        del end
        return False

    def read(self, end: int) -> bytes | None:
        """See above."""
        return self._readers[end].take()

    def write(self, end: int, data: memoryview) -> int:
        """See above; all is taken, as the thread waits for room."""
        if end not in self._writers:
            self._writers[end] = _Writer(end)
        return self._writers[end].put(data)

    def await_room(self, end: int, ready: Callable[[], object]) -> None:
        """There always is."""

    def ignore_room(self, end: int) -> None:
        """See above."""

    def drain(self, end: int) -> None:
        """See above; who does not read is not waited for."""
        if end in self._writers:
            self._writers[end].idle.wait(PATIENCE)


class _Reader:
    """Reads a chunk ahead, and waits until it has been taken."""

    def __init__(self, end: int, loop: asyncio.AbstractEventLoop) -> None:
        self._end, self._loop = end, loop
        self._chunks: deque[bytes] = deque()
        self._taken = threading.Semaphore(1)
        self._ready: Callable[[], object] | None = None
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        chunk = b"-"
        while chunk:
            self._taken.acquire()
            try:
                chunk = os.read(self._end, CHUNK)
            except OSError:
                chunk = b""
            self._chunks.append(chunk)
            try:
                self._loop.call_soon_threadsafe(self._tell)
            except RuntimeError:
                return  # the loop is closed: nobody asks any more

    def _tell(self) -> None:
        if self._ready is not None and self._chunks:
            self._ready()

    def tell(self, ready: Callable[[], object] | None) -> None:
        self._ready = ready
        self._loop.call_soon(self._tell)

    def take(self) -> bytes | None:
        if not self._chunks:
            return None
        if not self._chunks[0]:
            return b""  # the end stays the end
        self._taken.release()
        return self._chunks.popleft()


class _Writer:
    """Writes what it gets, in order."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._failed: OSError | None = None
        self._waiting: deque[memoryview] = deque()
        self._more = threading.Semaphore(0)
        self.idle = threading.Event()
        threading.Thread(target=self._work, daemon=True).start()

    def put(self, data: memoryview) -> int:
        if self._failed is not None:
            raise self._failed
        self.idle.clear()
        self._waiting.append(data)
        self._more.release()
        return len(data)

    def _work(self) -> None:
        while self._failed is None:
            self._more.acquire()
            data = self._waiting.popleft()
            try:
                while data:
                    data = data[os.write(self._end, data) :]
            except OSError as error:
                self._failed = error
            if not self._waiting or self._failed is not None:
                self.idle.set()


def pipes(*ends: int) -> Pipes:
    """Those that this system can wait for."""
    return Pipes(ends) if spawn.POSIX else ThreadedPipes()
