"""The file that keeps tokens and registrations: for its owner alone, changed whole, by one at a time."""

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
from mcpi.shell.io.files import replace

PRIVATE = 0o600


class TokenFile:
    """What is kept between runs; nothing without a file."""

    def __init__(self, context: Context, path: str | None) -> None:
        """The file need not exist yet."""
        self._path = None if path is None else context.path(path)

    def recall(self) -> Result[JsonObject]:
        """All that is kept."""
        if self._path is None:
            return Success({})
        try:
            return parse(str(self._path), self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Success({})
        except (OSError, UnicodeDecodeError) as error:
            return self._wrong("read", error)

    def keep(self, change: Store) -> Result[None]:
        """The change is in the file."""
        if self._path is None:
            return Success(None)
        try:
            with _alone(self._path):
                held = self.recall()
                if isinstance(held, Failure):
                    return held
                replace(self._path, pretty(apply_change(held.unwrap(), change)) + "\n", PRIVATE)
        except OSError as error:
            return self._wrong("write", error)
        return Success(None)

    def _wrong(self, what: str, error: OSError | UnicodeDecodeError) -> Failure[Invalid]:
        told = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        return Failure(Invalid("INVALID_ARGUMENT", "--auth-store", f"cannot {what} {self._path}: {told}"))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """While it lasts, no other run changes the file; the lock stands beside it, as the file itself is replaced."""
    number = os.open(path.parent / f"{path.name}.lock", os.O_RDWR | os.O_CREAT, PRIVATE)
    try:
        if sys.platform != "win32":
            import fcntl  # noqa: PLC0415 - there is none on Windows

            fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)
