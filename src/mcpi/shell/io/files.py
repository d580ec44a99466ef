"""Write files atomically: a file holds the old text or the new one, never a part."""

import errno
import os
import stat
from pathlib import Path

from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.shell.context import Context


def check_writable(context: Context, flag: str, name: str) -> Failure[Invalid] | None:
    """Check in advance that a file can be written; return the failure if it cannot."""
    problem = unwritable_reason(context.path(name))
    return None if problem is None else _unwritable(flag, name, problem)


def write_output_file(context: Context, flag: str, name: str, text: str) -> Result[None]:
    """Write the file that a flag names; a device or a pipe is written to directly."""
    try:
        write_atomically(context.path(name), text)
    except OSError as error:
        return _unwritable(flag, name, str(error.strerror))
    return Success(None)


def _unwritable(flag: str, name: str, problem: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", flag, f"cannot write {name}: {problem}"))


def write_atomically(path: Path, text: str, mode: int | None = None) -> None:
    """Replace the text of a file atomically; raise OSError."""
    current_mode = _existing_mode(path)
    if path.is_relative_to("/dev") or (current_mode is not None and not stat.S_ISREG(current_mode)):
        # Write to devices and pipes directly: renaming would replace /dev/null by a file.
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        return
    target = _resolve(path)
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
    folder = path.parent
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


def _resolve(path: Path) -> Path:
    """Resolve links; raise OSError for a link of another user (except root), which may be an attack."""
    if path.is_symlink() and path.lstat().st_uid not in {0, *_own_uid()}:
        raise OSError(errno.EACCES, "it is a link of another user's")
    return Path(os.path.realpath(path))


def _own_uid() -> set[int]:
    return {os.geteuid()} if hasattr(os, "geteuid") else set()
