"""A child process in a group of its own, started before anything heavy is imported."""

import errno
import os
import signal
import subprocess
from pathlib import Path

from attrs import define

from mcpi.core.catalog import nearest
from mcpi.core.faults import Unreachable
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.target import Stdio

POSIX = os.name == "posix"


@define
class Child:
    """The process and the ends of its pipes."""

    process: "subprocess.Popen[bytes]"
    stdin: int
    stdout: int
    stderr: int
    settled: bool = False
    """Whether somebody has seen, or will see, to its end."""

    def signal_group(self, number: int) -> bool:
        """Whether anybody of the process's group was there to get the signal."""
        if not POSIX:
            if number != 0:
                self.process.kill()
            return False
        try:
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def ending(self) -> tuple[int | None, str | None]:
        """The exit code, or the name of the signal."""
        code = self.process.returncode
        if code is None or code >= 0:
            return code, None
        try:
            return None, signal.Signals(-code).name
        except ValueError:
            return None, f"signal {-code}"


GRACE, TERM, KILL = 0.25, 1.0, 1.0
"""Seconds that a server has to end by itself, after SIGTERM, and after SIGKILL."""
# POSIX, kill: the signal goes by -s; dash takes no "--" after -TERM.
_UNDERTAKER = 'sleep "$2"; kill -s TERM -- "-$1" || exit; sleep "$3"; kill -s KILL -- "-$1"'
_SHELL = "/bin/sh"


def hand_over(child: Child) -> bool:
    """Whether somebody else sees to the end of the process's group, so that we need not stay for it."""
    if not POSIX or not Path(_SHELL).exists():
        return False
    subprocess.Popen(  # noqa: S603 - a fixed script with three numbers
        [_SHELL, "-c", _UNDERTAKER, "mcpi-undertaker", str(child.process.pid), str(GRACE), str(TERM)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    child.settled = True
    return True


def leave(child: Child) -> None:
    """Nothing is left of a server that nobody came to close: what came between was no part of the plan."""
    if not child.settled and not hand_over(child):
        child.process.kill()


ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


def heeded() -> list[signal.Signals]:
    """The signals that end us; what our parent wants ignored (nohup) stays ignored."""
    known: list[signal.Signals] = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]


def expect_signals() -> None:
    """As long as nobody listens for signals, each raises what Ctrl-C raises: there may be a child to be left."""
    for number in heeded():
        signal.signal(number, signal.default_int_handler)


def start(target: Stdio) -> Outcome[Child]:
    """The process, or why there is none."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MCPI_")}
    try:
        process = subprocess.Popen(  # noqa: S603 - starting the command that the user names is what we are for
            target.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=target.cwd,
            env={**inherited, **target.env},
            # A session of its own: Ctrl-C on our terminal is ours to handle, and the whole group can be ended.
            start_new_session=POSIX,
        )
    except (OSError, ValueError) as error:
        return Failure(_not_started(target, error))
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return Success(Child(process, process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()))


def _not_started(target: Stdio, error: OSError | ValueError) -> Unreachable:
    command = target.command[0]
    if isinstance(error, ValueError):
        return Unreachable("COMMAND_NOT_FOUND", f"the command {command!r} cannot be started: {error}")
    if target.cwd is not None and not Path(target.cwd).is_dir():
        return Unreachable("COMMAND_NOT_FOUND", f"the directory {target.cwd!r} to start the server in does not exist")
    if isinstance(error, FileNotFoundError):
        if os.sep in command and Path(command).exists():
            return Unreachable(
                "COMMAND_NOT_FOUND", f"{command!r} cannot be executed: {_missing(command)} does not exist"
            )
        near = nearest(command, _commands()) if os.sep not in command else None
        hints = (f"did you mean {near}?",) if near else ()
        return Unreachable("COMMAND_NOT_FOUND", f"there is no command {command!r}", hints=hints)
    if error.errno == errno.ENOEXEC:
        problem = f"{command!r} is no program: it has neither a binary format nor a #! line"
        return Unreachable("COMMAND_NOT_FOUND", problem)
    return Unreachable("COMMAND_NOT_FOUND", f"{command!r} cannot be executed: {error.strerror}")


def _missing(path: str) -> str:
    """What should run the file."""
    try:
        with Path(path).open("rb") as file:
            line = file.readline(200).decode(errors="replace").rstrip()
    except OSError:
        line = ""
    return f"its interpreter {line.removeprefix('#!').strip()!r}" if line.startswith("#!") else "its loader"


def _commands() -> set[str]:
    """The names of the programs on the PATH."""
    found: set[str] = set()
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        try:
            found.update(entry.name for entry in os.scandir(folder or "."))
        except OSError:
            continue
    return found
