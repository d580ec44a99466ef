"""The installed command, run in forks of an interpreter that has imported it: a run costs a third of a new process.

`make test COLD=1` starts an interpreter for each run instead, as a user does.
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
from pathlib import Path
from threading import Timer

from attrs import frozen

IS_COLD = bool(os.environ.get("COLD"))
_SERVER = Path(__file__).with_name("fork_server.py")
_AT_START = ("PYTHON", "LD_", "TZ")
"""How the names of the variables begin that an interpreter reads at its start; the locale is another."""
_LOCALE = ("LANG", "LC_")


@frozen
class Done:
    """How one run ended, the most memory it had, in MiB, and its process group."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    memory: float = 0.0
    group: int = 0


class ForkServer:
    """An interpreter with mcpi, for one environment of its start."""

    def __init__(self, command: str, environment: Mapping[str, str]) -> None:
        """It imports mcpi meanwhile."""
        ours, theirs = socket.socketpair()
        pipe = subprocess.PIPE
        self._connection = ours
        self._answers = ours.makefile("rb")
        # Its streams are pipes, as those of its forks are.
        self._process = subprocess.Popen(
            [sys.executable, str(_SERVER), str(theirs.fileno()), command],
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
        self, argv: Sequence[str], stdin: bytes | None, env: Mapping[str, str], cwd: Path | None, patience: float
    ) -> Done:
        """What came of one run; it is killed when the time is up."""
        given, feed = (os.open(os.devnull, os.O_RDONLY), None) if stdin is None else os.pipe()
        (out, stdout), (err, stderr) = os.pipe(), os.pipe()
        request = json.dumps({"argv": argv, "env": dict(env), "cwd": str(cwd or Path.cwd())}).encode()
        socket.send_fds(self._connection, [len(request).to_bytes(8, "big")], [given, stdout, stderr])
        self._connection.sendall(request)
        for number in (given, stdout, stderr):
            os.close(number)
        process = int(self._answer())
        late = Timer(patience, os.killpg, (process, signal.SIGKILL))
        late.start()
        with ThreadPoolExecutor(3) as pool:
            if feed is not None:
                pool.submit(_feed, feed, stdin or b"")
            printed, told = pool.map(_drain, (out, err))
        code, kibibytes = self._answer().split()
        if not late.is_alive():
            raise subprocess.TimeoutExpired([*argv], patience, printed, told)
        late.cancel()
        return Done(int(code), printed, told, int(kibibytes) / 1024, process)

    def _answer(self) -> bytes:
        line = self._answers.readline()
        if not line:
            assert self._process.stderr is not None
            raise OSError(self._process.stderr.read().decode())
        return line

    def end(self) -> None:
        """It is gone."""
        self._answers.close()
        self._connection.close()
        self._process.communicate()


_servers: dict[tuple[tuple[str, str], ...], ForkServer] = {}


def fork_server(command: str, env: Mapping[str, str]) -> ForkServer | None:
    """The interpreter for these surroundings; none where a run needs its own, as with a PYTHONPATH."""
    if IS_COLD or any(os.environ.get(name) != value for name, value in _of(env, _AT_START)):
        return None
    key = _of(env, _AT_START + _LOCALE)
    if key not in _servers:
        _servers[key] = ForkServer(command, env)
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
