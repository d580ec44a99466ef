"""The stop ladder for a server: close its stdin, wait, send SIGTERM, wait, send SIGKILL."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

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
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)
# POSIX, kill: pass the signal with -s; dash rejects "--" after -TERM.
_SCRIPT = 'sleep "$2"; kill -s TERM -- "-$1" || exit; sleep "$3"; kill -s KILL -- "-$1"'
_SHELL = "/bin/sh"


async def stop_group(child: "Child", exited: "asyncio.Future[None]", now: Callable[[], float], *, stay: bool) -> None:
    """Stop a server, whose stdin is closed, with its process group; without `stay`, hand over what takes longer."""
    import asyncio  # noqa: PLC0415 - a server is started before asyncio is imported

    # MCP 2025-11-25, lifecycle: close stdin, wait for the server to exit, SIGTERM, then SIGKILL.
    await asyncio.wait([exited], timeout=EXIT_TIMEOUT if stay else HAND_OVER_TIMEOUT)
    if exited.done() and not child.signal_group(0):
        return
    if not stay and hand_over_shutdown(child.process):
        return
    for number, timeout in ((signal.SIGTERM, SIGTERM_TIMEOUT), (_SIGKILL, SIGKILL_TIMEOUT)):
        if exited.done() and not child.signal_group(0):
            break
        child.signal_group(number)
        until = now() + timeout
        await asyncio.wait([exited], timeout=timeout)
        while now() < until and child.signal_group(0):  # noqa: ASYNC110 - no event reports that a group is empty
            await asyncio.sleep(_POLL_INTERVAL)


def kill_group(child: "Child") -> None:
    """Kill a process group at once: SIGTERM would not stop a paused process that handles it."""
    child.signal_group(_SIGKILL)


def hand_over_shutdown(process: "subprocess.Popen[bytes]") -> bool:
    """Let a shell script stop the process group, so that mcpi can exit; return False if there is no shell."""
    if not POSIX or not Path(_SHELL).exists():
        return False
    subprocess.Popen(  # noqa: S603 - a fixed script with three numbers
        [_SHELL, "-c", _SCRIPT, "mcpi-undertaker", str(process.pid), str(EXIT_TIMEOUT), str(SIGTERM_TIMEOUT)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return True
