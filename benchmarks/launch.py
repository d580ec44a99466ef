"""Run a command and report its time and memory: python -SI launch.py REPORT OUTPUT COMMAND...

REPORT is a file descriptor. The peak memory of a process includes that of its parent at the time of the fork, so this
module imports little. Processes that the command leaves behind are adopted and awaited, so that they do not disturb the
next run.
"""

import ctypes
import os
import sys
import time
from pathlib import Path

ORPHAN_TIMEOUT = 5.0
"""Seconds after which processes that the command left behind are killed."""
SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2) on Linux: orphaned descendants become children of this process."""
TICKS = os.sysconf("SC_CLK_TCK")


def main(report: int, output: str, command: list[str]) -> None:
    """Run the command, and write the figures to the descriptor."""
    adopts = sys.platform == "linux" and not ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    began = time.monotonic()
    child = _start(output, command, report)
    if adopts:
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    wall = time.monotonic() - began
    reaped = _reaped(child) if adopts else 0.0
    _, status, used = os.wait4(child, 0)
    wall = wall if adopts else time.monotonic() - began
    own = used.ru_utime + used.ru_stime - reaped
    others = reaped + (_orphan_seconds() if adopts else 0.0)
    code = os.waitstatus_to_exitcode(status)
    os.write(report, b"%d %.6f %.6f %.6f %d" % (code, wall, max(own, 0.0), others, used.ru_maxrss))


def _start(output: str, command: list[str], report: int) -> int:
    child = os.fork()
    if not child:
        os.close(report)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.dup2(os.open(f"{output}.err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        os.execv(command[0], command)  # noqa: S606 - a shell would be measured too
    return child


def _reaped(child: int) -> float:
    """Return the CPU seconds of the children that the ended process waited for, in hundredths."""
    fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / TICKS


def _orphan_seconds() -> float:
    """Return the CPU seconds of the processes left behind; kill those that do not exit."""
    total, until = 0.0, time.monotonic() + ORPHAN_TIMEOUT
    while True:
        try:
            ended, _, used = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return total
        if ended:
            total += used.ru_utime + used.ru_stime
        elif time.monotonic() > until:
            for orphan in Path("/proc/self/task", str(os.getpid()), "children").read_text().split():
                os.kill(int(orphan), 9)
        else:
            time.sleep(0.01)


main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
