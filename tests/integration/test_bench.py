"""The benchmarks run and print a row for each measurement."""

import subprocess
import sys
from pathlib import Path

from running import COMMAND

BENCH = Path(__file__).parents[2] / "benchmarks" / "bench.py"


def test_selected_benchmarks_are_measured_against_their_floor() -> None:
    command = [
        sys.executable,
        str(BENCH),
        "quick-call",
        "script-delay",
        "debug-one",
        "--alone",
        "--runs",
        "1",
        "--mcpi",
        COMMAND,
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    head, *rows = [line.split() for line in ran.stdout.splitlines()]
    assert (ran.returncode, ran.stderr) == (0, "")
    assert head[:2] == ["workload", "program"]
    assert [row[:2] for row in rows if row[1] in {"mcpi", "floor"}] == [
        [name, program] for name in ("quick-call", "script-delay", "debug-one") for program in ("mcpi", "floor")
    ]
    listed = [row[0] for row in rows if row[-1] in {"reached", "MISSED"}]
    assert listed == ["quick-call:", "script-delay:", "debug-one:"]
