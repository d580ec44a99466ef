"""The file that stores tokens and registrations: private, replaced atomically, and locked during a change."""

import asyncio
import errno
import os
import stat
import sys
from pathlib import Path

from mcpi.core.auth.token_store import apply_change, parse
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.jsontext.writing import pretty
from mcpi.core.outcome.faults import Fault, Invalid, TimedOut
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Store
from mcpi.shell.context import Context
from mcpi.shell.io.files import write_atomically
from mcpi.shell.io.opening import read_private_file, resolve

PRIVATE_MODE = 0o600
LOCK_INTERVAL = 0.05
"""Seconds between two attempts to get the lock."""
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class TokenFile:
    """The token store; without a file it stays empty."""

    def __init__(self, context: Context, path: str | None, timeout: float = 30.0) -> None:
        """Set the path; the file need not exist yet. A change waits up to `timeout` seconds for the lock."""
        self._path = None if path is None else context.path(path)
        self._now, self._timeout = context.clock.now, timeout
        self._locked: int | None = None
        """The descriptor of the lock file, while this run holds the lock."""

    def load(self) -> Result[JsonObject]:
        """Read the store; a missing file is an empty store."""
        if self._path is None:
            return Success({})
        try:
            return parse(str(self._path), read_private_file(self._path).decode())
        except FileNotFoundError:
            return Success({})
        except (OSError, UnicodeDecodeError) as error:
            return self._failed("read", error)

    async def lock(self) -> Result[None]:
        """Lock the store against other runs until `unlock`; the lock is a separate file, as the store is replaced."""
        if self._path is None:
            return Success(None)
        try:
            self._locked = await self._acquire(self._path)
        except OSError as error:
            return self._failed("write", error)
        return Success(None)

    def unlock(self) -> None:
        """Unlock the store, if this run holds the lock."""
        if self._locked is not None:
            os.close(self._locked)
            self._locked = None

    async def store(self, change: Store) -> Result[None]:
        """Write the change to the file while holding its lock."""
        if self._path is None:
            return Success(None)
        if self._locked is not None:
            return self._write(self._path, change)
        locked = await self.lock()
        try:
            return locked if isinstance(locked, Failure) else self._write(self._path, change)
        finally:
            self.unlock()

    def _write(self, path: Path, change: Store) -> Result[None]:
        stored = self.load()
        if isinstance(stored, Failure):
            return stored
        try:
            write_atomically(path, pretty(apply_change(stored.unwrap(), change)) + "\n", PRIVATE_MODE)
        except OSError as error:
            return self._failed("write", error)
        return Success(None)

    def _failed(self, action: str, error: OSError | UnicodeDecodeError) -> Failure[Fault]:
        problem = f"--auth-store: cannot {action} {self._path}"
        if isinstance(error, TimeoutError):
            cause = str(error.strerror)
            return Failure(TimedOut("REQUEST_TIMEOUT", self._timeout, "the lock", problem=problem, cause=cause))
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        return Failure(Invalid("INVALID_ARGUMENT", "--auth-store", f"cannot {action} {self._path}: {reason}"))

    async def _acquire(self, path: Path) -> int:
        """Return the descriptor of the locked lock file."""
        store = resolve(path)
        lock = store.with_name(f"{store.name}.lock")
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | _SAFELY, PRIVATE_MODE)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise OSError(errno.EACCES, f"{lock} is a symbolic link") from error
            raise
        try:
            await self._wait_for_lock(descriptor, lock)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    async def _wait_for_lock(self, descriptor: int, lock: Path) -> None:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, f"{lock} is not a regular file")
        until = self._now() + self._timeout
        while not _try_lock(descriptor):
            if self._now() >= until:
                raise TimeoutError(errno.ETIMEDOUT, f"another process holds the lock {lock}")
            await asyncio.sleep(LOCK_INTERVAL)


def _try_lock(descriptor: int) -> bool:
    """Lock the open file until it is closed; return False if another process has locked it."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - only available on Windows

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
    import fcntl  # noqa: PLC0415 - not available on Windows

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
