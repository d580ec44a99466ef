"""Write files atomically: the old content or the new, never a part."""

import errno
import os
import stat
from pathlib import Path

from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.shell.context import Context


def refused(context: Context, flag: str, name: str) -> Failure[Invalid] | None:
    """Return the failure that writing will be, before any work is done in vain."""
    problem = write_refusal(context.path(name))
    return None if problem is None else _unwritable(flag, name, problem)


def save(context: Context, flag: str, name: str, text: str) -> Result[None]:
    """Write a file that a flag names; a device or a pipe gets the text as it is."""
    try:
        replace(context.path(name), text)
    except OSError as error:
        return _unwritable(flag, name, str(error.strerror))
    return Success(None)


def _unwritable(flag: str, name: str, problem: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", flag, f"cannot write {name}: {problem}"))


def replace(given: Path, text: str, mode: int | None = None) -> None:
    """The file holds the old text or the new one, whenever we are killed; raises OSError."""
    held = _held(given)
    if given.is_relative_to("/dev") or (held is not None and not stat.S_ISREG(held)):
        # What is no file is never replaced by one: /dev/null stays what it is, and a pipe gets what is written.
        with given.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        return
    target = _led(given)
    beside = target.parent / f".mcpi-{os.getpid()}.part"
    beside.unlink(missing_ok=True)
    try:
        # Exclusive: a link that somebody put there is not followed.
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(number)
        if held is not None and mode is None:
            beside.chmod(stat.S_IMODE(held))
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_refusal(given: Path) -> str | None:
    """Why nothing can be written there, as far as that can be told before there is anything to write."""
    folder = given.parent
    if given.is_dir():
        return os.strerror(errno.EISDIR)
    if given.exists():
        # A file is replaced, which its folder must allow as well; what is no file is written to where it is.
        places = (given, Path(os.path.realpath(given)).parent) if given.is_file() else (given,)
        return None if all(os.access(one, os.W_OK) for one in places) else os.strerror(errno.EACCES)
    if not folder.is_dir():
        return os.strerror(errno.ENOTDIR if folder.exists() else errno.ENOENT)
    return None if os.access(folder, os.W_OK) else os.strerror(errno.EACCES)


def _held(given: Path) -> int | None:
    """The mode of what has that name now."""
    try:
        return given.stat().st_mode
    except FileNotFoundError:
        return None


def _led(given: Path) -> Path:
    """Where the name leads: a link is followed, unless somebody else may have put it in our way."""
    if given.is_symlink() and given.lstat().st_uid not in {0, *_ourselves()}:
        raise OSError(errno.EACCES, "it is a link of another user's")
    return Path(os.path.realpath(given))


def _ourselves() -> set[int]:
    return {os.geteuid()} if hasattr(os, "geteuid") else set()
