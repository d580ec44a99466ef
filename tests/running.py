"""The installed command as a subprocess, and its result."""

import json
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from attrs import frozen

import envelopes
import warm
from warm import Done

COMMAND = str(Path(sys.executable).with_name("mcpi"))
TIME_LIMIT = 60.0

# Peak memory is inherited from the parent: a small intermediate process excludes that of pytest.
_MEASURE = """
import os, sys
report, command = int(sys.argv[1]), sys.argv[2:]
child = os.fork()
if not child:
    os.close(report)
    os.execv(command[0], command)
_, status, used = os.wait4(child, 0)
os.write(report, b"%d %d" % (os.waitstatus_to_exitcode(status), used.ru_maxrss))
"""


@frozen
class Ran:
    """The result of one run."""

    exit_code: int
    stdout: str
    stderr: str
    seconds: float

    def __attrs_post_init__(self) -> None:
        """Validate every envelope."""
        envelopes.check(self.stdout)

    @property
    def json(self) -> Any:
        """The output, parsed as JSON."""
        return json.loads(self.stdout, parse_constant=_refuse)


def _refuse(literal: str) -> None:
    raise ValueError(f"{literal} is not JSON")


@frozen
class Measured(Ran):
    """The result of one run, its peak memory in MiB, and whether any of its processes is left."""

    memory: float
    left: bool


class Mcpi:
    """Run `mcpi` like a user."""

    def __call__(
        self,
        *args: str,
        stdin: str | None = None,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        time_limit: float = TIME_LIMIT,
    ) -> Ran:
        """Run the command; a traceback is always a failure."""
        given = None if stdin is None else stdin.encode(errors="surrogateescape")
        started = time.monotonic()
        done = completed(*args, stdin=given, env=clean_environment(env), cwd=cwd, time_limit=time_limit)
        seconds = time.monotonic() - started
        stdout, stderr = (text.decode(errors="surrogateescape") for text in (done.stdout, done.stderr))
        assert "Traceback" not in stderr, stderr
        return Ran(done.exit_code, stdout, stderr, seconds)


def completed(
    *args: str, stdin: bytes | None, env: Mapping[str, str], cwd: Path | None = None, time_limit: float = TIME_LIMIT
) -> Done:
    """Run `mcpi` in this environment, and return its output as bytes."""
    runner = warm.runner(env)
    if runner is not None:
        return runner.run((COMMAND, *args), stdin, env, cwd, time_limit)
    reading, report = os.pipe()
    command = [sys.executable, "-S", "-c", _MEASURE, str(report), COMMAND, *args]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        cwd=cwd,
        pass_fds=[report],
        start_new_session=True,
    )
    os.close(report)
    try:
        texts = process.communicate(stdin, timeout=time_limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    with os.fdopen(reading, "rb") as response:
        code, kibibytes = response.read().split()
    return Done(int(code), *texts, int(kibibytes) / 1024, process.pid)


def measured(*args: str, env: dict[str, str] | None = None, time_limit: float = TIME_LIMIT) -> Measured:
    """Run `mcpi`, and measure its memory and time."""
    started = time.monotonic()
    done = completed(*args, stdin=None, env=clean_environment(env), time_limit=time_limit)
    seconds = time.monotonic() - started
    texts = (done.stdout.decode(), done.stderr.decode(errors="surrogateescape"))
    return Measured(done.exit_code, *texts, seconds, memory=done.memory, left=_runs(done.group))


def _runs(group: int) -> bool:
    """True if a process of the group is left; servers have their own groups."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


class Web:
    """An HTTP fixture server in a process of its own."""

    def __init__(self, program: str, *argv: str) -> None:
        """Start the server on a port of its choice."""
        self._process = warm.start((program, *argv), {**os.environ, "PORT": "0"})
        self.port = int(self._process.stdout.readline())

    def url(self, path: str = "/mcp") -> str:
        """The URL of the server."""
        return f"http://127.0.0.1:{self.port}{path}"

    def seen(self) -> list[dict[str, Any]]:
        """Every request received, in order, including those to its other port."""
        connection = HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", "/seen")
        seen: list[dict[str, Any]] = json.load(connection.getresponse())
        connection.close()
        return seen

    def end(self) -> None:
        """Stop the server."""
        self._process.end()


def clean_environment(more: dict[str, str] | None = None) -> dict[str, str]:
    """The current environment without mcpi variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MCPI_")}
    return {**kept, **(more or {})}


def free_port() -> int:
    """A port that is currently free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """True if the port accepts connections."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition: Callable[[], bool], within: float = 20.0) -> None:
    """Wait until the condition holds; fail the test after a timeout."""
    until = time.monotonic() + within
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.02)


def processes(word: str) -> list[str]:
    """The command lines that contain the word, of all running processes except the current one."""
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if word in line and state != "Z":
                found.append(line)
    return found


def peak_memory() -> int:
    """The peak memory of any child process so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def cost(command: Sequence[str], env: dict[str, str] | None = None) -> float:
    """The CPU seconds of the command, the median of three runs."""
    return statistics.median(_once(command, env) for _ in range(3))


def _once(command: Sequence[str], env: dict[str, str] | None) -> float:
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=clean_environment(env))
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def has(command: str) -> bool:
    """True if the program is on the PATH."""
    return shutil.which(command) is not None
