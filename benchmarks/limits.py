"""Measure the cost of large and hostile messages: limits.py [--sizes 1,10] writes docs/limits.md.

Each message is a tool's result, sent by a server that does nothing else. Processor time is compared with that of
`json.loads` on the same bytes, and memory with the size of the message, both after subtracting the cost of a small
message with the same modules imported.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing import Process
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "limits.md"
COMMAND = Path(sys.executable).with_name("mcpi")
BASE = (sys.executable, "-c", "import mcpi.core.jsontext.codec, mcpi.shell.main as program; program.entry()")
"""mcpi with the module for large messages already imported; small messages do not need it."""
SIZES = (1, 10, 50, 128)
SMALL = 10
"""The largest of the small sizes, in MiB."""
RUNS = (5, 1)
"""Number of runs for small and for large sizes; the one with the least processor time counts."""
SIGNALS = 3
"""Number of times, evenly spaced over a run, at which SIGINT is sent, each in a separate run."""
SERVER = """
import os, sys
for line, name in zip(sys.stdin.buffer, (sys.argv[1], None, sys.argv[2])):
    if name:
        with open(name, "rb") as file:
            while os.splice(file.fileno(), 1, 1 << 20):
                pass
"""
"""The measured processor time of mcpi includes that of the server; splice needs little."""
GREETING = (
    b'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},'
    b'"serverInfo":{"name":"limits","version":"1"}}}\n'
)
HEAD, TAIL = b'{"jsonrpc":"2.0","id":2,"result":{"content":[', b"]}}\n"
LOADS = """
import json, sys, time
text = open(sys.argv[1], "rb").read()
began = time.process_time()
try:
    json.loads(text)
except (ValueError, RecursionError):
    pass
print(time.process_time() - began)
"""


def text(room: int) -> bytes:
    """One string."""
    return b'"' + b"x" * (room - 2) + b'"'


def small_objects(room: int) -> bytes:
    """Objects of three members."""
    return _repeated(b'{"id":12345,"name":"item 12345","ok":true}', room)


def nested_arrays(room: int) -> bytes:
    """Arrays that are nested a hundred levels deep."""
    return _repeated(b"[" * 100 + b"]" * 100, room)


def too_deep(room: int) -> bytes:
    """Arrays nested as deeply as the size allows."""
    return b"[" * (room // 2) + b"]" * (room // 2)


def unclosed(room: int) -> bytes:
    """Opening brackets."""
    return b"[" * room


KINDS: tuple[Callable[[int], bytes], ...] = (text, small_objects, nested_arrays, too_deep, unclosed)


def _repeated(part: bytes, room: int) -> bytes:
    return b",".join([part] * ((room + 1) // (len(part) + 1)))


def write(message: Path, kind: Callable[[int], bytes], room: int) -> None:
    """Write a message of a kind."""
    message.write_bytes(HEAD + kind(room) + TAIL)


@frozen
class Run:
    """Time and memory of one run."""

    seconds: float
    cpu: float
    mebibytes: float
    exit_code: int


@frozen
class Row:
    """One line of the table."""

    kind: str
    size: int
    seconds: float
    ratio: float | None
    mebibytes: float
    growth: float
    exit_code: int
    interrupted: float
    interrupted_cpu: float

    def cells(self) -> tuple[str, ...]:
        """Return the texts of the cells."""
        ratio = "refused" if self.ratio is None else f"{self.ratio:.1f}"
        return (
            self.kind,
            str(self.size),
            f"{self.seconds:.2f}",
            ratio,
            f"{self.mebibytes:.0f}",
            f"{self.mebibytes / self.size:.1f}",
            f"{self.growth:.1f}",
            str(self.exit_code),
            f"{self.interrupted:.2f}",
            f"{self.interrupted_cpu:.2f}",
        )


def start(
    folder: Path, message: Path, out: Path, command: tuple[str | Path, ...] = (COMMAND,)
) -> "subprocess.Popen[bytes]":
    """Start mcpi on a server that sends the message."""
    server = (sys.executable, "-S", "-c", SERVER, str(folder / "greeting"), str(message))
    flags = (
        "--method",
        "tools/call",
        "--tool-name",
        "a",
        "--era",
        "handshake",
        "--quiet",
        "--timeout",
        "5m",
        "--max-total-timeout",
        "10m",
    )
    with out.open("wb") as stdout:
        return subprocess.Popen((*command, *flags, "--", *server), stdout=stdout, stderr=subprocess.DEVNULL)


def measure(folder: Path, message: Path, out: Path, command: tuple[str | Path, ...] = (COMMAND,)) -> Run:
    """Run mcpi to its end."""
    began = time.monotonic()
    process = start(folder, message, out, command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, process.returncode)


def longest_interrupt(folder: Path, message: Path, out: Path, seconds: float) -> tuple[float, float]:
    """Return the longest time between a SIGINT and the end of a run, and the most processor time in between."""
    longest = most = 0.0
    for moment in range(1, SIGNALS + 1):
        process = start(folder, message, out)
        time.sleep(seconds * moment / (SIGNALS + 1))
        sent, before = time.monotonic(), processor_seconds(process.pid)
        os.kill(process.pid, signal.SIGINT)
        # Usage as wait4 reports it would include the server.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        longest = max(longest, time.monotonic() - sent)
        most = max(most, processor_seconds(process.pid) - before)
        process.wait()
    return longest, most


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process so far."""
    user, system = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def loads_seconds(message: Path) -> float:
    """Return the processor time of json.loads."""
    return float(subprocess.check_output((sys.executable, "-c", LOADS, message)))


