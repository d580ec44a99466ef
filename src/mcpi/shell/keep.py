"""The file that keeps tokens and registrations: for its owner alone, changed whole, by one at a time."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcpi.core.aside import Keep
from mcpi.core.faults import Invalid
from mcpi.core.oauth_store import changed, parse
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.render import pretty
from mcpi.core.values import JsonObject

PRIVATE = 0o600


class Store:
    """What is kept between runs; nothing without a file."""

    def __init__(self, path: str | None) -> None:
        """The file need not exist yet."""
        self._path = None if path is None else Path(path).expanduser()

    def recall(self) -> Outcome[JsonObject]:
        """All that is kept."""
        if self._path is None:
            return Success({})
        try:
            return parse(str(self._path), self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Success({})
        except (OSError, UnicodeDecodeError) as error:
            return self._wrong("read", error)

    def keep(self, change: Keep) -> Outcome[None]:
        """The change is in the file."""
        if self._path is None:
            return Success(None)
        try:
            with _alone(self._path):
                held = self.recall()
                if isinstance(held, Failure):
                    return held
                _write(self._path, pretty(changed(held.unwrap(), change)) + "\n")
        except OSError as error:
            return self._wrong("write", error)
        return Success(None)

    def _wrong(self, what: str, error: OSError | UnicodeDecodeError) -> Failure[Invalid]:
        told = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        return Failure(Invalid("INVALID_ARGUMENT", "--auth-store", f"cannot {what} {self._path}: {told}"))


def _write(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    beside.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """While it lasts, no other run changes the file; the lock stands beside it, as the file itself is replaced."""
    number = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, PRIVATE)
    try:
        if sys.platform != "win32":
            import fcntl  # noqa: PLC0415 - there is none on Windows

            fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)
