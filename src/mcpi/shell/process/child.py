"""Start a server as a child process in its own process group."""

import errno
import os
import re
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define

from mcpi.core.outcome.faults import Correction, Unreachable, with_correction
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.target import Stdio, split_command, with_interpreter
from mcpi.core.text.suggestions import nearest
from mcpi.shell.context import Context
from mcpi.shell.process.shutdown import POSIX
from mcpi.shell.process.spawn import PrestartedServer, kill_tree, spawn

if TYPE_CHECKING:
    import subprocess


_HOST = re.compile(r"(localhost|[\w-]+(\.[\w-]+)+)?(:\d{1,5})(/\S*)?|localhost(/\S*)?")
_DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)*\.(ai|app|cloud|com|dev|io|net|org)(/\S*)?")


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
        what = "is not a directory" if folder.exists() else "does not exist"
        return Unreachable("COMMAND_NOT_FOUND", f"the directory {target.cwd!r} to start the server in {what}")
    if isinstance(error, FileNotFoundError):
        if os.sep in command and Path(command).exists():
            return Unreachable(
                "COMMAND_NOT_FOUND", f"{command!r} cannot be executed: {_missing_loader(command)} does not exist"
            )
        found = Unreachable("COMMAND_NOT_FOUND", f"command not found: {command!r}")
        return with_correction(found, _interpreted(context, target) or _command(context, command))
    if error.errno == errno.ENOEXEC:
        problem = f"{command!r} is not an executable program: unknown binary format, and no #! line"
        return with_correction(Unreachable("COMMAND_NOT_FOUND", problem), _interpreted(context, target))
    problem = f"{command!r} cannot be executed: {error.strerror}"
    is_file = os.sep in command and (folder / command).is_file()
    hints = (f"make it executable: chmod +x {shlex.quote(command)}",) if is_file and POSIX else ()
    return with_correction(Unreachable("COMMAND_NOT_FOUND", problem, hints=hints), _interpreted(context, target))


def _command(context: Context, command: str) -> Correction | None:
    """Return the correction of a command that does not exist."""
    from shutil import which  # noqa: PLC0415 - only needed for errors

    if _HOST.fullmatch(command):
        return Correction(command, (f"http://{command}",), "add the scheme to the URL")
    if _DOMAIN.fullmatch(command):
        return Correction(command, (f"https://{command}",), "add the scheme to the URL")
    first = command.partition(" ")[0]
    if first != command and which(first, path=_search_path(context)) is not None:
        words = split_command(command)
        right = tuple(command.split()) if isinstance(words, Failure) else words.unwrap()
        return Correction(command, right, "write the command without quotes")
    if command.endswith(".json") and (context.directory / command).is_file():
        return Correction(command, ("--config", command), "use --config for a config file")
    near = nearest(command, _commands(context)) if os.sep not in command else None
    return Correction(command, (near,)) if near else None


def _interpreted(context: Context, target: Stdio) -> Correction | None:
    """Return the correction of a script that was given without its interpreter."""
    command = target.command[0]
    words = with_interpreter(command)
    if not words or not (context.directory / (target.cwd or "") / command).is_file():
        return None
    return Correction(command, words, "start a script with its interpreter")


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
