"""Find the processes that a server started outside of its process group, so that they end with it (Linux)."""

import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

_PR_SET_CHILD_SUBREAPER = 36
_ZOMBIE = "Z"
_STAT_SIZE = 4096
"""Buffer size in bytes for reading /proc/PID/stat, which is shorter."""


class Process(NamedTuple):
    """The fields of /proc/PID/stat that matter here."""

    pid: int
    state: str
    parent: int
    group: int
    session: int


class Descendants:
    """The processes that this process started, and what they started."""

    def __init__(self) -> None:
        """Start without known processes."""
        self._started: set[int] = set()
        self._adopts = False

    def adopt_orphans(self) -> None:
        """Become the parent, instead of init, of descendants whose parent exits.

        The setting is for the whole process: a library must not make it in a program that imports mcpi.
        """
        if self._adopts or sys.platform != "linux":
            return
        try:
            import ctypes  # noqa: PLC0415 - only needed when a process is started

            # prctl(2): "the subreaper fulfills the role of init(1) for its descendant processes".
            self._adopts = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
        except (ImportError, OSError, AttributeError):
            return

    def started(self, pid: int) -> None:
        """Add a process that this process started itself."""
        self._started.add(pid)

    def ended(self, pid: int) -> None:
        """Forget a process that was stopped."""
        self._started.discard(pid)

    def of(self, server: int) -> list[Process]:
        """Return the running processes of a server: its session, and its descendants, however deep they are.

        The server of an orphan is unknown: orphans count as descendants of the last server that runs.
        """
        processes = list(_processes())
        children: dict[int, list[Process]] = defaultdict(list)
        for one in processes:
            children[one.parent].append(one)
        waiting = [one for one in processes if one.session == server]
        waiting += [*children[server], *self._orphans(server, children[os.getpid()])]
        found: dict[int, Process] = {}
        while waiting:
            one = waiting.pop()
            if one.pid not in found:
                found[one.pid] = one
                waiting += children[one.pid]
        return [one for one in found.values() if one.state != _ZOMBIE]

    def outside_group(self, server: int) -> list[int]:
        """Return the processes of a server that left its process group."""
        return [one.pid for one in self.of(server) if one.group != server]

    def _orphans(self, server: int, children: list[Process]) -> Iterator[Process]:
        if not self._adopts or self._started - {server}:
            return
        # A server has its own session. Its descendants may leave that session, but they cannot join mcpi's.
        session = os.getsid(0)
        for one in children:
            if one.session != session and one.pid not in self._started:
                if one.state == _ZOMBIE:
                    with suppress(ChildProcessError):
                        os.waitpid(one.pid, os.WNOHANG)
                yield one


DESCENDANTS = Descendants()


def _processes() -> Iterator[Process]:
    """Yield all processes; none where the system has no /proc."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - pathlib would delay the start of the server
    except OSError:
        return
    for name in names:
        if not name.isdecimal():
            continue
        try:
            file = os.open(f"/proc/{name}/stat", os.O_RDONLY)
        except OSError:
            continue
        try:
            stat = os.read(file, _STAT_SIZE)
        except OSError:
            continue
        finally:
            os.close(file)
        # proc(5): the name of the program may contain spaces and parentheses.
        state, parent, group, session = stat[stat.rindex(b")") + 2 :].split(maxsplit=4)[:4]
        yield Process(int(name), state.decode(), int(parent), int(group), int(session))
