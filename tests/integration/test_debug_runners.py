"""Every hit of debug/script is recorded in order under test runners and bundlers, with source maps and TypeScript.

RUNNER_RUNS=20 runs each of them 20 times.
"""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from debugging import FIXTURES, NODES, Bench
from running import Mcpi

MODULES = FIXTURES.parent / "node" / "node_modules"
NODE = "%N% --inspect-brk=0"
INHERITED = "NODE_OPTIONS=--inspect-brk=0 %N%"
JEST = "node_modules/jest/bin/jest.js --no-cache"
TS_JEST = f"{JEST} -c ts-jest.json"
MOCHA = "node_modules/mocha/bin/mocha.js -r ts-node/register/transpile-only"
VITEST = "node_modules/vitest/vitest.mjs run"
HITS = [1, 2, 3, 4, 4, 5, 5, 6, 6]
"""Values while the module is loaded, and in the tests that follow."""
PROCESS, THREAD = "process.pid", "process.getBuiltinModule('worker_threads').threadId"

each_run = pytest.mark.parametrize("run", range(1, int(os.environ.get("RUNNER_RUNS", "1")) + 1))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runners")
    shutil.copytree(FIXTURES / "runners", folder, dirs_exist_ok=True)
    (folder / "node_modules").symlink_to(MODULES)
    return folder


@pytest.fixture
def bench(project: Path, mcpi: Mcpi) -> Bench:
    return Bench(project, NODES[0], mcpi)


@pytest.fixture(scope="module")
def bundles(project: Path) -> None:
    subprocess.run([NODES[0], "build.js"], cwd=project, check=True, timeout=60)


def hits(bench: Bench, command: str, expression: str = "item") -> list[Any]:
    """Evaluate an expression at a source line given as file URL and column, and return the values."""
    place = f"file://{bench.folder}/src/order.ts:14:5"
    return bench.values(place, expression, "--timeout", "100s", command=command, patience=120.0)


@each_run
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(f"{NODE} {MOCHA} order.mocha.ts", id="mocha"),
        pytest.param(f"{NODE} -r ts-node/register/transpile-only main.ts", id="ts-node"),
        pytest.param(f"{NODE} --import tsx main.ts", id="tsx"),
        pytest.param(f"{NODE} --import tsx order.node.ts", id="node:test"),
    ],
)
def test_single_process_runner_records_every_hit_in_order(bench: Bench, command: str, run: int) -> None:
    assert hits(bench, command) == HITS, run


@each_run
@pytest.mark.parametrize("bundler", ["esbuild", "webpack"])
@pytest.mark.usefixtures("bundles")
def test_bundle_records_every_hit_in_order(bench: Bench, bundler: str, run: int) -> None:
    assert hits(bench, f"{NODE} built/{bundler}.js") == HITS, run


@each_run
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(f"{NODE} {JEST} -i", id="jest -i"),
        pytest.param(f"{INHERITED} {JEST} -i", id="jest -i, NODE_OPTIONS"),
        pytest.param(f"{NODE} {TS_JEST} -i", id="ts-jest -i"),
        pytest.param(f"{NODE} {VITEST} --pool=threads --no-file-parallelism", id="vitest, one thread"),
    ],
)
def test_each_test_file_records_every_hit_in_order(bench: Bench, command: str, run: int) -> None:
    assert hits(bench, command) == HITS * 2, run


@each_run
@pytest.mark.parametrize(
    ("command", "worker"),
    [
        pytest.param(f"{INHERITED} {JEST} -w 2", PROCESS, id="jest -w 2"),
        pytest.param(f"{INHERITED} {TS_JEST} -w 2", PROCESS, id="ts-jest -w 2"),
        pytest.param(f"{INHERITED} {VITEST} --pool=forks", PROCESS, id="vitest, forks"),
        pytest.param(f"{NODE} {VITEST} --pool=threads", THREAD, id="vitest, threads"),
    ],
)
def test_each_worker_records_every_hit_in_order(bench: Bench, command: str, worker: str, run: int) -> None:
    workers: dict[int, list[int]] = {}
    for number, item in hits(bench, command, f"[{worker}, item]"):
        workers.setdefault(number, []).append(item)

    assert list(workers.values()) == [HITS, HITS], run
