"""The environment of a command as one value: arguments, variables, streams, clock, directory, and how to connect.

`main` creates it from the process and passes it on. No other module reads the environment, the standard streams or the
clock, so a test can run a whole command in a simulated environment.
"""

import io
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol, TextIO

if TYPE_CHECKING:
    from pathlib import Path

    from mcpi.core.outcome.result import Result
    from mcpi.core.targets.target import Target
    from mcpi.shell.connection.driver import Transport


INTERRUPTED_EXIT_CODE = 130
RECURSION_LIMIT = 3000
"""Python's recursion limit in the commands: enough for messages of a thousand levels and for mcpi's own calls."""


class Timer(Protocol):
    """A callback that is due later."""

    def cancel(self) -> None:
        """Cancel the timer."""
        ...


class Clock(Protocol):
    """The time of day, a clock for intervals, and timers."""

    @property
    def now(self) -> Callable[[], float]:
        """Seconds on a clock that never goes back."""
        ...

    @property
    def wall(self) -> Callable[[], float]:
        """Seconds since 1970."""
        ...

    def call_later(self, delay: float, callback: Callable[..., object], *args: object) -> Timer:
        """Call the function on the running event loop after a delay in seconds."""
        ...


class SystemClock:
    """The computer's own clock."""

    def __init__(self) -> None:
        """Take the functions of the time module as they are: the driver calls them for every message."""
        self.now: Callable[[], float] = time.monotonic
        self.wall: Callable[[], float] = time.time

    def call_later(self, delay: float, callback: Callable[..., object], *args: object) -> Timer:
        """Call the function on the running event loop after a delay in seconds."""
        import asyncio  # noqa: PLC0415 - mistakes on the command line need no event loop

        return asyncio.get_running_loop().call_later(delay, callback, *args)


class Context(NamedTuple):
    """Everything that a command may touch."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO
    clock: Clock = SystemClock()
    working_directory: str = ""
    """The directory to which relative paths refer; empty for the working directory of the process."""
    transport: "Callable[..., Transport] | None" = None
    """Creates the transport for a target, instead of starting a process or an HTTP client."""

    targets: "Callable[[str], Result[Target]] | None" = None
    """Returns the target that a plan names; without this function, a plan can name only a command or a URL."""

    @property
    def directory(self) -> "Path":
        """The directory to which relative paths refer."""
        from pathlib import Path  # noqa: PLC0415 - --version and the first process need no paths

        return Path(self.working_directory)

    def path(self, name: str) -> "Path":
        """Return the path of a name that a user gave; `~` is the home directory, an unknown `~name` stays as it is."""
        home = self.environment.get("HOME", "")
        if home and (name == "~" or name.startswith("~/")):
            name = f"{home}{name[1:]}"
        return self.directory / os.path.expanduser(name)  # noqa: PTH111 - pathlib's version raises for unknown users

    def folder(self, name: str | None) -> str | None:
        """Return the directory to start a process in; None for the current one."""
        return os.path.join(self.working_directory, name or "") or None  # noqa: PTH118 - see directory

    def epoch(self) -> float:
        """Return the time of day at which the clock for intervals was zero."""
        return self.clock.wall() - self.clock.now()


def command_context() -> Context:
    """Make the context of a command; from now on, `print` writes to stderr, as stdout is for results only."""
    context = process_context()
    sys.stdout = context.stderr
    return context


def process_context() -> Context:
    """Make the context of this process; a closed standard stream is opened on the null device."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
    if os.name == "nt":
        # On Windows, a pipe uses the encoding of the console, which lacks most characters that messages may contain.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    stdin: Any = sys.stdin
    return Context(tuple(sys.argv[1:]), os.environ, getattr(stdin, "buffer", stdin), sys.stdout, sys.stderr)
