"""The stdio transport: exchange lines with a server that runs as a child process, and stop it at the end."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Coroutine

from mcpi.core.outcome.faults import Exited, Fault, InvalidResponse, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.session.effects import ConnectionLost, SendMessage
from mcpi.core.targets.target import Stdio
from mcpi.core.text.terminal_safe import decode
from mcpi.core.wire.jsonrpc import is_message
from mcpi.core.wire.lines import LineSplitter, LogLineSplitter
from mcpi.core.wire.violations import Violation, quote
from mcpi.shell.process.child import Child
from mcpi.shell.process.pipes import open_pipes
from mcpi.shell.process.shutdown import stop_group
from mcpi.shell.process.spawn import untrack
from mcpi.shell.transports.inbox import Inbox
from mcpi.shell.transports.traffic import TrafficListener

SILENCE_TIMEOUT = 0.2
"""Seconds of silence after which a complete message needs no line end; must be less than negotiate.HEAD_START."""
EXIT_DELAY = 0.5
"""Seconds within which the end of the output and the exit of the process count as one event."""
STDERR_TAIL_LINES = 20
"""The number of stderr lines that a fault quotes."""
MAX_STDERR_LINE = 1 << 20
"""The maximum length of a line on stderr, in bytes."""


class StdioTransport:
    """Messages as lines on the stdin and stdout of a process."""

    not_open = "the server did not start"

    def __init__(
        self, target: Stdio, inbox: Inbox, tap: TrafficListener, limit: int, start: Callable[[], Result[Child]]
    ) -> None:
        """Set up without connecting; `start` starts the process, or returns the one that was started early."""
        self.target = target
        self.child: Child | None = None
        self._start = start
        self._inbox = inbox
        self._tap = tap
        self._limit = limit

    async def open(self) -> Result[float]:
        """Start the process and read its output."""
        match self._start():
            case Success(child):
                self.child = child
                self._attach()
                return Success(self._inbox.now())
            case Failure() as failed:
                return failed

    def _attach(self) -> None:
        child = self._running()
        self._loop = asyncio.get_running_loop()
        self._exit: asyncio.Future[None] = self._loop.create_future()
        self._lines, self._errors = LineSplitter(self._limit), LogLineSplitter(MAX_STDERR_LINE)
        self._unsent: deque[memoryview] = deque()
        self._paused = self._stdin_full = self._write_failed = self._closing = self._lost = False
        self._last_output = self._inbox.now()
        self._stderr: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._pipes = open_pipes(child.stdin, child.stdout, child.stderr)
        self._open_pipes = {child.stdout, child.stderr}
        self._pipes.watch(child.stdout, self._read_stdout)
        self._pipes.watch(child.stderr, self._read_stderr)
        threading.Thread(target=self._wait_for_exit, args=(child, self._loop), daemon=True).start()

    def _running(self) -> Child:
        assert self.child is not None
        return self.child

    def _wait_for_exit(self, child: Child, loop: asyncio.AbstractEventLoop) -> None:
        child.process.wait()
        try:
            loop.call_soon_threadsafe(self._exited)
        except RuntimeError:
            return  # the event loop is closed

    def _exited(self) -> None:
        if not self._exit.done():
            self._exit.set_result(None)
        # After a crash, a grandchild may hold stdout open; exit code 0 may be a launcher's, whose server still runs.
        if not self._lost and self._running().process.returncode != 0:
            self._create_task(self._report_exit(EXIT_DELAY))

    def _read_stdout(self, *, reads_stderr: bool = True) -> None:
        chunk = self._pipes.read(self._running().stdout)
        if chunk is None:
            return
        if self._closing:
            if not chunk:
                self._pipes.unwatch(self._running().stdout)
            return
        if not chunk:
            self._stop_reading(self._running().stdout)
            self._finish_line()
            self._create_task(self._report_exit(0))
            return
        self._last_output = self._inbox.now()
        # Read stderr first: lines that were written before a response are recorded before it.
        if reads_stderr:
            self._read_stderr()
        self._take_lines(chunk)
        if not chunk.endswith(b"\n") and chunk[-2:].rstrip().endswith((b"}", b"]")):
            self._loop.call_later(SILENCE_TIMEOUT, self._accept_unended_line)

    def _take_lines(self, chunk: bytes) -> None:
        """Pass the lines on; stop reading after a line that is too long, and pause while the inbox is full."""
        for line in self._lines.feed(chunk):
            self._inbox.receive(line)
        if self._lines.size:
            self._inbox.note_partial(f"{self._lines.size} bytes of an unterminated line")
        if self._lines.too_long:
            self._pipes.unwatch(self._running().stdout)
            problem = f"the server wrote a line of more than {self._limit} bytes"
            self._report_lost(
                InvalidResponse("INVALID_RESPONSE", problem, (quote(chunk[:200].decode(errors="replace")),))
            )
        elif self._inbox.is_full:
            self._paused = True
            self._pipes.unwatch(self._running().stdout)

    def _stop_reading(self, fd: int) -> None:
        """Stop reading a pipe whose other end is closed."""
        self._pipes.unwatch(fd)
        self._open_pipes.discard(fd)

    def _read_stderr(self) -> None:
        fd = self._running().stderr
        chunk = self._pipes.read(fd) if fd in self._open_pipes else None
        if chunk is None:
            return
        if not chunk:
            self._stop_reading(fd)
            rest = self._errors.finish()
            lines = [rest] if rest else []
        else:
            lines = self._errors.feed(chunk)
        for line in lines:
            text = decode(line)
            self._stderr = [*self._stderr[1 - STDERR_TAIL_LINES :], text]
            self._tap.stderr(text, self._inbox.now())

    def _create_task(self, work: Coroutine[None, None, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _report_exit(self, delay: float, closed: str = "output") -> None:
        """Report that the connection is lost, with the exit code if the process exits soon."""
        await asyncio.sleep(delay)
        await asyncio.wait([self._exit], timeout=EXIT_DELAY)
        self._read_stderr()
        child = self._running()
        if not self._exit.done():
            problem = f"the server {' '.join(self.target.command)!r} closed its standard {closed} while still running"
            self._report_lost(Unreachable("CONNECTION_LOST", problem, tuple(self._stderr)))
            return
        code, name = child.exit_status()
        all_read = child.has_read_input() and not self._write_failed
        self._report_lost(Exited(" ".join(self.target.command), "", code, name, tuple(self._stderr), all_read))

    def _report_lost(self, fault: Fault) -> None:
        if not self._lost:
            self._lost = True
            self._inbox.put(ConnectionLost(fault, self._inbox.now()))

    def send(self, outgoing: SendMessage) -> bool:
        """Send the message as one line."""
        waiting = bool(self._unsent)
        self._unsent.append(memoryview(outgoing.data + b"\n"))
        if not waiting:
            self._write()
        return True

    def _write(self) -> None:
        stdin = self._running().stdin
        try:
            while self._unsent:
                data = self._unsent.popleft()
                rest = data[self._pipes.write(stdin, data) :]
                if rest:
                    self._unsent.appendleft(rest)
                    break
        except OSError:
            # The server closed its stdin; if it exits as well, its exit code explains more.
            self._write_failed = True
            self._unsent.clear()
            self._create_task(self._report_exit(0, "input"))
        if self._unsent:
            self._pipes.watch_writable(stdin, self._write)
            self._stdin_full = True
        elif self._stdin_full:
            self._pipes.unwatch_writable(stdin)
            self._stdin_full = False

    def open_server_stream(self) -> None:
        """Do nothing: notifications arrive on stdout as well."""

    def resume(self) -> None:
        """Continue reading after a pause."""
        if self._paused:
            self._paused = False
            self._pipes.watch(self._running().stdout, self._read_stdout)

    def poll(self) -> None:
        """Read a quick response at once; a turn of the event loop would take longer."""
        if self.child is None or self._unsent or self._lost or self.child.stdout not in self._open_pipes:
            return
        stdout, stderr = self.child.stdout, self.child.stderr
        ready = self._pipes.poll(*((stdout, stderr) if stderr in self._open_pipes else (stdout,)))
        if stdout in ready:
            self._read_stdout(reads_stderr=stderr in ready)

    def flush_incomplete(self) -> None:
        """Report an incomplete last line, unless the server is still writing it."""
        if self.child is not None and self._inbox.now() - self._last_output > EXIT_DELAY:
            self._finish_line()

    def _accept_unended_line(self) -> None:
        """Accept a complete message without a line end once the server is silent."""
        if (
            not self._lost
            and self._inbox.now() - self._last_output >= SILENCE_TIMEOUT
            and is_message(self._lines.partial_line)
        ):
            self._finish_line()

    def _finish_line(self) -> None:
        rest = self._lines.finish()
        if rest:
            self._inbox.receive_rest(rest, Violation("no-line-end", "the last line is incomplete", quote(decode(rest))))

    async def close(self, *, stay: bool) -> None:
        """Close stdin and stop the process group."""
        if self.child is None:
            return
        self._closing = self._lost = True
        for task in self._tasks:
            task.cancel()
        self.resume()
        child = self._running()
        self._pipes.unwatch_writable(child.stdin)
        self._pipes.drain(child.stdin)
        if child.process.stdin is not None:
            child.process.stdin.close()
        await stop_group(child, self._exit, self._inbox.now, stay=stay)
        self._release(child)

    def _release(self, child: Child) -> None:
        self._pipes.unwatch(child.stdout)
        self._pipes.unwatch(child.stderr)
        for pipe in (child.process.stdout, child.process.stderr):
            if pipe is not None:
                pipe.close()
        untrack(child.process)
        self.child = None
