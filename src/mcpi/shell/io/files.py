"""Write files atomically: a file contains the old text or the new text, never a part of it."""

import errno
import os
import stat
from pathlib import Path

from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.shell.context import Context
from mcpi.shell.io.opening import PIPE_TIMEOUT, open_for_writing, own_descriptor, resolve, unwritten


def check_writable(context: Context, flag: str, name: str) -> Failure[Invalid] | None:
    """Check in advance that a file can be written; return the failure if it cannot."""
    problem = unwritable_reason(context.path(name))
    return None if problem is None else _unwritable(flag, name, problem)


def write_output_file(context: Context, flag: str, name: str, text: str, timeout: float = PIPE_TIMEOUT) -> Result[None]:
    """Write the file that a flag names; a device or a pipe is written to directly, as soon as a process reads it."""
    path = context.path(name)
    try:
        if _is_replaceable(path):
            write_atomically(path, text)
        else:
            with os.fdopen(open_for_writing(path, context.clock.now, timeout, os.O_TRUNC), "wb") as file:
                file.write(text.encode(errors="backslashreplace"))
    except OSError as error:
        return Failure(unwritten(flag, name, error, timeout))
    return Success(None)


def _is_replaceable(path: Path) -> bool:
    """Tell whether the file can be replaced: renaming would replace /dev/null with a file."""
    mode = _existing_mode(path)
    return own_descriptor(path) is None and not path.is_relative_to("/dev") and (mode is None or stat.S_ISREG(mode))


def _unwritable(flag: str, name: str, problem: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", flag, f"cannot write {name}: {problem}"))


def write_atomically(path: Path, text: str, mode: int | None = None) -> None:
    """Replace the text of a file atomically; raise OSError."""
    target = resolve(path)
    current_mode = _existing_mode(target)
    partial = target.parent / f".mcpi-{os.getpid()}.part"
    partial.unlink(missing_ok=True)
    try:
        # O_EXCL: do not follow a link that another user may have created.
        number = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(number)
        if current_mode is not None and mode is None:
            partial.chmod(stat.S_IMODE(current_mode))
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def unwritable_reason(path: Path) -> str | None:
    """Return the reason why a file cannot be written, or None; checks without writing."""
    if own_descriptor(path) is not None:
        return None
    folder = path.parent
    try:
        resolve(path if not path.is_relative_to("/dev") else folder)
    except OSError as error:
        return str(error.strerror)
    if path.is_dir():
        return os.strerror(errno.EISDIR)
    if path.exists():
        # A regular file is replaced, so its folder must be writable too; others are written in place.
        places = (path, Path(os.path.realpath(path)).parent) if path.is_file() else (path,)
        return None if all(os.access(one, os.W_OK) for one in places) else os.strerror(errno.EACCES)
    if not folder.is_dir():
        return os.strerror(errno.ENOTDIR if folder.exists() else errno.ENOENT)
    return None if os.access(folder, os.W_OK) else os.strerror(errno.EACCES)


def _existing_mode(path: Path) -> int | None:
    """Return the mode of the existing file, or None."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def read_optional_file(context: Context, name: str) -> Result[str | None]:
    """Read a text file; return None if there is none."""
    path = context.path(name)
    try:
        # Opening a pipe would block until it has a writer.
        return Success(path.read_text(encoding="utf-8-sig") if path.is_file() else None)
    except OSError as error:
        return Failure(Invalid("INVALID_CONFIG", name, f"cannot read the file: {error.strerror}"))
    except UnicodeDecodeError as error:
        return Failure(Invalid("INVALID_CONFIG", name, f"not UTF-8 text (byte {error.start})"))


def append_text(path: Path, text: str) -> str:
    """Append to a file that other programs also append to; return the problem, or an empty string."""
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        return str(error.strerror)
    return ""
