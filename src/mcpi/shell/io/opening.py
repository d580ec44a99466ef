"""Open files safely: no link of another user is followed, and a pipe without a partner does not block forever."""

import errno
import os
import re
import select
import stat
from collections.abc import Callable
from pathlib import Path

from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.core.outcome.faults import Fault, Invalid, TimedOut
from mcpi.shell.context import Context

PIPE_TIMEOUT = 30.0
"""Default number of seconds to wait until another process opens a pipe."""
_STREAMS = {"stdout": "1", "stderr": "2"}
_OWN_DESCRIPTOR = lazy_pattern(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d{1,6})", re.ASCII)
_MAX_LINKS = 40
_POLL_INTERVAL = 0.02
_CHUNK = 1 << 16
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_BLOCK = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def resolve(path: Path) -> Path:
    """Resolve all links of a path; raise OSError for a link of another user (except root), which may be an attack."""
    own = {0, os.geteuid()} if hasattr(os, "geteuid") else None
    path = path.absolute()
    resolved, waiting = Path(path.anchor), list(reversed(path.parts[1:]))
    links = 0
    while waiting:
        place = resolved / waiting.pop()
        if place.name == ".." or not place.is_symlink():
            resolved = resolved.parent if place.name == ".." else place
            continue
        links += 1
        if links > _MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if own is not None and place.lstat().st_uid not in own:
            raise OSError(errno.EACCES, f"{place} is a symbolic link owned by another user")
        target = place.readlink()
        resolved = Path(target.anchor) if target.is_absolute() else resolved
        waiting += reversed(target.parts[1:] if target.is_absolute() else target.parts)
    return resolved


def own_descriptor(path: Path) -> int | None:
    """Return the number of mcpi's own descriptor that the path names, or None."""
    match = _OWN_DESCRIPTOR.fullmatch(str(path))
    return None if match is None else int(_STREAMS.get(match[1], match[2]))


def open_for_writing(path: Path, now: Callable[[], float], timeout: float, flags: int = 0) -> int:
    """Open a file and return its descriptor; raise TimeoutError if no process opens the other end of a pipe."""
    own = own_descriptor(path)
    if own is not None and not stat.S_ISFIFO(os.fstat(own).st_mode):
        # Opening it again would truncate a file, and overwrite what is written to the descriptor.
        return os.dup(own)
    is_device = path.is_relative_to("/dev")
    target = path if is_device else resolve(path)
    flags |= os.O_WRONLY | os.O_CREAT | _NO_BLOCK | _BINARY | (0 if is_device else _NO_FOLLOW)
    until = now() + timeout
    while True:
        try:
            fd = os.open(target, flags, 0o666)
            break
        except OSError as error:
            # open(2): the error is ENXIO for a FIFO that no process has open for reading.
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(target.stat().st_mode):
                raise
        if now() >= until:
            raise TimeoutError(errno.ETIMEDOUT, "no process is reading the pipe")
        select.select([], [], [], _POLL_INTERVAL)
    if _NO_BLOCK:
        os.set_blocking(fd, True)
    return fd


def read_private_file(path: Path) -> bytes:
    """Read a regular file; raise OSError for a device, a pipe or a link of another user."""
    fd = os.open(resolve(path), os.O_RDONLY | _NO_BLOCK | _NO_FOLLOW | _BINARY)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return file.read()


def read_descriptor(fd: int, now: Callable[[], float], timeout: float | None) -> bytes:
    """Read to the end of a file or a pipe; raise TimeoutError if that takes too long."""
    if timeout is None or not hasattr(select, "poll"):
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read()
    until, poll, parts = now() + timeout, select.poll(), list[bytes]()
    poll.register(fd, select.POLLIN)
    while True:
        left = until - now()
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        chunk = os.read(fd, _CHUNK)
        if not chunk:
            return b"".join(parts)
        parts.append(chunk)


def read_file(context: Context, path: Path, timeout: float | None) -> bytes:
    """Read a file or a pipe; raise TimeoutError if that takes too long."""
    # With a time limit, open the pipe without blocking: `poll` waits for its writer.
    fd = os.open(path, os.O_RDONLY | _BINARY | (0 if timeout is None else _NO_BLOCK))
    try:
        return read_descriptor(fd, context.clock.now, timeout)
    finally:
        os.close(fd)


def unwritten(flag: str, name: str, error: OSError, timeout: float) -> Fault:
    """Return the fault for a file that cannot be written."""
    if isinstance(error, TimeoutError):
        cause = str(error.strerror)
        return TimedOut("REQUEST_TIMEOUT", timeout, name, problem=f"{flag}: cannot write {name}", cause=cause)
    return Invalid("INVALID_ARGUMENT", flag, f"cannot write {name}: {error.strerror}")
