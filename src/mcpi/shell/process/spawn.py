"""Start processes; imports little, so that a server can boot while the rest of mcpi is imported."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from types import FrameType
from typing import TYPE_CHECKING

from mcpi.shell.context import INTERRUPTED_EXIT_CODE, Context
from mcpi.shell.process.descendants import DESCENDANTS
from mcpi.shell.process.shutdown import POSIX, hand_over_shutdown, release_guard, start_guard

if TYPE_CHECKING:
    from mcpi.shell.process.windows import Jobs

ENDING_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGALRM")


def handled_signals() -> list[signal.Signals]:
    """Return the signals that end mcpi, except those that the parent process ignores (nohup)."""
    known: list[signal.Signals] = [getattr(signal, name) for name in ENDING_SIGNALS if hasattr(signal, name)]
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]


def exit_on_signals(handler: "SignalHandler | None" = None) -> None:
    """Make each signal stop the tracked processes and exit at once, until other handlers are installed.

    `handler` replaces the default handler, and must exit. Only mcpi's own commands call this function: it also allows
    them to adopt the orphans of the servers that they start.
    """
    global _exit_handler  # noqa: PLW0603 - signal handlers are global as well
    _exit_handler = handler or _exit_on_signal
    for number in handled_signals():
        signal.signal(number, _exit_handler)


SignalHandler = Callable[[int, FrameType | None], None]
_exit_handler: SignalHandler | None = None
"""The handler that exits; None in a program that uses the package as a library."""
_TRACKED: "dict[int, subprocess.Popen[bytes]]" = {}
"""The processes that were started and not stopped yet, by pid."""
_GUARDS: "dict[int, subprocess.Popen[bytes]]" = {}
"""The scripts that stop them if mcpi ends at once, by the same pid."""


def _exit_on_signal(_: int, __: FrameType | None) -> None:
    # Do not raise: Python may ignore an exception that is raised during an import.
    stop_tracked()
    os._exit(INTERRUPTED_EXIT_CODE)


def stop_tracked() -> None:
    """Stop all tracked processes; used when mcpi exits without closing its connections."""
    for process in list(_TRACKED.values()):
        if hand_over_shutdown(process):
            untrack(process)
        else:
            kill_tree(process)


@cache
def jobs() -> "Jobs":
    """Return the jobs of the processes on Windows."""
    from mcpi.shell.process.windows import Jobs, kernel32  # noqa: PLC0415 - the other systems have process groups

    return Jobs(kernel32())


def kill_tree(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process, on Windows with all processes that it started."""
    if POSIX:
        process.kill()
    else:
        jobs().kill(process)


def guard_tracked() -> None:
    """Let scripts stop the tracked processes if a signal ends mcpi at once."""
    for process in _TRACKED.values():
        guard = None if process.pid in _GUARDS else start_guard(process)
        if guard is not None:
            _GUARDS[process.pid] = guard


def untrack(process: "subprocess.Popen[bytes]") -> None:
    """Stop tracking a process that was stopped or handed over."""
    _TRACKED.pop(process.pid, None)
    guard = _GUARDS.pop(process.pid, None)
    if guard is not None:
        release_guard(guard)
    DESCENDANTS.ended(process.pid)


def child_environment(context: Context, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without mcpi's own settings, which may be secret, plus more variables."""
    inherited = {name: value for name, value in context.environment.items() if not name.startswith("MCPI_")}
    return inherited | dict(variables)


def spawn(
    context: Context, command: Sequence[str], variables: Mapping[str, str], cwd: str | None
) -> "subprocess.Popen[bytes]":
    """Start the process with mcpi's environment and more variables; raise the system's error."""
    environment = child_environment(context, variables)
    if not POSIX:
        from mcpi.shell.process.windows import program_path  # noqa: PLC0415 - the other systems find programs themselves

        command = (program_path(command[0], environment, os.path.isfile), *command[1:])
    return start_tracked(lambda: _popen(command, environment, context.folder(cwd)))


def start_tracked(start: "Callable[[], subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
    """Start a process and track it; a signal that arrives meanwhile takes effect once the process is tracked."""
    if _exit_handler is not None:
        DESCENDANTS.adopt_orphans()
    with _deferred_signals():
        process = start()
        _TRACKED[process.pid] = process
        if not POSIX:
            jobs().add(process)
        DESCENDANTS.started(process.pid)
    return process


@contextmanager
def _deferred_signals() -> Iterator[None]:
    """Exit on signals only at the end: a process that is started but not yet tracked would be left running."""
    received: list[int] = []
    deferred: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        deferred = [number for number in handled_signals() if signal.getsignal(number) is _exit_handler]
    try:
        for number in deferred:
            signal.signal(number, lambda got, _: received.append(got))
        yield
    finally:
        for number in deferred:
            signal.signal(number, _exit_handler)
        if received and _exit_handler is not None:
            _exit_handler(received[0], None)


def _popen(command: Sequence[str], env: Mapping[str, str], cwd: str | None) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - starting the command that the user names is the purpose of mcpi
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=cwd,
        env=env,
        # In its own session, the process gets no Ctrl-C from the terminal, and its whole group can be signalled.
        start_new_session=POSIX,
        creationflags=0 if POSIX else getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


class PrestartedServer:
    """A server that is started before the command line is fully parsed."""

    def __init__(self, context: Context, command: tuple[str, ...]) -> None:
        """Start the server; if the command fails to start, the connection retries and reports the failure."""
        self.command = command
        self._process: subprocess.Popen[bytes] | None = None
        exit_on_signals()
        with suppress(OSError, ValueError):
            self._process = spawn(context, command, {}, None)

    def take(self) -> "subprocess.Popen[bytes] | None":
        """Return the process once; the caller becomes responsible for stopping it."""
        process, self._process = self._process, None
        return process

    def stop_unless_taken(self) -> None:
        """Stop the server if it was not taken."""
        if self.take() is not None:
            stop_tracked()
