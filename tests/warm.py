"""The installed command and fixture servers, run in forks of an interpreter with preloaded modules.

A run costs a third of a new process. `make test COLD=1` starts an interpreter for each, as a user does.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import BinaryIO

from attrs import frozen

IS_COLD = bool(os.environ.get("COLD"))
_SERVER = Path(__file__).with_name("fork_server.py")
_AT_START = ("PYTHON", "LD_", "TZ")
"""How the names of the variables begin that an interpreter reads at its start; the locale is another."""
_LOCALE = ("LANG", "LC_")


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

    def end(self) -> None:
        """Kill the program, and wait until its streams are closed."""
        with suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)
        with self.stdout:
            self.stdout.read()


class ForkServer:
    """An interpreter for one kind of program and one startup environment."""

    def __init__(self, kind: str, environment: Mapping[str, str]) -> None:
        """Start the interpreter, which imports the modules in the background."""
        ours, theirs = socket.socketpair()
        pipe = subprocess.PIPE
        self._connection = ours
        self._answers = ours.makefile("rb")
        # Its streams are pipes, as those of its forks are.
        self._process = subprocess.Popen(
            [sys.executable, str(_SERVER), str(theirs.fileno()), kind],
            env=environment,
            pass_fds=[theirs.fileno()],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
        theirs.close()
        atexit.register(self.end)

    def run(
        self, command: Sequence[str], stdin: bytes | None, env: Mapping[str, str], cwd: Path | None, patience: float
    ) -> Done:
        """Run one command, and kill it on timeout."""
        given, feed = (os.open(os.devnull, os.O_RDONLY), None) if stdin is None else os.pipe()
        (out, stdout), (err, stderr) = os.pipe(), os.pipe()
        process = self._fork(command, (given, stdout, stderr), env, cwd, waits=True)
        late = Timer(patience, os.killpg, (process, signal.SIGKILL))
        late.start()
        with ThreadPoolExecutor(3) as pool:
            if feed is not None:
                pool.submit(_feed, feed, stdin or b"")
            printed, told = pool.map(_drain, (out, err))
        code, kibibytes = self._answer().split()
        if not late.is_alive():
            raise subprocess.TimeoutExpired([*command], patience, printed, told)
        late.cancel()
        return Done(int(code), printed, told, int(kibibytes) / 1024, process)

    def start(self, command: Sequence[str], env: Mapping[str, str]) -> Started:
        """Start a program that runs until it is killed."""
        reading, stdout = os.pipe()
        streams = (os.open(os.devnull, os.O_RDONLY), stdout, os.open(os.devnull, os.O_WRONLY))
        return Started(self._fork(command, streams, env, None, waits=False), os.fdopen(reading, "rb"))

    def _fork(
        self, command: Sequence[str], streams: Sequence[int], env: Mapping[str, str], cwd: Path | None, *, waits: bool
    ) -> int:
        program, *argv = command
        asked = {"program": program, "argv": argv, "env": dict(env), "cwd": str(cwd or Path.cwd()), "waits": waits}
        request = json.dumps(asked).encode()
        socket.send_fds(self._connection, [len(request).to_bytes(8, "big")], streams)
        self._connection.sendall(request)
        for stream in streams:
            os.close(stream)
        return int(self._answer())

    def _answer(self) -> bytes:
        line = self._answers.readline()
        if not line:
            assert self._process.stderr is not None
            raise OSError(self._process.stderr.read().decode())
        return line

    def end(self) -> None:
        """Stop the interpreter."""
        self._answers.close()
        self._connection.close()
        self._process.communicate()


_servers: dict[tuple[object, ...], ForkServer] = {}


def runner(env: Mapping[str, str]) -> ForkServer | None:
    """A fork server for mcpi in this environment; None if it needs a fresh interpreter, as with PYTHONPATH."""
    if IS_COLD or any(os.environ.get(name) != value for name, value in _of(env, _AT_START)):
        return None
    return _server("mcpi", env)


def start(command: Sequence[str], env: Mapping[str, str]) -> Started:
    """Start a Python server."""
    return _server("servers", env).start(command, env)


def _server(kind: str, env: Mapping[str, str]) -> ForkServer:
    key = (kind, *_of(env, _AT_START + _LOCALE))
    if key not in _servers:
        _servers[key] = ForkServer(kind, env)
    return _servers[key]


def _of(env: Mapping[str, str], prefixes: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in env.items() if name.startswith(prefixes)))


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
