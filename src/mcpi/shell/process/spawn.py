"""A process is started; this needs so little that a server can boot while the rest of us is still being loaded."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from mcpi.shell.context import Context

POSIX = os.name == "posix"
INTERRUPTED = 130
ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


def handled_signals() -> list[signal.Signals]:
    """The signals that end us; what our parent wants ignored (nohup) stays ignored."""
    known: list[signal.Signals] = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]


def expect_signals() -> None:
    """As long as nobody listens for signals, each ends us at once; what was started is seen to."""
    for number in handled_signals():
        signal.signal(number, _end)


_TRACKED: "dict[int, subprocess.Popen[bytes]]" = {}
"""What was started, as long as nobody has seen to its end."""


def _end(_: int, __: FrameType | None) -> None:
    # An exception would not do: where one is raised amid an import, Python may ignore it.
    kill_remaining()
    os._exit(INTERRUPTED)


def kill_remaining() -> None:
    """Nothing is left of what nobody came to close: what came between was no part of the plan."""
    for process in list(_TRACKED.values()):
        if not hand_over_shutdown(process):
            process.kill()


def forget_process(process: "subprocess.Popen[bytes]") -> None:
    """Its end has been seen to."""
    _TRACKED.pop(process.pid, None)


def child_environment(context: Context, more: Mapping[str, str]) -> dict[str, str]:
    """Return our environment without mcpi's own settings, which may be secret, plus more variables."""
    return {name: value for name, value in context.environment.items() if not name.startswith("MCPI_")} | dict(more)


def spawn(
    context: Context, command: Sequence[str], more: Mapping[str, str], cwd: str | None
) -> "subprocess.Popen[bytes]":
    """Start the process with our environment and more variables; raise the system's error."""
    return start_tracked(lambda: _popen(command, child_environment(context, more), context.folder(cwd)))


def start_tracked(start: "Callable[[], subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
    """The process, whose end is for us to see to, however early a signal comes."""
    came: list[int] = []
    with _postponed(came):
        process = start()
        _TRACKED[process.pid] = process
    if came:
        _end(came[0], None)
    return process


@contextmanager
def _postponed(came: list[int]) -> Iterator[None]:
    """What would raise now is only noted: between the birth of a process and its first name it would be nobody's."""
    raising: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        raising = [number for number in handled_signals() if signal.getsignal(number) is _end]
    try:
        for number in raising:
            signal.signal(number, lambda got, _: came.append(got))
        yield
    finally:
        for number in raising:
            signal.signal(number, _end)


def _popen(command: Sequence[str], env: Mapping[str, str], cwd: str | None) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - starting the command that the user names is what we are for
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=cwd,
        env=env,
        # A session of its own: Ctrl-C on our terminal is ours to handle, and the whole group can be ended.
        start_new_session=POSIX,
    )


GRACE, TERM, KILL = 0.25, 1.0, 1.0
"""Seconds that a server has to end by itself, after SIGTERM, and after SIGKILL."""
# POSIX, kill: the signal goes by -s; dash takes no "--" after -TERM.
_SHUTDOWN_SCRIPT = 'sleep "$2"; kill -s TERM -- "-$1" || exit; sleep "$3"; kill -s KILL -- "-$1"'
_SHELL = "/bin/sh"


def hand_over_shutdown(process: "subprocess.Popen[bytes]") -> bool:
    """Whether somebody else sees to the end of the process's group, so that we need not stay for it."""
    if not POSIX or not Path(_SHELL).exists():
        return False
    subprocess.Popen(  # noqa: S603 - a fixed script with three numbers
        [_SHELL, "-c", _SHUTDOWN_SCRIPT, "mcpi-undertaker", str(process.pid), str(GRACE), str(TERM)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    forget_process(process)
    return True


class PrestartedServer:
    """A server that was started before the command line was understood whole; whoever wants it takes it."""

    def __init__(self, context: Context, command: tuple[str, ...]) -> None:
        """If the command cannot be started, there is no process: others tell why."""
        self.command = command
        self._process: subprocess.Popen[bytes] | None = None
        expect_signals()
        with suppress(OSError, ValueError):
            self._process = spawn(context, command, {}, None)

    def take(self) -> "subprocess.Popen[bytes] | None":
        """The process, from now on somebody else's."""
        process, self._process = self._process, None
        return process

    def leave(self) -> None:
        """Nothing is left of a server that nobody wanted."""
        if self.take() is not None:
            kill_remaining()
