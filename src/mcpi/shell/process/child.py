"""Start a server as a child process in its own process group."""

import errno
import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define

from mcpi.core.outcome.faults import Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.target import Stdio
from mcpi.core.text.suggestions import nearest
from mcpi.shell.context import Context
from mcpi.shell.process.shutdown import POSIX
from mcpi.shell.process.spawn import PrestartedServer, spawn

if TYPE_CHECKING:
    import subprocess


_HOST = re.compile(r"(localhost|[\w-]+(\.[\w-]+)+)?(:\d{1,5})(/\S*)?|localhost(/\S*)?")
_DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)*\.(ai|app|cloud|com|dev|io|net|org)(/\S*)?")
_INTERPRETERS = {
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".ts": "npx tsx",
    ".py": "python3",
    ".rb": "ruby",
    ".php": "php",
}


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
                self.process.kill()
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
        return Failure(_start_fault(context, target, error))
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
        what = "is no directory" if folder.exists() else "does not exist"
        return Unreachable("COMMAND_NOT_FOUND", f"the directory {target.cwd!r} to start the server in {what}")
    if isinstance(error, FileNotFoundError):
        if os.sep in command and Path(command).exists():
            return Unreachable(
                "COMMAND_NOT_FOUND", f"{command!r} cannot be executed: {_missing_loader(command)} does not exist"
            )
        hints = _interpreter_hints(context, target) or _command_hints(context, command)
        return Unreachable("COMMAND_NOT_FOUND", f"there is no command {command!r}", hints=hints)
    if error.errno == errno.ENOEXEC:
        problem = f"{command!r} is no program: it has neither a binary format nor a #! line"
        return Unreachable("COMMAND_NOT_FOUND", problem, hints=_interpreter_hints(context, target))
    problem = f"{command!r} cannot be executed: {error.strerror}"
    return Unreachable("COMMAND_NOT_FOUND", problem, hints=_interpreter_hints(context, target))


def _command_hints(context: Context, command: str) -> tuple[str, ...]:
    """Return hints for a command that does not exist."""
    from shutil import which  # noqa: PLC0415 - only needed for errors

    if _HOST.fullmatch(command):
        return (f"a URL says how to talk: mcpi http://{command}",)
    if _DOMAIN.fullmatch(command):
        return (f"a URL says how to talk: mcpi https://{command}",)
    first = command.partition(" ")[0]
    if first != command and which(first, path=_search_path(context)) is not None:
        return (f"the words of a command stand apart: mcpi {command}",)
    near = nearest(command, _commands(context)) if os.sep not in command else None
    return (f"did you mean {near}?",) if near else ()


def _interpreter_hints(context: Context, target: Stdio) -> tuple[str, ...]:
    """Return a hint for a script that was given without its interpreter."""
    command = target.command[0]
    interpreter = _INTERPRETERS.get(Path(command).suffix)
    if interpreter is None or not (context.directory / (target.cwd or "") / command).is_file():
        return ()
    return (f"a script is started by its interpreter: mcpi {interpreter} {command}",)


def _missing_loader(path: str) -> str:
    """Return the interpreter or loader that the file needs."""
    try:
        with Path(path).open("rb") as file:
            line = file.readline(200).decode(errors="replace").rstrip()
    except OSError:
        line = ""
    return f"its interpreter {line.removeprefix('#!').strip()!r}" if line.startswith("#!") else "its loader"


def _search_path(context: Context) -> str:
    return context.environment.get("PATH", os.defpath)


def _commands(context: Context) -> set[str]:
    """Return the names of the programs on the PATH."""
    found: set[str] = set()
    for folder in _search_path(context).split(os.pathsep):
        try:
            found.update(entry.name for entry in os.scandir(folder or "."))
        except OSError:
            continue
    return found
