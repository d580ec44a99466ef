"""The file that stores tokens and registrations: private, replaced atomically, and locked during a change."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcpi.core.auth.token_store import apply_change, parse
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.jsontext.writing import pretty
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.world_steps import Store
from mcpi.shell.context import Context
from mcpi.shell.io.files import write_atomically

PRIVATE_MODE = 0o600


class TokenFile:
    """The token store; without a file it stays empty."""

    def __init__(self, context: Context, path: str | None) -> None:
        """Set the path; the file need not exist yet."""
        self._path = None if path is None else context.path(path)

    def load(self) -> Result[JsonObject]:
        """Read the store; a missing file is an empty store."""
        if self._path is None:
            return Success({})
        try:
            return parse(str(self._path), self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Success({})
        except (OSError, UnicodeDecodeError) as error:
            return self._failed("read", error)

    def store(self, change: Store) -> Result[None]:
        """Write the change to the file."""
        if self._path is None:
            return Success(None)
        try:
            with _locked(self._path):
                stored = self.load()
                if isinstance(stored, Failure):
                    return stored
                write_atomically(self._path, pretty(apply_change(stored.unwrap(), change)) + "\n", PRIVATE_MODE)
        except OSError as error:
            return self._failed("write", error)
        return Success(None)

    def _failed(self, what: str, error: OSError | UnicodeDecodeError) -> Failure[Invalid]:
        problem = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        return Failure(Invalid("INVALID_ARGUMENT", "--auth-store", f"cannot {what} {self._path}: {problem}"))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock the store against other runs; the lock is a file of its own, as the store itself is replaced."""
    descriptor = os.open(path.parent / f"{path.name}.lock", os.O_RDWR | os.O_CREAT, PRIVATE_MODE)
    try:
        if sys.platform != "win32":
            import fcntl  # noqa: PLC0415 - not available on Windows

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
