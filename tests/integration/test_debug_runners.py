"""Test runners and bundlers, as documented: every hit is recorded in order, with source maps and TypeScript.

RUNNER_RUNS=20 runs each of them 20 times.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from debugging import FIXTURES, NODES, Bench
from running import Mcpi

ROOT = Path(__file__).parents[2]
MODULES = FIXTURES.parent / "node" / "node_modules"
ROW = re.compile(r"^\| (?P<runner>[^|]+) \| `(?P<command>[^`|]*--inspect-brk[^`|]*)` \|$", re.MULTILINE)
HITS = [1, 2, 3, 4, 4, 5, 5, 6, 6]
"""Values while a file loads the module, and in the tests that follow."""
THREADS = {
    "jest": [HITS * 2],
    "jest, with `NODE_OPTIONS`": [HITS * 2],
    "jest, several workers": [HITS, HITS],
    "vitest, threads": [HITS, HITS],
    "vitest, forks": [HITS, HITS],
    "mocha": [HITS],
    "node:test": [HITS],
    "ts-node": [HITS],
    "tsx": [HITS],
    "a bundle built by esbuild": [HITS],
    "a bundle built by webpack": [HITS],
}
"""The values in each thread that runs tests."""


def documented() -> dict[str, str]:
    """The command for each runner."""
    page = (ROOT / "docs" / "debug-script.md").read_text("utf-8")
    return {match["runner"]: match["command"] for match in ROW.finditer(page)}


def cases() -> list[Any]:
    """The command and the values of each runner; jest with both compilers of TypeScript."""
    found: list[Any] = []
    for runner, command in documented().items():
        found.append(pytest.param(command, THREADS.get(runner), id=runner))
        if "jest" in command:
            found.append(pytest.param(f"{command} -c ts-jest.json", THREADS.get(runner), id=f"{runner}, with ts-jest"))
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runners")
    shutil.copytree(FIXTURES / "runners", folder, dirs_exist_ok=True)
    (folder / "node_modules").symlink_to(MODULES)
    subprocess.run([NODES[0], "build.js"], cwd=folder, check=True, timeout=60)
    return folder


def test_each_documented_runner_is_tested() -> None:
    assert list(documented()) == list(THREADS)


@pytest.mark.parametrize("run", range(1, int(os.environ.get("RUNNER_RUNS", "1")) + 1))
@pytest.mark.parametrize(("command", "expected"), cases())
def test_runner_records_every_hit_in_order(
    project: Path, mcpi: Mcpi, command: str, expected: list[list[int]], run: int
) -> None:
    place = f"file://{project}/src/order.ts:14:5"
    expression = "[process.pid, process.getBuiltinModule('worker_threads').threadId, item]"
    bench, limits = Bench(project, NODES[0], mcpi), ("--timeout", "100s")
    threads: dict[tuple[int, int], list[int]] = {}
    for process, thread, item in bench.values(place, expression, *limits, command=command, time_limit=120.0):
        threads.setdefault((process, thread), []).append(item)

    assert list(threads.values()) == expected, run


@pytest.mark.parametrize(
    "command",
    ["node_modules/jest/bin/jest.js -w 2", "node_modules/vitest/vitest.mjs run --pool=forks"],
    ids=["jest", "vitest"],
)
def test_hint_names_the_command_that_debugs_worker_processes(project: Path, mcpi: Mcpi, command: str) -> None:
    bench, limits = Bench(project, NODES[0], mcpi), ("--timeout", "100s")
    ran = bench.run("src/order.ts:14", "item", *limits, command=f"node --inspect-brk=0 {command}", time_limit=120.0)
    hinted = ran.json["hint"].partition("use: ")[2]

    assert hinted == f"NODE_OPTIONS=--inspect-brk=0 node {command}"
    found = bench.values("src/order.ts:14", "item", *limits, command=hinted, time_limit=120.0)
    assert sorted(found) == sorted(HITS * 2)


RETURNS = """\
export const guarded = (n: number): number => {
  if (n > 3) return n;
  const more = n + 1;
  return more;
};
export const checked = (n: number): number => {
  if (n > 3) return n;
  return Math.max(n, 0);
};
for (const n of [5, 2, 5]) guarded(n) + checked(n);
"""


@pytest.mark.parametrize("line", [3, 4, 8])
def test_line_after_a_return_is_hit_in_code_without_whitespace(project: Path, mcpi: Mcpi, line: int) -> None:
    bench = Bench(project, NODES[0], mcpi)
    bench.write("returns.ts", RETURNS)
    ran = bench.run(f"returns.ts:{line}", "n", command="%N% --inspect-brk=0 --import tsx returns.ts", time_limit=60.0)

    assert (ran.json, ran.stderr) == ({"results": [{"type": "number", "value": 2}]}, "")
