"""Breakpoints in TypeScript and other mapped sources resolve to the source line."""

import base64
import shutil
from pathlib import Path

import pytest

from debugging import FIXTURES, NAMES, NODES, Bench
from running import Mcpi

OLDER = {"type": "object", "value": {"name": "John", "age": 60}}


@pytest.fixture(params=NODES, ids=NAMES)
def bench(request: pytest.FixtureRequest, tmp_path: Path, mcpi: Mcpi) -> Bench:
    shutil.copytree(FIXTURES / "typed", tmp_path, dirs_exist_ok=True)
    return Bench(tmp_path, request.param, mcpi)


@pytest.mark.parametrize("built", ["built-commonjs", "built-esm", "built-inline"])
def test_source_line_is_found_in_compiled_code(bench: Bench, built: str) -> None:
    other = ("--breakpoint", "src/helper.ts:9", "--expression", "doubled")
    ran = bench.run("src/test.ts:17", "older", *other, command=f"%N% --inspect-brk=0 {built}/test.js")

    doubled = {"type": "number", "value": 60, "breakpoint": "src/helper.ts:9"}
    assert ran.json == {"results": [doubled, {**OLDER, "breakpoint": "src/test.ts:17"}]}


def test_module_with_inline_map_pauses_before_it_runs(bench: Bench) -> None:
    built = bench.folder / "built-esm"
    code = (built / "test.js").read_text("utf-8").rpartition("//#")[0]
    carried = base64.b64encode((built / "test.js.map").read_bytes()).decode()
    (built / "carries.mjs").write_text(f"{code}//# sourceMappingURL=data:application/json;base64,{carried}\n")
    # It is loaded while the program runs.
    (built / "late.mjs").write_text("await import('./carries.mjs');\n")
    ran = bench.run("src/test.ts:17", "older", command="%N% --inspect-brk=0 built-esm/late.mjs")

    assert ran.json == {"results": [OLDER]}


def test_line_without_compiled_code_moves_to_the_next_one(bench: Bench) -> None:
    ran = bench.run("src/helper.ts:5", "amount", command="%N% --inspect-brk=0 built-commonjs/test.js")

    assert ran.json == {
        "results": [{"type": "number", "value": 30}],
        "breakpoint": {"file": "src/helper.ts", "line": 5, "resolvedLine": 8},
    }


def test_line_of_a_compiled_file_is_used_directly(bench: Bench) -> None:
    ran = bench.run("built-commonjs/helper.js:6", "doubled", command="%N% --inspect-brk=0 built-commonjs/test.js")

    assert ran.json == {"results": [{"type": "number", "value": 60}]}


def test_source_missing_on_disk_is_found_through_its_map(bench: Bench) -> None:
    shutil.rmtree(bench.folder / "src")
    ran = bench.run("src/helper.ts:9", "doubled", command="%N% --inspect-brk=0 built-commonjs/test.js")

    assert ran.json == {"results": [{"type": "number", "value": 60}]}


HOOK = """\
const { readFileSync } = require('fs'), { stripTypeScriptTypes } = require('module');
require.extensions['.ts'] = (module, filename) => {
  const code = readFileSync(filename, 'utf8');
  const made = stripTypeScriptTypes(code, { mode: 'transform', sourceMap: true, sourceUrl: filename });
  module._compile('\\n\\n\\n' + made, filename);
};
require('./transformed.ts');
"""


def newest(bench: Bench) -> Bench:
    if bench.node != NODES[0]:
        pytest.skip("TypeScript runs as it is since Node.js 22")
    for name in ("transformed.ts", "stripped.ts"):
        shutil.copy(FIXTURES / name, bench.folder)
    return bench


@pytest.mark.parametrize("place", ["transformed.ts:11", "transformed.ts:10"])
def test_transform_types_maps_lines_of_a_ts_file(bench: Bench, place: str) -> None:
    command = "%N% --experimental-transform-types --inspect-brk=0 transformed.ts"

    assert newest(bench).run(place, "amount", command=command).json == {"results": [{"type": "number", "value": 21}]}


def test_transform_types_maps_lines_of_an_mts_module(bench: Bench) -> None:
    source = (FIXTURES / "transformed.ts").read_text("utf-8")
    newest(bench).write("a.mts", source)
    command = "%N% --experimental-transform-types --inspect-brk=0 a.mts"

    assert bench.run("a.mts:11", "doubled", command=command).json == {"results": [{"type": "number", "value": 42}]}


def test_strip_types_keeps_line_numbers(bench: Bench) -> None:
    ran = newest(bench).run("stripped.ts:5", "doubled", command="%N% --inspect-brk=0 stripped.ts")

    assert ran.json == {"results": [{"type": "number", "value": 42}]}
