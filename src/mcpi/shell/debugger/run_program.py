"""A Node.js program run under its inspector from start to end, and nothing of it left behind."""

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

from mcpi.core.debugger.debug_session import DebugSession
from mcpi.core.debugger.node_launch import Address, fixed_addresses
from mcpi.core.debugger.probe import Program
from mcpi.core.debugger.verdict import Verdict, build_verdict, no_file, not_started, port_in_use
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.text.terminal_safe import decode
from mcpi.core.wire.lines import LogLineSplitter
from mcpi.shell.context import Context
from mcpi.shell.process.child import Child
from mcpi.shell.process.pipes import pipes
from mcpi.shell.process.spawn import POSIX, child_environment, forget_process, start_tracked

LONGEST_LINE = 1 << 20
REAPED = 2.0
"""Seconds in which a process that got SIGKILL is gone."""
_SHELL = "/bin/sh"
_live: dict[int, Child] = {}

Told = Callable[[JsonObject], Awaitable[None]]


def end_all() -> None:
    """No program of ours goes on."""
    for child in list(_live.values()):
        _kill(child)


def _kill(child: Child) -> None:
    # SIGTERM would do nothing to a process that is paused and has a handler for it.
    child.signal_group(getattr(signal, "SIGKILL", signal.SIGTERM))


def start(context: Context, command: str) -> Child:
    """The command, run by the shell in a group of its own; it has nothing to read."""
    process = start_tracked(lambda: _popen(context, command))
    assert process.stdout is not None
    assert process.stderr is not None
    child = Child(process, -1, process.stdout.fileno(), process.stderr.fileno())
    _live[process.pid] = child
    return child


def _popen(context: Context, command: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - running the command that the user gives is what we are for
        [_SHELL, "-c", command] if POSIX else command,
        # Our own standard input may carry a protocol, which the program must not eat.
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=context.folder(None),
        env=child_environment(context, {}),
        start_new_session=POSIX,
        shell=not POSIX,
    )


class ProgramOutput:
    """Both outputs of a program: read as they come, so that it never waits for us."""

    def __init__(self, child: Child, line: Callable[[str], None], ended: Callable[[], None]) -> None:
        """Lines of stderr are told; so is the end of the process."""
        self._child = child
        self._line = line
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._lines = LogLineSplitter(LONGEST_LINE)
        self.gone: asyncio.Event = asyncio.Event()
        self._pipes = pipes(child.stdout, child.stderr)
        self._pipes.watch(child.stdout, self._read_stdout)
        self._pipes.watch(child.stderr, self._read_stderr)
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        self._child.process.wait()
        try:
            self._loop.call_soon_threadsafe(self._exited)
        except RuntimeError:
            return  # the loop is closed: nobody asks any more

    def _exited(self) -> None:
        # What it wrote last was there before it ended.
        while self._read_stderr():
            pass
        rest = self._lines.finish()
        if rest:
            self._line(decode(rest))
        self.gone.set()
        self._ended()

    def _read_stdout(self) -> None:
        if self._pipes.read(self._child.stdout) == b"":
            self._pipes.rest(self._child.stdout)

    def _read_stderr(self) -> bool:
        """Whether there was something."""
        chunk = self._pipes.read(self._child.stderr)
        if not chunk:
            if chunk == b"":
                self._pipes.rest(self._child.stderr)
            return False
        for line in self._lines.feed(chunk):
            self._line(decode(line))
        return True

    async def close(self) -> None:
        """The whole group of the program has been killed, and its pipes are closed."""
        _kill(self._child)
        try:
            async with asyncio.timeout(REAPED):
                await self.gone.wait()
        except TimeoutError:
            pass
        finally:
            _live.pop(self._child.process.pid, None)
            forget_process(self._child.process)
            for pipe in (self._child.process.stdout, self._child.process.stderr):
                if pipe is not None:
                    self._pipes.rest(pipe.fileno())
                    pipe.close()


async def occupied(context: Context, command: str) -> Address | None:
    """An address that the command wants and somebody else has."""
    # A taken port makes Node.js run the program to its end without a debugger, and exit with 0.
    for address in fixed_addresses(f"{context.environment.get('NODE_OPTIONS', '')} {command}"):
        try:
            async with asyncio.timeout(1.0):
                _, writer = await asyncio.open_connection(address.host, address.port)
        except (OSError, TimeoutError, ValueError):
            continue  # also where no host can have that name: Node.js will say so
        writer.close()
        return address
    return None


def real(context: Context, file: str, folder: Path) -> str:
    """The path by which Node.js knows the file: of a symbolic link it sees only the target."""
    try:
        return os.path.realpath(folder / context.path(file))
    except ValueError:
        return str(folder / file)  # nothing has a name with such characters


def is_source(path: str, folder: Path) -> bool:
    """Whether there is such a file, or a map that tells of it."""
    if Path(path).is_file():
        return True
    from mcpi.shell.debugger.source_map_files import survey  # noqa: PLC0415 - rarely wanted

    return bool(survey(folder, path))


async def debug(context: Context, program: Program, told: Told | None = None) -> Verdict:
    """What came of the program; each hit is told as it happens."""
    path = real(context, program.probe.place.file, context.directory)
    if not is_source(path, context.directory):
        return no_file(program.probe.place, path)
    taken = await occupied(context, program.command)
    if taken is not None:
        return port_in_use(str(taken))
    try:
        child = start(context, program.command)
    except (OSError, ValueError) as error:
        return not_started(str(error))
    return await _attended(context, program, path, child, told)


async def _attended(context: Context, program: Program, path: str, child: Child, told: Told | None) -> Verdict:
    # The program boots while what talks to it is being imported.
    from mcpi.shell.debugger.cdp_sockets import Sockets  # noqa: PLC0415 - see above

    debugging = DebugSession(program.probe, path)
    sockets = Sockets(debugging, context.directory, told)

    def ended() -> None:
        debugging.exited(*child.ending())
        sockets.news.set()

    output = ProgramOutput(child, sockets.printed, ended)
    try:
        async with asyncio.timeout(program.timeout):
            while not debugging.finished:
                sockets.news.clear()
                await sockets.news.wait()
        late = False
    except TimeoutError:
        late = True
    finally:
        # First of all: who cancels us may not let us wait for anything.
        _kill(child)
        try:
            await sockets.close()
        finally:
            await output.close()
    return build_verdict(debugging, program.timeout, late=late)
