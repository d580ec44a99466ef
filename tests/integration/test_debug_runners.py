"""Every hit of debug/script is recorded in order under test runners and bundlers, with source maps and TypeScript."""

import shutil
from pathlib import Path

import pytest

from debugging import FIXTURES, NODES, Bench
from running import Mcpi

MODULES = FIXTURES.parent / "node" / "node_modules"
NODE = "%N% --inspect-brk=0"
INHERITED = "NODE_OPTIONS=--inspect-brk=0 %N%"
HITS = [1, 2, 3, 4, 4, 5, 5, 6, 6]
"""Values while the module is loaded, and in the tests that follow."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runners")
    shutil.copytree(FIXTURES / "runners", folder, dirs_exist_ok=True)
    (folder / "node_modules").symlink_to(MODULES)
    return folder


@pytest.fixture
def bench(project: Path, mcpi: Mcpi) -> Bench:
    return Bench(project, NODES[0], mcpi)


def hits(bench: Bench, command: str) -> list[int]:
    """Evaluate an expression at a source line given as file URL and column, and return the values."""
    place = f"file://{bench.folder}/src/order.ts:14:5"
    return bench.values(place, "item", "--timeout", "60s", command=command)


@pytest.mark.parametrize(
    "command",
    [
        f"{NODE} node_modules/mocha/bin/mocha.js -r ts-node/register/transpile-only order.mocha.ts",
        f"{NODE} -r ts-node/register/transpile-only main.ts",
        f"{NODE} --import tsx main.ts",
        f"{NODE} --import tsx order.node.ts",
    ],
    ids=["mocha", "ts-node", "tsx", "node:test"],
)
def test_single_process_runner_records_every_hit_in_order(bench: Bench, command: str) -> None:
    assert hits(bench, command) == HITS


def test_bundle_records_every_hit_in_order(bench: Bench) -> None:
    bench.run("main.ts:3", "i", command="'%N%' build.js")

    assert hits(bench, f"{NODE} built/esbuild.js") == HITS
    assert hits(bench, f"{NODE} built/webpack.js") == HITS


@pytest.mark.parametrize(
    "command",
    [
        f"{NODE} node_modules/jest/bin/jest.js -i",
        f"{NODE} node_modules/vitest/vitest.mjs run --pool=threads --no-file-parallelism",
    ],
    ids=["jest", "vitest threads"],
)
def test_each_test_file_records_every_hit_in_order(bench: Bench, command: str) -> None:
    assert hits(bench, command) == HITS * 2


@pytest.mark.parametrize(
    "command",
    [
        f"{INHERITED} node_modules/jest/bin/jest.js -w 2 --no-cache",
        f"{INHERITED} node_modules/vitest/vitest.mjs run --pool=forks",
    ],
    ids=["jest workers", "vitest forks"],
)
def test_parallel_processes_record_every_hit(bench: Bench, command: str) -> None:
    assert sorted(hits(bench, command)) == sorted(HITS * 2)
