"""Run mcpi for a long time and many times, and check for leaks: run.py [--minutes M] [--runs N] [--plot FILE]."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from attrs import Factory, define, frozen

from running import COMMAND, Web, clean_environment, processes, wait_until
from soak.plot import Curve, svg

ROOT = Path(__file__).parents[2]
SERVERS = ROOT / "fixtures" / "servers"
RATE, CUT = 5000, 5.0
"""Events a second, and seconds until the server cuts the stream."""
SLOWEST, READ, SLOW = 30.0, 20.0, 10.0
"""Seconds at one line per second, then in turn at full speed and at twenty lines per second."""
GROWTH = 1.1
"""Allowed growth of memory from the first quarter, which has every reading speed, to the second half."""


@frozen
class Sample:
    """Memory and file descriptors of the process at one moment."""

    second: float
    mebibytes: float
    descriptors: int


@define
class Read:
    """The state of the reader: lines, reconnections and gaps."""

    lines: int = 0
    reconnections: int = 0
    last: int = 0
    gaps: int = 0
    pause: float = 1.0
    samples: list[Sample] = Factory(list)

    def take(self, line: bytes) -> None:
        """Read one more line; the numbers are consecutive, even after a reconnection."""
        self.lines += 1
        event: dict[str, Any] = json.loads(line)
        if event.get("event") == "reconnected":
            self.reconnections += 1
        elif event.get("event") == "notification":
            number = event["params"]["n"]
            self.gaps += number != self.last + 1
            self.last = number


def follow(seconds: float) -> tuple[Read, dict[str, Any]]:
    """Run follow mode for this long, with a server that cuts connections and a reader that is slow at times."""
    web = Web(str(SERVERS / "flooding.py"), str(RATE), str(CUT))
    words = [COMMAND, "--follow", "--method", "tools/call", "--tool-name", "echo", web.url()]
    following = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())
    read = Read()
    reader = threading.Thread(target=_read, args=(following, read))
    reader.start()
    began = time.monotonic()
    while (second := time.monotonic() - began) < seconds and following.poll() is None:
        read.pause = 1.0 if second < SLOWEST else 0.0 if (second - SLOWEST) % (READ + SLOW) < READ else 0.05
        read.samples.append(_sample(following.pid, second))
        time.sleep(1)
    following.terminate()
    read.pause = 0.0
    reader.join(30)
    stderr = following.communicate(timeout=30)[1].decode()
    web.end()
    return read, _judged(read, following.returncode, stderr)


def _read(following: "subprocess.Popen[bytes]", read: Read) -> None:
    assert following.stdout is not None
    following.stdout.readline()
    following.stdout.readline()
    for line in following.stdout:
        read.take(line)
        if read.pause:
            time.sleep(read.pause)


def _sample(pid: int, second: float) -> Sample:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return Sample(second, int(fields["VmRSS"].split()[0]) / 1024, _entries(f"/proc/{pid}/fd"))


def _entries(folder: str) -> int:
    return sum(1 for _ in Path(folder).iterdir())


def _judged(read: Read, code: int, message: str) -> dict[str, Any]:
    quarter, half = len(read.samples) // 4, len(read.samples) // 2
    # Skip the samples of the start.
    early, late = read.samples[3:quarter], read.samples[half:]
    crawl = [one.mebibytes for one in read.samples[3:] if one.second < SLOWEST]
    figures: dict[str, Any] = {
        "seconds": round(read.samples[-1].second),
        "lines": read.lines,
        "reconnections": read.reconnections,
        "gaps": read.gaps,
        "exitCode": code,
        "crawlMiB": [round(min(crawl), 1), round(max(crawl), 1)],
        "earlyMiB": round(max(one.mebibytes for one in early), 1),
        "lateMiB": round(max(one.mebibytes for one in late), 1),
        "earlyDescriptors": max(one.descriptors for one in early),
        "lateDescriptors": max(one.descriptors for one in late),
    }
    figures["good"] = (
        (code, read.gaps, message) == (0, 0, "")
        and figures["lateMiB"] <= GROWTH * figures["earlyMiB"]
        and figures["lateDescriptors"] <= figures["earlyDescriptors"]
    )
    return figures


def one_shots(runs: int) -> dict[str, Any]:
    """Run this many calls, alternating stdio and HTTP, and count leftover processes and sockets."""
    word = f"mcpi-soak-{os.getpid()}"
    web = Web(str(SERVERS / "faulty_http.py"), "valid_session")
    server = (sys.executable, "-S", str(SERVERS / "faulty.py"), "blank_lines", word)
    targets = (("--", *server), (web.url(),))
    took: list[float] = []
    codes: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        before = _entries("/proc/self/fd")
        for number in range(runs):
            started = time.monotonic()
            ran = subprocess.run(
                [COMMAND, "--method", "tools/call", "--tool-name", "echo", *targets[number % len(targets)]],
                env=clean_environment({"TMPDIR": folder}),
                stdout=subprocess.DEVNULL,
                check=False,
            )
            took.append(time.monotonic() - started)
            codes[ran.returncode] = codes.get(ran.returncode, 0) + 1
        wait_until(lambda: not processes(word))
        left = sorted(one.name for one in Path(folder).iterdir())
        descriptors = _entries("/proc/self/fd") - before
    sockets = _open_sockets(web.port)
    web.end()
    tenth = max(runs // 10, 1)
    figures: dict[str, Any] = {
        "runs": runs,
        "exitCodes": codes,
        "files": left,
        "sockets": sockets,
        "descriptors": descriptors,
        "medianMsFirstTenth": round(1000 * statistics.median(took[:tenth])),
        "medianMsLastTenth": round(1000 * statistics.median(took[-tenth:])),
    }
    figures["good"] = (codes, left, sockets, descriptors) == ({0: runs}, [], 0, 0)
    return figures


def _open_sockets(port: int) -> int:
    """The number of established connections with the server."""
    established = "01"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    wanted = f"{port:04X}"
    return sum(row[3] == established and wanted in {row[1].split(":")[1], row[2].split(":")[1]} for row in rows)


def main() -> int:
    """The exit code, 0 if all checks pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    found: dict[str, Any] = {}
    if args.minutes:
        read, found["follow"] = follow(60 * args.minutes)
        if args.plot is not None:
            memory = Curve("memory, MiB", [(one.second, one.mebibytes) for one in read.samples])
            descriptors = Curve("descriptors", [(one.second, one.descriptors) for one in read.samples])
            args.plot.write_text(svg(memory, descriptors), "utf-8")
    if args.runs:
        found["oneShots"] = one_shots(args.runs)
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    return 0 if all(figures["good"] for figures in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
