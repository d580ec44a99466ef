"""A server as a child process: its output is read as it comes, and nothing of it is left at the end."""

import asyncio
import signal
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
from mcpi.shell.process.pipes import pipes
from mcpi.shell.process.spawn import GRACE, KILL, TERM, forget_process, hand_over_shutdown
from mcpi.shell.transports.inbox import Inbox
from mcpi.shell.transports.traffic import TrafficListener

PROMPT = 0.002
"""Seconds in which a server that ends at once has ended."""
LULL = 0.2
"""Seconds of silence after which a message is one without its line end; the era's second question waits longer."""
LINGER = 0.5
"""Seconds between the end of a server's output and the end of its process that count as one event."""
TAIL = 20
"""Lines of stderr that a fault quotes."""
STDERR_LINE = 1 << 20
"""A line on stderr that is longer is for nobody's eyes."""


class StdioTransport:
    """Lines to a process and from it."""

    opening = "the start of the server"

    def __init__(
        self, target: Stdio, inbox: Inbox, tap: TrafficListener, limit: int, start: Callable[[], Result[Child]]
    ) -> None:
        """Connect nothing yet; `start` starts the process, or returns the one that was started early."""
        self.target = target
        self.child: Child | None = None
        self._start = start
        self._inbox = inbox
        self._tap = tap
        self._limit = limit

    async def open(self) -> Result[float]:
        """The process runs and is listened to."""
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
        self._lines, self._errors = LineSplitter(self._limit), LogLineSplitter(STDERR_LINE)
        self._unsent: deque[memoryview] = deque()
        self._paused = self._crowded = self._refused = self._closing = self._over = False
        self._spoke = self._inbox.now()
        self._stderr: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._pipes = pipes(child.stdin, child.stdout, child.stderr)
        self._open = {child.stdout, child.stderr}
        self._pipes.watch(child.stdout, self._read_stdout)
        self._pipes.watch(child.stderr, self._read_stderr)
        threading.Thread(target=self._watch, args=(child, self._loop), daemon=True).start()

    def _running(self) -> Child:
        assert self.child is not None
        return self.child

    def _watch(self, child: Child, loop: asyncio.AbstractEventLoop) -> None:
        child.process.wait()
        try:
            loop.call_soon_threadsafe(self._exited)
        except RuntimeError:
            return  # the loop is closed: nobody asks any more

    def _exited(self) -> None:
        if not self._exit.done():
            self._exit.set_result(None)
        # A grandchild may hold stdout open after a crash; a clean exit may be a launcher's, its server lives on.
        if not self._over and self._running().process.returncode != 0:
            self._later(self._end(LINGER))

    def _read_stdout(self) -> None:
        chunk = self._pipes.read(self._running().stdout)
        if chunk is None:
            return
        if self._closing:
            if not chunk:
                self._pipes.rest(self._running().stdout)
            return
        if not chunk:
            self._shut(self._running().stdout)
            self._finish_line()
            self._later(self._end(0))
            return
        self._spoke = self._inbox.now()
        # What was written there before an answer is known before that answer.
        self._read_stderr()
        for line in self._lines.feed(chunk):
            self._inbox.take_in(line)
        self._limited(chunk)
        if chunk[-2:].rstrip().endswith((b"}", b"]")):
            self._loop.call_later(LULL, self._end_line)

    def _limited(self, chunk: bytes) -> None:
        """Nothing more is read where that would be too much."""
        if self._lines.too_long:
            self._pipes.rest(self._running().stdout)
            problem = f"the server wrote a line of more than {self._limit} bytes"
            self._gone(InvalidResponse("INVALID_RESPONSE", problem, (quote(chunk[:200].decode(errors="replace")),)))
        elif self._inbox.full:
            self._paused = True
            self._pipes.rest(self._running().stdout)

    def _shut(self, end: int) -> None:
        """Nothing more comes from there."""
        self._pipes.rest(end)
        self._open.discard(end)

    def _read_stderr(self) -> None:
        end = self._running().stderr
        chunk = self._pipes.read(end) if end in self._open else None
        if chunk is None:
            return
        if not chunk:
            self._shut(end)
            rest = self._errors.finish()
            lines = [rest] if rest else []
        else:
            lines = self._errors.feed(chunk)
        for line in lines:
            text = decode(line)
            self._stderr = [*self._stderr[1 - TAIL :], text]
            self._tap.stderr(text, self._inbox.now())

    def _later(self, work: Coroutine[None, None, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end(self, delay: float, closed: str = "output") -> None:
        """Tells what became of the process, once it is known."""
        await asyncio.sleep(delay)
        await asyncio.wait([self._exit], timeout=LINGER)
        self._read_stderr()
        child = self._running()
        if not self._exit.done():
            problem = f"the server {' '.join(self.target.command)!r} closed its standard {closed}, though it still runs"
            self._gone(Unreachable("CONNECTION_LOST", problem, tuple(self._stderr)))
            return
        code, name = child.ending()
        heard = child.has_heard() and not self._refused
        self._gone(Exited(" ".join(self.target.command), "", code, name, tuple(self._stderr), heard))

    def _gone(self, fault: Fault) -> None:
        if not self._over:
            self._over = True
            self._inbox.put(ConnectionLost(fault, self._inbox.now()))

    def send(self, outgoing: SendMessage) -> bool:
        """The message as one line."""
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
            # The server does not listen any more; the end of its output tells why, if there is one.
            self._refused = True
            self._unsent.clear()
            self._later(self._end(0, "input"))
        if self._unsent:
            self._pipes.await_room(stdin, self._write)
            self._crowded = True
        elif self._crowded:
            self._pipes.ignore_room(stdin)
            self._crowded = False

    def listen(self) -> None:
        """A process speaks unasked on the same pipe."""

    def resume(self) -> None:
        """Reading goes on after a pause."""
        if self._paused:
            self._paused = False
            self._pipes.watch(self._running().stdout, self._read_stdout)

    def glance(self) -> None:
        """What the server says at once is read at once: a turn of the loop would cost more than such an answer does."""
        if self.child is None or self._unsent or self._over or self.child.stdout not in self._open:
            return
        if self._pipes.look(self.child.stdout):
            self._read_stdout()

    def finish(self) -> None:
        """What stands after the last line end is shown as it is, unless the server is still at it."""
        if self.child is not None and self._inbox.now() - self._spoke > LINGER:
            self._finish_line()

    def _end_line(self) -> None:
        """A server that never ends its lines is understood once it is silent, if what it wrote is a whole message."""
        if not self._over and self._inbox.now() - self._spoke >= LULL and is_message(self._lines.partial_line):
            self._finish_line()

    def _finish_line(self) -> None:
        rest = self._lines.finish()
        if rest:
            self._inbox.take_in_rest(rest, Violation("no-line-end", "the last line has no end", quote(decode(rest))))

    async def close(self, *, stay: bool) -> None:
        """The server is asked to end, then told, then made to; its whole group with it."""
        if self.child is None:
            return
        self._closing = self._over = True
        for task in self._tasks:
            task.cancel()
        self.resume()
        child = self._running()
        self._pipes.ignore_room(child.stdin)
        self._pipes.drain(child.stdin)
        if child.process.stdin is not None:
            child.process.stdin.close()
        # MCP 2025-11-25, lifecycle: close stdin, wait for the server to exit, SIGTERM, then SIGKILL.
        await asyncio.wait([self._exit], timeout=GRACE if stay else PROMPT)
        left = not self._exit.done() or child.signal_group(0)
        if left and (stay or not hand_over_shutdown(child.process)):
            await self._end_group(child)
        self._release(child)

    async def _end_group(self, child: Child) -> None:
        for number, patience in ((signal.SIGTERM, TERM), (getattr(signal, "SIGKILL", signal.SIGTERM), KILL)):
            if self._exit.done() and not child.signal_group(0):
                break
            child.signal_group(number)
            await self._until_gone(child, patience)

    def _release(self, child: Child) -> None:
        self._pipes.rest(child.stdout)
        self._pipes.rest(child.stderr)
        for pipe in (child.process.stdout, child.process.stderr):
            if pipe is not None:
                pipe.close()
        forget_process(child.process)
        self.child = None

    async def _until_gone(self, child: Child, patience: float) -> None:
        until = self._inbox.now() + patience
        await asyncio.wait([self._exit], timeout=patience)
        while self._inbox.now() < until and child.signal_group(0):  # noqa: ASYNC110 - nobody tells when a group is empty
            await asyncio.sleep(0.02)
