"""Run a Node.js program under its inspector, and kill everything it started at the end."""

import asyncio
import os
import subprocess
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mcpi.core.debugger.program.debug_session import DebugSession, SourceFile
from mcpi.core.debugger.program.node_launch import Address, fixed_addresses
from mcpi.core.debugger.program.probe import Probe, Program
from mcpi.core.debugger.program.verdict import Verdict, build_verdict, no_file, no_inspector, not_started, port_in_use
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.text.terminal_safe import decode
from mcpi.core.wire.lines import LogLineSplitter
from mcpi.shell.context import Context
from mcpi.shell.debugger import inspector_ports
from mcpi.shell.process.child import Child
from mcpi.shell.process.pipes import open_pipes
from mcpi.shell.process.shutdown import POSIX, kill_group
from mcpi.shell.process.spawn import child_environment, start_tracked, untrack

if TYPE_CHECKING:
    from mcpi.shell.debugger.cdp_sockets import InspectorSockets

MAX_LINE = 1 << 20
MAX_SOURCE = 4 << 20
"""Maximum size of a source file in bytes; the functions of a larger one are not searched."""
KILL_TIMEOUT = 2.0
"""Timeout in seconds for the exit of a process after SIGKILL."""
_SHELL = "/bin/sh"
_live: dict[int, Child] = {}

HitListener = Callable[[JsonObject], Awaitable[None]]


def kill_all() -> None:
    """Kill all programs that are still running."""
    for child in list(_live.values()):
        kill_group(child)


def start(context: Context, command: str) -> Child:
    """Start the command in a shell, in its own process group and with empty stdin."""
    return _live[start_tracked(lambda: _popen(context, command)).pid]


