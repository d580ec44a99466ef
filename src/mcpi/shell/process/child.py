"""Start a server as a child process in its own process group."""

import errno
import os
import shlex
import signal
from typing import TYPE_CHECKING

from attrs import define

from mcpi.core.outcome.faults import Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.target import Stdio
from mcpi.shell.context import Context
from mcpi.shell.process.shutdown import POSIX
from mcpi.shell.process.spawn import PrestartedServer, kill_tree, spawn

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

_HEADER = 512
"""Number of bytes at the start of a file that show if it is a program."""


@define
class Child:
    """A process and the file descriptors of its pipes."""

    process: "subprocess.Popen[bytes]"
    stdin: int
    stdout: int
    stderr: int

    def signal_group(self, number: int) -> bool:
        """Send a signal to the process group; return True if the group still had a process."""
        if not POSIX:
            if number != 0:
                kill_tree(self.process)
            return False
        try:
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def has_read_input(self) -> bool:
        """Return True if the process read all its input; return False where the system cannot tell."""
        if not POSIX:
            return False
        import fcntl  # noqa: PLC0415 - only needed after the process exited
        import termios  # noqa: PLC0415 - see above

        try:
            return not any(fcntl.ioctl(self.stdin, termios.FIONREAD, bytes(4)))
        except OSError:
            return False

    def exit_status(self) -> tuple[int | None, str | None]:
        """Return the exit code, or the name of the signal that ended the process."""
        code = self.process.returncode
        if code is None or code >= 0:
            return code, None
        try:
            return None, signal.Signals(-code).name
        except ValueError:
            return None, f"signal {-code}"


def start_server(context: Context, target: Stdio, early: PrestartedServer | None = None) -> Result[Child]:
    """Start the process, or return the reason why it cannot be started."""
    is_early = early is not None and target == Stdio(early.command)
    try:
        started = early.take() if early and is_early else None
        process = started or spawn(context, target.command, target.env, target.cwd)
    except (OSError, ValueError) as error:
        fault = _start_fault(context, target, error)
        if "--script" in context.argv:
            from mcpi.core.cli.corrections import with_line  # noqa: PLC0415 - only needed for errors

            return Failure(with_line(fault, context.argv))
        return Failure(fault)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return Success(Child(process, process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()))


def _start_fault(context: Context, target: Stdio, error: OSError | ValueError) -> Unreachable:
    command = target.command[0]
    if isinstance(error, ValueError):
        return Unreachable("COMMAND_NOT_FOUND", f"the command {command!r} cannot be started: {error}")
    folder = context.directory / (target.cwd or "")
    if target.cwd is not None and not folder.is_dir():
        return Unreachable(
            "COMMAND_NOT_FOUND",
            f"the server's working directory {target.cwd!r} is not a directory"
            if folder.exists()
            else f"the server's working directory {target.cwd!r} does not exist",
        )
    from mcpi.shell.process.missing_command import (  # noqa: PLC0415 - only needed for errors
        missing_command,
        with_interpreter_hint,
    )

    if isinstance(error, FileNotFoundError):
        return missing_command(context, target)
    if error.errno == errno.ENOEXEC:
        problem = f"{command!r} is not an executable program: unknown binary format, and no #! line"
        return with_interpreter_hint(context, target, Unreachable("COMMAND_NOT_FOUND", problem))
    problem = f"{command!r} cannot be executed: {error.strerror}"
    hints: tuple[str, ...] = ()
    # Path.is_file raises OSError for a long name.
    if POSIX and os.sep in command and os.path.isfile(folder / command):  # noqa: PTH113
        if _has_program_header(folder / command):
            hints = (f"make it executable: chmod +x {shlex.quote(command)}",)
        else:
            problem = f"{problem}, and it has no #! line"
    return with_interpreter_hint(context, target, Unreachable("COMMAND_NOT_FOUND", problem, hints=hints))


def _has_program_header(file: "Path") -> bool:
    """Tell whether the file is a binary or has a #! line, so that it only lacks the permission."""
    try:
        with file.open("rb") as opened:
            start = opened.read(_HEADER)
    except OSError:
        return True
    return start.startswith(b"#!") or b"\0" in start
