"""Measure mcpi, the floor and other clients: bench.py [NAME...] runs the workloads whose names contain a NAME."""

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
from distant import distant
from hits import hits
from instructions import VALGRIND, count
from measure import Command, FailedError, Sample, measure, median
from peers import PACKAGES, installed, peers
from results import NO_PEERS, Figures, Result, document, rows
from workloads import EVERYTHING, HERE, LATENCY, Environment, Workload, workloads

Key: TypeAlias = tuple[str, str]
FIRST, MANY, ONE = ("mcpi", "floor"), "many", "one"
RUNS, QUICK_RUNS, QUICK_PEER_RUNS = 11, 5, 2
SLOW = 10.0
"""Commands that take longer than this many seconds run only once."""


def main() -> None:
    """Print one table; a full run also updates results.json and docs/benchmarks.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of workloads (default: all)")
    parser.add_argument("--runs", type=int, help=f"runs of each command (default: {RUNS}; fewer for slow commands)")
    parser.add_argument(
        "--mcpi", type=os.path.abspath, default=HERE.parent / ".venv/bin/mcpi", help="mcpi command to measure"
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer runs, mainly of the peers; takes about eight minutes"
    )
    parser.add_argument("--alone", action="store_true", help="skip the peers")
    options = parser.parse_args()
    runs = options.runs or (QUICK_RUNS if options.quick else RUNS)
    peer_runs = QUICK_PEER_RUNS if options.quick else runs
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results: list[Result] = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        _environment(options.mcpi, Path(scratch), alone=options.alone) as bench,
    ):
        for workload in chain(workloads(bench), hits(bench)):
            if not options.names or any(name in workload.name for name in options.names):
                results.append(_result(workload, runs, peer_runs, bench.scratch))
                for line in rows(results[-1], first=len(results) == 1):
                    print(line, flush=True)
    for result in results:
        for line in result.verdicts():
            print(line)
    if not options.names:
        found = document(results, PACKAGES)
        page.RESULTS.write_text(f"{json.dumps(found, indent=1)}\n", "utf-8")
        page.write(found)


def _result(workload: Workload, runs: int, peer_runs: int, scratch: Path) -> Result:
    """Run all commands of a workload in turn, and return the medians."""
    runs, peer_runs = (max(round(number * workload.share), 1) for number in (runs, peer_runs))
    commands = {(name, MANY): command for name, command in workload.commands.items()}
    commands |= {(name, ONE): command for name, command in workload.one.items()}
    samples = _samples(workload.name, commands, (runs, peer_runs), scratch)
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
    return Result(workload, figures, each, _instructions(workload))


def _instructions(workload: Workload) -> dict[str, int]:
    """Count the instructions of mcpi, the floor and `import cyclopts`, if valgrind is installed."""
    if VALGRIND is None or not workload.counted:
        return {}
    commands = {name: one for name, one in workload.commands.items() if name in NO_PEERS}
    return {name: count(one.argv, one.env, one.code) for name, one in commands.items()}


def _samples(
    work: str, commands: Mapping[Key, Command], most: tuple[int, int], scratch: Path
) -> dict[Key, list[Sample]]:
    """Return the samples of each command; a peer that fails is dropped with a message."""
    samples: dict[Key, list[Sample]] = {key: [] for key in commands}
    for turn in range(max(most) + 1):
        for key, taken in list(samples.items()):
            if turn > most[key[0] not in NO_PEERS] or (taken and taken[0].wall > SLOW):
                continue
            try:
                sample = measure(commands[key], scratch)
            except FailedError as failed:
                if key[0] in FIRST:
                    raise
                print(f"{work}: {key[0]} was skipped: {failed}", file=sys.stderr)
                del samples[key]
                continue
            # The first run fills the caches.
            if turn or sample.wall > SLOW:
                taken.append(sample)
    return samples


@contextmanager
def _environment(mcpi: str, scratch: Path, *, alone: bool) -> Iterator[Environment]:
    """Start the servers, and install the peers."""
    node = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
    assert node is not None
    python = Path(mcpi).read_text().splitlines()[0].removeprefix("#!")
    others, cri = ({}, None) if alone else (peers(node, scratch), installed("cri", node))
    with _served(node, "streamableHttp") as web, _served(node, "sse") as events, distant(LATENCY) as remote:
        yield Environment(
            mcpi,
            python,
            sys.executable,
            node,
            scratch,
            f"{web}/mcp",
            f"{events}/sse",
            remote,
            others,
            cri,
        )


@contextmanager
def _served(node: str, transport: str) -> Iterator[str]:
    """Start the reference server and yield its URL."""
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
            assert time.monotonic() < until, f"the reference server does not listen ({transport})"
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
