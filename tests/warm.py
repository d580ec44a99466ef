"""The installed commands and fixture servers, run in forks of interpreters with preloaded modules.

A run costs a third of a new process. `make test COLD=1` starts an interpreter for each, as a user does.
"""

import atexit
import marshal
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Thread, Timer
from typing import BinaryIO

from attrs import frozen

from fork_server import LOCALE, STARTUP_VARIABLES, startup_variables

IS_COLD = bool(os.environ.get("COLD"))
_BIN = Path(sys.executable).parent
_HERE = Path(__file__).parent


@frozen
class Done:
    """The result of one run, its peak memory in MiB, and its process group."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    memory: float = 0.0
    group: int = 0


@frozen
class Started:
    """A running program, and its output."""

    process: int
    stdout: BinaryIO
    _responses: BinaryIO

    def end(self) -> None:
        """Kill the program, and wait until its streams are closed."""
        if not self.stdout.closed:
            with suppress(ProcessLookupError):
                os.killpg(self.process, signal.SIGKILL)
            with self.stdout, self._responses:
                self.stdout.read()


class ForkServer:
    """An interpreter for one kind of program and one startup environment."""

    def __init__(self, kind: str, environment: Mapping[str, str], folder: Path) -> None:
        """Listen; the interpreter is started by the first request."""
        python = [str(folder / "python" / "python")] if kind == "mcpi" else []
        self._command = [sys.executable, str(_HERE / "fork_server.py"), kind, *python]
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._socket = str(folder / kind)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self._socket)
        self._listener.listen(100)
        Thread(target=self._start_on_demand, daemon=True).start()

    def _start_on_demand(self) -> None:
        select.select([self._listener], [], [])
        with self._listener:
            # Its streams are pipes, as those of its forks are.
            self._process = subprocess.Popen(
                [*self._command, str(self._listener.fileno())],
                env=self._environment,
                pass_fds=[self._listener.fileno()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        atexit.register(self._process.communicate)

    def run(
        self, command: Sequence[str], stdin: bytes | None, env: Mapping[str, str], cwd: Path | None, time_limit: float
    ) -> Done:
        """Run one command, and kill it on timeout."""
        given, feed = (os.open(os.devnull, os.O_RDONLY), None) if stdin is None else os.pipe()
        (out, stdout), (err, stderr) = os.pipe(), os.pipe()
        process, responses = self._fork(command, (given, stdout, stderr), env, cwd)
        late = Timer(time_limit, os.killpg, (process, signal.SIGKILL))
        late.start()
        with ThreadPoolExecutor(3) as pool:
            if feed is not None:
                pool.submit(_feed, feed, stdin or b"")
            stdout_data, stderr_data = pool.map(_drain, (out, err))
        with responses:
            code, kibibytes = responses.readline().split()
        if not late.is_alive():
            raise subprocess.TimeoutExpired([*command], time_limit, stdout_data, stderr_data)
        late.cancel()
        return Done(int(code), stdout_data, stderr_data, int(kibibytes) / 1024, process)

    def start(self, command: Sequence[str], env: Mapping[str, str]) -> Started:
        """Start a program that runs until it is killed."""
        reading, stdout = os.pipe()
        streams = (os.open(os.devnull, os.O_RDONLY), stdout, os.open(os.devnull, os.O_WRONLY))
        process, responses = self._fork(command, streams, env, None)
        return Started(process, os.fdopen(reading, "rb"), responses)

    def _fork(
        self, command: Sequence[str], streams: Sequence[int], env: Mapping[str, str], cwd: Path | None
    ) -> tuple[int, BinaryIO]:
        """The process id of the program, and the stream of further responses."""
        request = marshal.dumps(([*command], dict(env), str(cwd or Path.cwd())))
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._socket)
        socket.send_fds(connection, [len(request).to_bytes(8, "big")], streams)
        connection.sendall(request)
        for stream in streams:
            os.close(stream)
        responses = os.fdopen(connection.detach(), "rb")
        line = responses.readline()
        if not line:
            assert self._process is not None
            assert self._process.stderr is not None
            raise OSError(self._process.stderr.read().decode())
        process = int(line)
        assert process, "the environment requires a fresh interpreter"
        return process, responses


@frozen
class Warm:
    """The fork servers of one startup environment, and the commands that use them."""

    mcpi: ForkServer
    servers: ForkServer
    bin: Path
    """A folder with `mcpi`, `mcpi-serve` and `mcpi-debug-script`."""
    python: str
    """An interpreter for programs that use the MCP SDK."""


@cache
def _warm(variables: tuple[tuple[str, str], ...]) -> Warm:
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    atexit.register(shutil.rmtree, folder)
    text = f"#!{sys.executable} -IS\n{(_HERE / 'launcher.py').read_text('utf-8')}"
    for name in ("bin/mcpi", "bin/mcpi-serve", "bin/mcpi-debug-script", "python/python"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(STARTUP_VARIABLES)}
    mcpi, servers = (ForkServer(kind, {**kept, **dict(variables)}, folder) for kind in ("mcpi", "servers"))
    return Warm(mcpi, servers, folder / "bin", str(folder / "python" / "python"))


def _key(env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(startup_variables(env).items()))


def runner(env: Mapping[str, str]) -> ForkServer | None:
    """A fork server for mcpi in this environment; None if it needs a fresh interpreter, as with PYTHONUTF8."""
    changed = {name for name, value in startup_variables(env).items() if os.environ.get(name) != value}
    return None if IS_COLD or not all(name.startswith(LOCALE) for name in changed) else _warm(_key(env)).mcpi


def start(command: Sequence[str], env: Mapping[str, str]) -> Started:
    """Start a Python server."""
    return _warm(_key(env)).servers.start(command, env)


def _folder(env: Mapping[str, str]) -> Path:
    return _BIN if IS_COLD else _warm(_key(env)).bin


def command(name: str) -> str:
    """A command of mcpi, for tests that start it on their own."""
    return str(_folder(os.environ) / name)


def search_path(locale: Mapping[str, str] | None = None) -> str:
    """The PATH for a shell that runs commands of mcpi, perhaps in another locale."""
    return os.pathsep.join((str(_folder({**os.environ, **(locale or {})})), str(_BIN), os.environ["PATH"]))


def python() -> str:
    """An interpreter for servers that use the MCP SDK."""
    return sys.executable if IS_COLD else _warm(_key(os.environ)).python


def demo() -> tuple[str, str, str]:
    """The command that starts the demo server."""
    return (python(), "-m", "mcpi.shell.demo.demo_server")


def _feed(number: int, data: bytes) -> None:
    with os.fdopen(number, "wb") as stream:
        try:
            stream.write(data)
            stream.flush()
        except BrokenPipeError:
            stream.detach()


def _drain(number: int) -> bytes:
    with os.fdopen(number, "rb") as stream:
        return stream.read()
