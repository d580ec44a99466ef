"""Where things are written: stdout, stderr and files."""

import os
import select
import sys
from collections.abc import Iterable

from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.text import colors
from mcpi.core.text.terminal_safe import harmless
from mcpi.shell.io import terminal
from mcpi.shell.io.files import path_of_name, replace, write_refusal

_SLICE = 1 << 20
_MOST = 1 << 22
"""Nobody reads more than this in colours."""
_ERASE = "\r\x1b[K"


class ReaderLeft(Exception):  # noqa: N818 - it is no error, it is the reader's decision
    """Nobody reads our stdout any more."""


class UnwritableError(Exception):
    """Our stdout takes no more, and not because nobody reads it."""


class _Status:
    """The line on stderr that gives way to the next one."""

    shown = False


def for_terminal(text: str) -> str:
    """JSON as a terminal should get it; as it is for everybody else."""
    if not sys.stdout.isatty():
        return text
    return colors.json(text) if terminal.colours(sys.stdout) and len(text) <= _MOST else colors.unsteering(text)


def write(text: str) -> None:
    """The text on stdout, at once and whole."""
    _give_way()
    fd = sys.stdout.fileno()
    try:
        # Slices keep one large result from existing a second time as bytes.
        for start in range(0, len(text), _SLICE):
            _write_all(fd, text[start : start + _SLICE].encode(errors="backslashreplace"))
    except OSError as error:
        raise write_error(error) from error


def write_error(error: OSError) -> Exception:
    """What it means that stdout did not take what was written."""
    return ReaderLeft() if isinstance(error, BrokenPipeError) else UnwritableError(error.strerror)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            # Whoever shares the pipe with us may have made it non-blocking.
            select.select([], [fd], [])


def write_lines(lines: Iterable[str], style: str = "") -> None:
    """Lines on stderr, the first in the style; where nobody reads them they are not missed."""
    shown = [harmless(line) for line in lines]
    if style and shown:
        shown[0] = terminal.paint(sys.stderr)(style, shown[0])
    _give_way()
    _write_stderr("".join(f"{line}\n" for line in shown))


def write_page(lines: Iterable[str]) -> None:
    """Lines for a person on stderr, which steer nothing but what they should."""
    _give_way()
    _write_stderr("".join(f"{line}\n" for line in lines))


def write_status(line: str) -> None:
    """The line on stderr, in the place of the one before it, until something else is written."""
    _Status.shown = True
    _write_stderr(f"{_ERASE}{line}")


def _give_way() -> None:
    if _Status.shown:
        _Status.shown = False
        _write_stderr(_ERASE)


def _write_stderr(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass


def refused(flag: str, path: str) -> Failure[Invalid] | None:
    """The failure that writing will be; it is known before anything has been done in vain."""
    problem = write_refusal(path_of_name(path))
    return None if problem is None else _unwritable(flag, path, problem)


def save(flag: str, path: str, text: str) -> Result[None]:
    """The text in a file, which holds all of it or what it held before; a device or a pipe gets it as it stands."""
    try:
        replace(path_of_name(path), text)
    except OSError as error:
        return _unwritable(flag, path, str(error.strerror))
    return Success(None)


def _unwritable(flag: str, path: str, problem: str) -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", flag, f"cannot write {path}: {problem}"))
