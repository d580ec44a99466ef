"""The stop ladder for a server: close its stdin, wait, send SIGTERM, wait, send SIGKILL."""

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from mcpi.shell.process.descendants import DESCENDANTS

if TYPE_CHECKING:
    import asyncio

    from mcpi.shell.process.child import Child

POSIX = os.name == "posix"
"""True where processes have groups and pipes can be polled; Windows has neither."""
HAND_OVER_TIMEOUT = 0.002
"""Seconds to wait for the server to exit before another process takes over the shutdown."""
EXIT_TIMEOUT = 0.25
"""Seconds to wait for the server to exit after its stdin was closed."""
SIGTERM_TIMEOUT = 1.0
"""Seconds between SIGTERM and SIGKILL."""
SIGKILL_TIMEOUT = 1.0
"""Seconds to wait for the server to exit after SIGKILL."""
_POLL_INTERVAL = 0.02
_KILL_ROUNDS = 20
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)
# POSIX, kill: pass the signal with -s; dash rejects "--" after -TERM.
_SCRIPT = """
group=$1 exit=$2 term=$3 left=
shift 3
sleep "$exit"
for one in "-$group" "$@"; do kill -s TERM -- "$one" && left="$left $one"; done
[ -n "$left" ] || exit
sleep "$term"
for one in $left; do kill -s KILL -- "$one"; done
"""
# A line on stdin ends the guard; without one, stdin ends when the program that held it has ended.
_GUARD_SCRIPT = f"read -r released && exit\n{_SCRIPT}"
_SHELL = "/bin/sh"
_HANDED_OVER: "list[subprocess.Popen[bytes]]" = []
"""The servers that are stopped by scripts, and the scripts."""


async def stop_group(child: "Child", exited: "asyncio.Future[None]", now: Callable[[], float], *, stay: bool) -> None:
    """Stop a server, whose stdin is closed, with its process group; without `stay`, let another process do the rest."""
    import asyncio  # noqa: PLC0415 - a server is started before asyncio is imported

    # MCP 2025-11-25, lifecycle: close stdin, wait for the server to exit, SIGTERM, then SIGKILL.
    await asyncio.wait([exited], timeout=EXIT_TIMEOUT if stay else HAND_OVER_TIMEOUT)
    if exited.done() and not _is_left(child):
        return
    if not stay and hand_over_shutdown(child.process):
        return
    for number, timeout in ((signal.SIGTERM, SIGTERM_TIMEOUT), (_SIGKILL, SIGKILL_TIMEOUT)):
        if exited.done() and not _is_left(child):
            break
        _signal_all(child, number)
        until = now() + timeout
        await asyncio.wait([exited], timeout=timeout)
        while now() < until and _is_left(child):  # noqa: ASYNC110 - no event reports that a group is empty
            await asyncio.sleep(_POLL_INTERVAL)


def _is_left(child: "Child") -> bool:
    """Tell whether a process of the server still runs, within its process group or outside."""
    return child.signal_group(0) or bool(DESCENDANTS.outside_group(child.process.pid))


def _signal_all(child: "Child", number: int) -> None:
    """Signal the process group and the descendants that left it."""
    outside = DESCENDANTS.outside_group(child.process.pid)
    child.signal_group(number)
    for pid in outside:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def kill_group(child: "Child") -> None:
    """Kill a process group and the descendants that left it: SIGTERM would not stop a paused process."""
    for _ in range(_KILL_ROUNDS):
        _signal_all(child, _SIGKILL)
        # A descendant may have started another one meanwhile.
        if not DESCENDANTS.outside_group(child.process.pid):
            return


def hand_over_shutdown(process: "subprocess.Popen[bytes]") -> bool:
    """Let a shell script stop the process group, so that mcpi can exit; return False if there is no shell."""
    if not _has_shell():
        return False
    _keep(process, _start_script(process, _SCRIPT, subprocess.DEVNULL))
    return True


def start_guard(process: "subprocess.Popen[bytes]") -> "subprocess.Popen[bytes] | None":
    """Let a shell script stop the process group as soon as mcpi ends, unless `release_guard` is called before."""
    if not _has_shell():
        return None
    return _start_script(process, _GUARD_SCRIPT, subprocess.PIPE)


def release_guard(guard: "subprocess.Popen[bytes]") -> None:
    """Let the guard end."""
    assert guard.stdin is not None
    with suppress(OSError):
        guard.stdin.write(b"\n")
        guard.stdin.close()
    _keep(guard)


def _has_shell() -> bool:
    """Tell whether shell scripts can run here."""
    return POSIX and os.path.exists(_SHELL)  # noqa: PTH110 - pathlib would delay the start of the server


def _start_script(process: "subprocess.Popen[bytes]", text: str, stdin: int) -> "subprocess.Popen[bytes]":
    outside = map(str, DESCENDANTS.outside_group(process.pid))
    script = subprocess.Popen(  # noqa: S603 - a fixed script with numbers
        [_SHELL, "-c", text, "mcpi-shutdown", str(process.pid), str(EXIT_TIMEOUT), str(SIGTERM_TIMEOUT), *outside],
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )
    DESCENDANTS.started(script.pid)
    return script


def _keep(*processes: "subprocess.Popen[bytes]") -> None:
    # Python warns about a process that is no longer referenced while it runs.
    _HANDED_OVER[:] = [*(one for one in _HANDED_OVER if one.poll() is None), *processes]