def rows(folder: Path, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Measure every kind and size."""
    message, out = folder / "message", folder / "out"
    small = folder / "small"
    small.write_bytes(HEAD + TAIL)
    (folder / "greeting").write_bytes(GREETING)
    for kind in KINDS:
        for size in sizes:
            room = (size << 20) - len(HEAD) - len(TAIL)
            # In a process of its own: a new process inherits the peak memory of the one that starts it.
            writer = Process(target=write, args=(message, kind, room))
            writer.start()
            writer.join()
            runs = range(RUNS[size > SMALL])
            # In alternation, so that other load on the machine affects both.
            pairs = [(measure(folder, small, out, BASE), measure(folder, message, out)) for _ in runs]
            base, run = (min(part, key=lambda one: one.cpu) for part in zip(*pairs, strict=True))
            loads = min(loads_seconds(message) for _ in runs)
            ratio = None if kind in {too_deep, unclosed} else (run.cpu - base.cpu) / loads
            row = Row(
                kind.__doc__.rstrip(".") if kind.__doc__ else "",
                size,
                run.cpu - base.cpu,
                ratio,
                run.mebibytes - base.mebibytes,
                out.stat().st_size / (size << 20),
                run.exit_code,
                *longest_interrupt(folder, message, out, run.seconds),
            )
            print(*row.cells(), flush=True)
            yield row


def page(measured: list[Row]) -> str:
    """Return the page with the table."""
    head = (
        "message",
        "MiB",
        "CPU s",
        "over json.loads",
        "extra MiB",
        "over size",
        "output over size",
        "exit",
        "SIGINT s",
        "SIGINT CPU s",
    )
    lines = [
        "| " + " | ".join(cells) + " |" for cells in (head, ("---",) * len(head), *(row.cells() for row in measured))
    ]
    before, marker, after = PAGE.read_text(encoding="utf-8").partition("<!-- measured -->\n")
    return before + marker + "\n" + "\n".join(lines) + "\n" + after[after.index("\n<!-- end -->") :]


def main() -> None:
    """Measure, and write the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", default=",".join(map(str, SIZES)))
    sizes = tuple(map(int, options.parse_args().sizes.split(",")))
    # A shell starts background jobs with SIGINT ignored, and child processes inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        measured = list(rows(Path(folder), sizes))
    PAGE.write_text(page(measured), encoding="utf-8")


if __name__ == "__main__":
    main()