def _popen(context: Context, command: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(  # noqa: S603 - running a command of the user is the purpose
        [_SHELL, "-c", command] if POSIX else command,
        # Our own stdin may carry protocol messages, which the program must not consume.
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=context.folder(None),
        env=child_environment(context, {}),
        start_new_session=POSIX,
        shell=not POSIX,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    _live[process.pid] = Child(process, -1, process.stdout.fileno(), process.stderr.fileno())
    return process


class ProgramOutput:
    """The stdout and stderr of a program, read as they arrive so that it never blocks."""

    def __init__(self, child: Child, line: Callable[[str], None], ended: Callable[[], None]) -> None:
        """Start reading; `line` is called with each line of stderr, `ended` when the process has exited."""
        self._child = child
        self._line = line
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._lines = LogLineSplitter(MAX_LINE)
        self.exited: asyncio.Event = asyncio.Event()
        self._pipes = open_pipes(child.stdout, child.stderr)
        self._pipes.watch(child.stdout, self._read_stdout)
        self._pipes.watch(child.stderr, self._read_stderr)
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        self._child.process.wait()
        try:
            self._loop.call_soon_threadsafe(self._exited)
        except RuntimeError:
            return  # the loop is closed

    def _exited(self) -> None:
        # Read the output that was written just before the exit.
        while self._read_stderr():
            pass
        rest = self._lines.finish()
        if rest:
            self._line(decode(rest))
        self.exited.set()
        self._ended()

    def _read_stdout(self) -> None:
        if self._pipes.read(self._child.stdout) == b"":
            self._pipes.unwatch(self._child.stdout)

    def _read_stderr(self) -> bool:
        """Read a chunk; return False if there was none."""
        chunk = self._pipes.read(self._child.stderr)
        if not chunk:
            if chunk == b"":
                self._pipes.unwatch(self._child.stderr)
            return False
        for line in self._lines.feed(chunk):
            self._line(decode(line))
        return True

    async def close(self) -> None:
        """Kill the process group of the program, and close the pipes."""
        kill_group(self._child)
        try:
            async with asyncio.timeout(KILL_TIMEOUT):
                await self.exited.wait()
        except TimeoutError:
            pass
        finally:
            _live.pop(self._child.process.pid, None)
            untrack(self._child.process)
            for pipe in (self._child.process.stdout, self._child.process.stderr):
                if pipe is not None:
                    self._pipes.unwatch(pipe.fileno())
                    pipe.close()


async def _attach(program: Program, address: str, files: list[SourceFile], on_hit: HitListener | None) -> Verdict:
    """Debug a running program, and leave it running."""
    from mcpi.shell.debugger.cdp_sockets import InspectorSockets  # noqa: PLC0415 - rarely needed

    urls = await inspector_ports.find_running(address)
    debugging = DebugSession(program.probe, files)
    sockets = InspectorSockets(debugging, on_hit)
    debugging.exited(None, None)
    try:
        for url in urls:
            inspector = debugging.announced(url)
            if inspector is not None:
                sockets.connect(*inspector)
        late = await _wait(program, sockets)
    finally:
        await sockets.detach()
    return build_verdict(debugging, program.timeout, late=late) if debugging.attached else no_inspector(address)


async def _wait(program: Program, sockets: "InspectorSockets") -> bool:
    """Wait until the session is over; return True if the timeout expired first."""
    try:
        async with asyncio.timeout(program.timeout):
            while not sockets.debugging.finished:
                sockets.changed.clear()
                await sockets.changed.wait()
    except TimeoutError:
        return True
    return False


async def _watch_ports(program: Program, child: Child, sockets: "InspectorSockets") -> None:
    """Connect to inspectors that no line of stderr announces: children may write to another pipe."""
    fixed = fixed_addresses(program.command)
    while True:
        await asyncio.sleep(inspector_ports.POLL_SECONDS)
        for address in inspector_ports.program_addresses(child.process.pid, sockets.debugging.ports, fixed):
            for url in await inspector_ports.inspector_urls(address):
                inspector = sockets.debugging.announced(url)
                if inspector is not None:
                    sockets.connect(*inspector)


async def occupied_address(context: Context, command: str) -> Address | None:
    """Return an inspector address of the command that is already in use."""
    # If the port is in use, Node.js runs the program without a debugger and exits with code 0.
    for address in fixed_addresses(f"{context.environment.get('NODE_OPTIONS', '')} {command}"):
        try:
            async with asyncio.timeout(1.0):
                _, writer = await asyncio.open_connection(address.host, address.port)
        except (OSError, TimeoutError, ValueError):
            continue  # also for an invalid host name, which Node.js reports itself
        writer.close()
        return address
    return None


def real_path(context: Context, file: str, folder: Path) -> str:
    """Return the path that Node.js uses for the file, with symbolic links resolved."""
    try:
        return os.path.realpath(folder / context.path(file))
    except ValueError:
        return str(folder / file)  # no file name can contain such characters


def is_source(path: str, folder: Path) -> bool:
    """Tell whether the file exists or is the source of a source map."""
    if Path(path).is_file():
        return True
    from mcpi.shell.debugger.source_map_files import is_mapped_source  # noqa: PLC0415 - rarely needed

    return is_mapped_source(folder, path)


def find_sources(context: Context, probe: Probe, folder: Path) -> "list[SourceFile] | Verdict":
    """Read the files of the breakpoints; a file that neither exists nor is in a source map is a mistake."""
    found: list[SourceFile] = []
    for place in probe.places:
        path = real_path(context, place.path, folder)
        if not is_source(path, folder):
            return no_file(place, path)
        found.append(SourceFile(path, _read_source(Path(path))))
    return found


def _read_source(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.stat().st_size <= MAX_SOURCE else ""
    except (OSError, ValueError):
        return ""


async def debug_program(context: Context, program: Program, on_hit: HitListener | None = None) -> Verdict:
    """Run the program and return the verdict; `on_hit` is called with each hit as it happens."""
    files = find_sources(context, program.probe, context.directory)
    if isinstance(files, Verdict):
        return files
    if program.attach is not None:
        return await _attach(program, program.attach, files, on_hit)
    taken = await occupied_address(context, program.command)
    if taken is not None:
        return port_in_use(str(taken))
    try:
        child = start(context, program.command)
    except (OSError, ValueError) as error:
        return not_started(str(error))
    return await _run(program, files, child, on_hit)


async def _run(program: Program, files: list[SourceFile], child: Child, on_hit: HitListener | None) -> Verdict:
    # The program boots during this import.
    from mcpi.shell.debugger.cdp_sockets import InspectorSockets  # noqa: PLC0415 - see above

    debugging = DebugSession(program.probe, files, program.command)
    sockets = InspectorSockets(debugging, on_hit)

    def ended() -> None:
        debugging.exited(*child.exit_status())
        sockets.changed.set()

    output = ProgramOutput(child, sockets.process_line, ended)
    watch = asyncio.get_running_loop().create_task(_watch_ports(program, child, sockets))
    try:
        late = await _wait(program, sockets)
    finally:
        watch.cancel()
        # Kill first: after a cancellation, the waits below may be cancelled too.
        kill_group(child)
        try:
            await sockets.close()
        finally:
            await output.close()
    return build_verdict(debugging, program.timeout, late=late)
