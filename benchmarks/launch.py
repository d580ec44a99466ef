"""Runs a command and says what it took: python -SI launch.py REPORT OUTPUT COMMAND... (REPORT: a descriptor).

What a process has used starts with what its parent had when it was started, so this one imports little. All that the
command leaves behind becomes ours and is waited for: the next run has the machine for itself.
"""

import ctypes
import os
import sys
import time
from pathlib import Path

PATIENCE, PATIENCE_AFTER = 600.0, 5.0
"""Seconds that the command may take, and what it leaves behind."""
SUBREAPER = 36
"""Linux, prctl(2): orphans of our descendants become our children."""
TICKS = os.sysconf("SC_CLK_TCK")


def main(report: int, output: str, command: list[str]) -> None:
    """The figures go to the descriptor."""
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
    others = reaped + (_rest() if adopts else 0.0)
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
    """CPU seconds of the children for which the ended process has waited; to a hundredth."""
    fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / TICKS


def _rest() -> float:
    """CPU seconds of what was left behind; what does not end is killed."""
    total, until = 0.0, time.monotonic() + PATIENCE_AFTER
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
