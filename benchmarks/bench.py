"""mcpi beside the floor and its peers: python bench.py [NAME...] [--runs N]; a name picks what has it in its own."""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import page
from hits import hits
from measure import Command, FailedError, Sample, measure, median
from peers import WANTED, installed, peers
from results import Figures, Result, document, rows
from workloads import EVERYTHING, HERE, Room, Workload, workloads

Key: TypeAlias = tuple[str, str]
FIRST, MANY, ONE = ("mcpi", "floor"), "many", "one"
RUNS = 11
SLOW = 10.0
"""Seconds: what takes longer is run once."""


def main() -> None:
    """One table; a full run is also kept as results.json and told by docs/benchmarks.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="workloads, or parts of their names; all unless given")
    parser.add_argument("--runs", type=int, default=RUNS, help="of each command; some take fewer")
    parser.add_argument("--mcpi", default=str(HERE.parent / ".venv/bin/mcpi"), help="the command to measure")
    parser.add_argument("--alone", action="store_true", help="without the peers")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as scratch, _room(options.mcpi, Path(scratch), alone=options.alone) as room:
        for workload in chain(workloads(room), hits(room)):
            if not options.names or any(name in workload.name for name in options.names):
                results.append(_result(workload, max(round(options.runs * workload.share), 1), room.scratch))
                for line in rows(results[-1], first=len(results) == 1):
                    print(line, flush=True)
    for result in results:
        for line in result.verdicts():
            print(line)
    if not options.names:
        found = document(results, WANTED)
        page.RESULTS.write_text(f"{json.dumps(found, indent=1)}\n", "utf-8")
        page.write(found)


def _result(workload: Workload, runs: int, scratch: Path) -> Result:
    """The medians, from runs that take turns."""
    commands = {(name, MANY): command for name, command in workload.commands.items()}
    commands |= {(name, ONE): command for name, command in workload.one.items()}
    samples = _samples(workload.name, commands, runs, scratch)
    figures = {
        name: Figures(median(taken), [one.wall for one in taken])
        for (name, which), taken in samples.items()
        if which == MANY
    }
    each = {
        name: (figures[name].median.wall - median(samples[name, ONE]).wall) / (workload.count - 1)
        for name in workload.one
        if name in figures and (name, ONE) in samples
    }
    return Result(workload, figures, each)


def _samples(work: str, commands: Mapping[Key, Command], runs: int, scratch: Path) -> dict[Key, list[Sample]]:
    """What each run took; who cannot do the work is left out."""
    samples: dict[Key, list[Sample]] = {key: [] for key in commands}
    for turn in range(runs + 1):
        for key, taken in list(samples.items()):
            if taken and taken[0].wall > SLOW:
                continue
            try:
                sample = measure(commands[key], scratch)
            except FailedError as failed:
                if key[0] in FIRST:
                    raise
                print(f"{work}: {key[0]} is left out: {failed}", file=sys.stderr)
                del samples[key]
                continue
            # The first one warms the caches.
            if turn or sample.wall > SLOW:
                taken.append(sample)
    return samples


@contextmanager
def _room(mcpi: str, scratch: Path, *, alone: bool) -> Iterator[Room]:
    """All that is needed, the running servers too."""
    node = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
    assert node is not None
    python = Path(mcpi).read_text().splitlines()[0].removeprefix("#!")
    others, cri = ({}, None) if alone else (peers(node, scratch), installed("cri", node))
    with _served(node, "streamableHttp") as web, _served(node, "sse") as events:
        yield Room(
            mcpi,
            python,
            sys.executable,
            node,
            scratch,
            f"{web}/mcp",
            f"{events}/sse",
            others,
            cri,
        )


@contextmanager
def _served(node: str, transport: str) -> Iterator[str]:
    """Where the reference server listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [node, str(EVERYTHING), transport],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 20
        while not _listens(port):
            assert time.monotonic() < until, f"the reference server does not listen by {transport}"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    main()
