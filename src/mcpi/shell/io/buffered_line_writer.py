"""Write lines without blocking: text that a slow reader does not read at once is buffered for a thread."""

import os
import select
import stat
import threading
from collections import deque

SLICE = 4096
"""The number of bytes that a writable pipe accepts without blocking (PIPE_BUF)."""
MAX_KEPT = 1 << 20
"""Maximum number of bytes kept for a slow reader; further lines are dropped."""
STALL_TIMEOUT = 5.0
"""Seconds to wait at the end for a reader that makes no progress."""


class BufferedLineWriter:
    """A writer of lines to a file descriptor, which may be a pipe without a reader."""

    def __init__(self, fd: int) -> None:
        """Poll pipes, sockets and terminals; a file is always writable."""
        self._fd = fd
        mode = os.fstat(fd).st_mode
        self._polls = hasattr(select, "poll") and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd))
        self._kept: deque[bytes] = deque()
        self._size = 0
        self._error: OSError | None = None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self.dropped: int = 0
        """The number of texts that were dropped."""

    def write(self, text: bytes) -> None:
        """Write the text, or keep what does not fit; raise OSError if an earlier text could not be written."""
        rest = memoryview(text)
        if not self._size:
            while rest and self._is_writable():
                rest = rest[os.write(self._fd, rest[:SLICE] if self._polls else rest) :]
        if self._error is not None:
            raise self._error
        if not rest:
            return
        with self._changed:
            # Drop only whole lines: a line that is partly written must be completed.
            if self._size + len(rest) > MAX_KEPT and len(rest) == len(text):
                self.dropped += 1
                return
            self._kept.append(bytes(rest))
            self._size += len(rest)
            self._changed.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_kept, daemon=True)
            self._thread.start()

    def _is_writable(self) -> bool:
        if not self._polls:
            return True
        poll = select.poll()
        poll.register(self._fd, select.POLLOUT)
        return bool(poll.poll(0))

    def _write_kept(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._kept))
                chunk = self._kept[0][:SLICE]
            try:
                written = os.write(self._fd, chunk)
            except OSError as error:
                self._error = error
            with self._changed:
                if self._error is not None:
                    self._kept.clear()
                    self._size = 0
                else:
                    rest = self._kept.popleft()[written:]
                    if rest:
                        self._kept.appendleft(rest)
                    self._size -= written
                self._changed.notify_all()
                if self._error is not None:
                    return

    def finish(self) -> None:
        """Wait until everything is written, as long as the reader makes progress; a terminal has no time limit."""
        timeout = None if os.isatty(self._fd) else STALL_TIMEOUT
        with self._changed:
            while self._size:
                before = self._size
                if not self._changed.wait_for(lambda: self._size != before, timeout):  # noqa: B023 - called at once
                    return
