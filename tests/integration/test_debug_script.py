"""Recording of debug/script on real Node.js: values, locations and hit counts."""

import json
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from debugging import FIXTURES, NAMES, NODES, Bench
from running import Mcpi, clean_environment, free_port

EPOCH = "1970-01-01T00:00:00.000Z"
LOOP = """\
function hit(n) {
  return n;
}
for (let i = 0; i < COUNT; i++) hit(i);
"""


@pytest.fixture(params=NODES, ids=NAMES)
def each(request: pytest.FixtureRequest, tmp_path: Path, mcpi: Mcpi) -> Bench:
    """A bench for each Node.js version that behaves differently."""
    return Bench(tmp_path, request.param, mcpi)


@pytest.fixture
def bench(tmp_path: Path, mcpi: Mcpi) -> Bench:
    return Bench(tmp_path, NODES[0], mcpi)


def test_hits_are_recorded_in_order(each: Bench) -> None:
    each.write("a.js", LOOP.replace("COUNT", "2000"))

    assert each.values("a.js:2", "n") == list(range(2000))


def test_one_hundred_thousand_hits_are_recorded_in_order(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "100000"))

    assert bench.values("a.js:2", "n", "--max-results", "100000", "--timeout", "5m") == list(range(100_000))


def test_object_and_string_values_are_printed(bench: Bench) -> None:
    bench.write("a.js", "for (const person of [{ name: 'John', age: 30 }, 'done']) {\n  console.log(person);\n}\n")

    assert bench.results("a.js:2", "person") == [
        {"type": "object", "value": {"name": "John", "age": 30}},
        {"type": "string", "value": "done"},
    ]


def test_each_value_type_is_serialized(each: Bench) -> None:
    place = f"{FIXTURES / 'values.js'}:41"
    names = each.values(place, "name")
    found = dict(zip(names, each.results(place, "value"), strict=True))

    error = found.pop("error")
    assert error["value"].pop("stack").startswith("TypeError: bad\n    at ")
    assert error == {"type": "object", "subtype": "error", "value": {"$error": "TypeError", "message": "bad"}}
    loop = {"name": "loop", "list": [{"$circular": ""}], "self": {"$circular": ""}}
    inner = {"n": [{"$number": "NaN"}, {"$undefined": True}], "s": {"$symbol": "Symbol(foo)"}, "d": {"$date": EPOCH}}
    assert found == {
        "undefined": {"type": "undefined", "value": {"$undefined": True}},
        "null": {"type": "object", "subtype": "null", "value": None},
        "true": {"type": "boolean", "value": True},
        "number": {"type": "number", "value": 1.5},
        "nan": {"type": "number", "value": {"$number": "NaN"}},
        "infinity": {"type": "number", "value": {"$number": "-Infinity"}},
        "minusZero": {"type": "number", "value": {"$number": "-0"}},
        "bigint": {"type": "bigint", "value": {"$bigint": "10"}},
        "symbol": {"type": "symbol", "value": {"$symbol": "Symbol(foo)"}},
        "function": {"type": "function", "value": {"$function": "(a) => a"}},
        "string": {"type": "string", "value": "é"},
        "surrogate": {"type": "string", "value": "a\ufffdz"},
        "array": {"type": "object", "subtype": "array", "value": [1, [2]]},
        "object": {"type": "object", "value": {"a": {"b": 1}}},
        "withNan": {"type": "object", "value": {"x": {"$number": "NaN"}}},
        "withBigint": {"type": "object", "value": {"x": {"$bigint": "1"}}},
        "map": {"type": "object", "subtype": "map", "value": {"$map": [["k", 1]]}},
        "set": {"type": "object", "subtype": "set", "value": {"$set": [1, 2]}},
        "regexp": {"type": "object", "subtype": "regexp", "value": {"$regexp": "/a+/g"}},
        "promise": {"type": "object", "subtype": "promise", "value": {"$promise": "fulfilled", "text": "1"}},
        "date": {"type": "object", "subtype": "date", "value": {"$date": EPOCH}},
        "circular": {"type": "object", "value": loop},
        "throwing": {"type": "object", "value": {"x": {"$throws": "Error: no look"}}},
        "pending": {"type": "object", "subtype": "promise", "value": {"$promise": "pending"}},
        "instance": {"type": "object", "value": {"$class": "Account", "value": {"owner": "Ada"}}},
        "bytes": {
            "type": "object",
            "subtype": "typedarray",
            "value": {"$typedArray": "Uint8Array", "values": [1, 255]},
        },
        "shared": {"type": "object", "value": {"one": {"a": 1}, "two": {"$shared": "/one"}}},
        "nested": {"type": "object", "value": inner},
        "lookalike": {"type": "object", "value": {"$object": {"$bigint": "10"}}},
        "holes": {"type": "object", "subtype": "array", "value": [1, {"$empty": True}]},
        "generator": {"type": "object", "value": {"$class": "Generator", "value": {}}},
        "args": {"type": "object", "value": {"$class": "Arguments", "value": {"0": 1}}},
        "boxed": {"type": "object", "subtype": "array", "value": [{"$class": "BigInt", "value": {"$bigint": "1"}}]},
        "local": {"type": "object", "value": {"a": [1]}},
    }


CONVERTED = """\
class Copied { id = 1; toJSON = () => ({ ...this }); }
class Same { id = 2; toJSON() { return this; } }
class Wrapped { inner = new Same(); toJSON() { return this.inner; } }
class Failing { toJSON() { throw new Error('no'); } }
const made = [new Copied(), new Same(), new Wrapped(), new Failing(), { toJSON: () => [new Same()] }];
String(made);
"""


def test_the_object_that_to_json_returns_is_not_converted_again(each: Bench) -> None:
    each.write("c.js", CONVERTED)
    same = {"$class": "Same", "value": {"id": 2}}

    assert each.values("c.js:6", "made") == [
        [
            {"$class": "Copied", "value": {"id": 1, "toJSON": {"$function": "() => ({ ...this })"}}},
            same,
            {"$class": "Wrapped", "value": same},
            {"$class": "Failing", "value": {"$throws": "Error: no"}},
            {"$class": "Object", "value": [same]},
        ]
    ]


SCOPE = """\
const outer = 'used';
class Box {
  #secret = 7;
  #sum(n) { return this.#secret + n; }
  open(argument) {
    const local = outer + argument;
    return [this.#secret, local];
  }
}
new Box().open('!');
"""


SEEN = {
    "local": "used!",
    "argument": "!",
    "arguments.length": 1,
    "this.#secret": 7,
    "this.#sum(1)": 8,
    "outer": "used",
    "{local}": {"local": "used!"},
    "local // a comment": "used!",
    "local /* another */": "used!",
    "const q = local.length; q * 2": 10,
    "if (local) 'yes'; else 'no'": "yes",
    "local, argument": "!",
    "((a) => a + 1)(1)": 2,
    "await Promise.resolve(argument)": "!",
    "x['m'] ?? 1": "ReferenceError: x is not defined",
}


def test_expression_sees_the_variables_of_the_frame(each: Bench) -> None:
    each.write("a.js", SCOPE)
    first, *others = SEEN
    flags = [flag for one in others for flag in ("--breakpoint", "a.js:7", "--expression", one)]

    assert each.values("a.js:7", first, *flags, command="'%N%' --inspect-brk=0 a.js") == list(SEEN.values())


def test_exception_in_expression_is_recorded_and_later_hits_continue(each: Bench) -> None:
    each.write("a.js", "for (const x of [{ y: { z: 1 } }, {}, { y: { z: 3 } }]) {\n  String(x);\n}\n")

    assert each.results("a.js:2", "x.y.z") == [
        {"type": "number", "value": 1},
        {"type": "error", "value": "TypeError: Cannot read properties of undefined (reading 'z')"},
        {"type": "number", "value": 3},
    ]


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("this.#other", "SyntaxError: Private field '#other' must be declared in an enclosing class"),
        ("await this.#other", "SyntaxError: Private field '#other' must be declared in an enclosing class"),
        ("super.open", "SyntaxError: 'super' keyword unexpected here"),
    ],
)
def test_expression_that_is_invalid_in_the_frame_is_recorded_as_an_error(
    bench: Bench, expression: str, error: str
) -> None:
    bench.write("scope.js", SCOPE)

    assert bench.results("scope.js:7", expression) == [{"type": "error", "value": error}]


def test_expression_with_circular_value_is_evaluated_once(bench: Bench) -> None:
    bench.write("a.js", "const c = {n: 0};\nc.self = c;\nfor (let i = 0; i < 3; i++) {\n  String(i);\n}\n")

    assert bench.values("a.js:4", "(c.n++, c)") == [{"n": n, "self": {"$circular": ""}} for n in (1, 2, 3)]


def test_unparsable_expression_is_rejected_before_the_program_runs(bench: Bench) -> None:
    bench.write("a.js", "require('fs').writeFileSync('ran', '');\nString(1);\n")
    ran = bench.run("a.js:2", "1 +")

    assert ran.exit_code == 1
    assert ran.json["error"] == "Expression does not parse: SyntaxError: Unexpected token ')'"
    assert ran.stderr.startswith("mcpi: --expression: Expression does not parse")
    assert not (bench.folder / "ran").exists()


@pytest.mark.parametrize("name", ["a.cjs", "a.mjs"])
def test_breakpoint_on_first_line_is_hit_once(each: Bench, name: str) -> None:
    each.write(name, "const x = [1, 2].length; String(x);\nString(2);\n")

    assert each.values(f"{name}:1", "typeof process") == ["object"]


def test_debugger_statement_is_not_a_hit(bench: Bench) -> None:
    bench.write("a.js", "debugger;\nfor (let i = 0; i < 2; i++) {\n  debugger; String(i);\n}\ndebugger;\n")

    assert bench.values("a.js:3", "i") == [0, 1]


def test_line_without_code_moves_and_the_resolved_line_is_reported(each: Bench) -> None:
    each.write("a.js", "let x = 1;\n// a comment\n\nx = 2;\nString(x);\n")
    ran = each.run("a.js:2", "x")

    assert ran.json == {
        "results": [{"type": "number", "value": 1}],
        "breakpoint": {"file": "a.js", "line": 2, "resolvedLine": 4},
    }


def test_line_beyond_end_of_file_is_reported(bench: Bench) -> None:
    bench.write("a.js", "String(1);\n")
    ran = bench.run("a.js:9", "1")

    assert (ran.exit_code, ran.json["error"]) == (1, "Process exited before breakpoint was hit")
    assert ran.json["hint"].startswith("a.js:9 has no code, and no code follows it")


def test_hinted_command_reaches_child_process_code(bench: Bench) -> None:
    bench.write("a.js", "require('child_process').execFileSync(process.execPath, ['c.js']);\n")
    bench.write("c.js", "const who = 'child';\nString(who);\n")
    hint = bench.run("c.js:2", "who", command="%N% --inspect-brk=0 a.js").json["hint"]

    assert bench.values("c.js:2", "who", command=hint.partition("use: ")[2]) == ["child"]


def test_unreached_line_is_reported(bench: Bench) -> None:
    bench.write("a.js", "if (process.argv.length > 99) {\n  String(1);\n}\n")

    assert bench.run("a.js:2", "1").json["hint"] == "a.js:2 was not reached"


def test_constant_is_unavailable_before_its_statement(each: Bench) -> None:
    each.write("a.js", "function f() {\n  const total = 1;\n  return total;\n}\nf();\n")
    (found,) = each.results("a.js:2", "total")

    # Node.js 20 returns undefined; later versions throw.
    early = {"type": "error", "value": "ReferenceError: Cannot access 'total' from debugger"}
    assert found in ({"type": "undefined", "value": {"$undefined": True}}, early)


NAMED = (
    "a b.js",
    "[id].js",
    "é ü.js",
    "a#b.js",
    "a%b.js",
    "100%25.js",
    "(a)+$b&c.js",
    "a~'^|!,;@=.js",
    "a?b.js",
    "{x}.js",
)


def test_file_with_unusual_name_is_found(each: Bench) -> None:
    for name in NAMED:
        each.write(name, f"let x = {json.dumps(name)};\nString(x);\n")
    each.write("main.js", "".join(f"require({json.dumps('./' + name)});\n" for name in NAMED))
    flags = [flag for name in NAMED[1:] for flag in ("--breakpoint", f"{name}:2")]

    found = each.values(f"{NAMED[0]}:2", "x", *flags, command="'%N%' --inspect-brk=0 main.js")
    assert found == list(NAMED)


def test_source_url_may_be_a_path_or_a_file_url(each: Bench) -> None:
    each.write("inner.js", "const q = i + 1;\nString(q);\n")
    each.write(
        "a.js",
        "const path = require('path').resolve('inner.js'), text = require('fs').readFileSync(path, 'utf8');\n"
        "const forms = [`file://${path}`, path].map((url) => `${text}//# sourceURL=${url}`);\n"
        "for (let i = 0; i < 2; i++) for (const form of forms) eval(form);\n",
    )

    assert each.values("inner.js:2", "q", command="'%N%' --inspect-brk=0 a.js") == [1, 1, 2, 2]


def test_symlink_resolves_to_its_target(bench: Bench) -> None:
    bench.write("a.js", "let x = 1;\nString(x);\n")
    (bench.folder / "link.js").symlink_to("a.js")

    assert bench.values("link.js:2", "x") == [1]


def test_missing_breakpoint_file_is_reported_before_the_program_runs(bench: Bench) -> None:
    ran = bench.run("nowhere.js:2", "x", command="touch ran")

    assert (ran.exit_code, ran.json["error"]) == (1, f"Breakpoint file not found: {bench.folder}/nowhere.js")
    assert not (bench.folder / "ran").exists()


def test_invalid_inspector_host_is_rejected_by_node(bench: Bench) -> None:
    bench.write("a.js", "1;\n")
    ran = bench.run("a.js:1", "1", command="'%N%' --inspect-brk=a..b:9230 a.js")

    assert (ran.exit_code, 'Unable to resolve "a..b"' in ran.stderr) == (1, True)


@pytest.mark.parametrize(
    ("probe", "message"),
    [
        ({"debugCommand": "node\0 a.js"}, "debugCommand: The command cannot be started: embedded null byte"),
        ({"debugCommand": "node\ud800 a.js"}, "debugCommand: The command cannot be started: 'utf-8' codec"),
        ({"breakpoint": "a\0.js:1"}, "breakpoint: Breakpoint file not found: a\\x00.js"),
        ({"breakpoint": "a\ud800.js:1"}, "breakpoint: Breakpoint file not found: a\\ud800.js"),
    ],
)
def test_null_bytes_and_surrogates_are_reported(
    probe: dict[str, str], message: str, mcpi: Mcpi, tmp_path: Path
) -> None:
    (tmp_path / "a.js").write_text("1;\n")
    step = {"method": "debug/script", "debugCommand": "exit", "breakpoint": "a.js:1", "expression": "1", **probe}
    ran = mcpi("--script", "-", "--demo", stdin=json.dumps([step]), cwd=tmp_path)

    assert (ran.exit_code, message in ran.stderr) == (1, True), ran.stderr


def test_breakpoint_in_another_realm_is_hit(each: Bench) -> None:
    each.write("inner.js", "const q = out + 1;\nconst r = new Map([[q, 1]]);\n[q, r].length;\n")
    each.write(
        "a.js",
        "const vm = require('vm'), fs = require('fs'), path = require('path');\n"
        "const code = fs.readFileSync('inner.js', 'utf8');\n"
        "for (const out of [3, 4]) vm.runInNewContext(code, { out }, { filename: path.resolve('inner.js') });\n",
    )

    assert each.results("inner.js:3", "r", command="'%N%' --inspect-brk=0 a.js") == [
        {"type": "object", "subtype": "map", "value": {"$map": [[q, 1]]}} for q in (4, 5)
    ]


@pytest.mark.skipif(not hasattr(socket, "TCP_QUICKACK"), reason="only Linux has it")
def test_paused_hits_do_not_wait_for_acknowledgements(bench: Bench) -> None:
    bench.write("inner.js", "const q = n + 1;\nq.length;\n")
    bench.write(
        "a.js",
        "const vm = require('vm'), text = require('fs').readFileSync('inner.js');\n"
        "const script = new vm.Script(text, { filename: require('path').resolve('inner.js') });\n"
        "for (let n = 0; n < 300; n++) script.runInNewContext({ n });\n",
    )

    # Each would take 80 ms: 24 s in all.
    command = "'%N%' --inspect-brk=0 a.js"
    assert bench.values("inner.js:2", "q", "--timeout", "12s", command=command) == list(range(1, 301))


def test_program_sees_no_mcpi_names_in_its_globals(each: Bench) -> None:
    each.write(
        "a.js", "const seen = Object.getOwnPropertyNames(globalThis);\nfor (const name in true) seen.push(name);\n1;\n"
    )

    assert not any("mcpi" in name for name in each.values("a.js:3", "seen")[0])


@pytest.mark.parametrize(
    ("flag", "change"),
    [
        ("--frozen-intrinsics", ""),
        ("", "for (const name of ['Boolean', 'Number', 'Object']) Object.freeze(globalThis[name].prototype);"),
        ("", "for (const name of Object.getOwnPropertyNames(Boolean.prototype)) delete Boolean.prototype[name];"),
    ],
    ids=["frozen before", "frozen later", "recorder removed"],
)
def test_program_may_freeze_or_clean_its_builtins(each: Bench, flag: str, change: str) -> None:
    each.write("a.js", f"function hit(n) {{\n  return n;\n}}\nhit(0);\n{change}\nfor (const n of [1, {{}}]) hit(n);\n")
    found = each.results("a.js:2", "n.toFixed()", command=f"'%N%' {flag} --inspect-brk=0 a.js")

    error = {"type": "error", "value": "TypeError: n.toFixed is not a function"}
    assert found == [{"type": "string", "value": "0"}, {"type": "string", "value": "1"}, error]


def test_patched_builtins_do_not_affect_results(each: Bench) -> None:
    patched = "JSON.stringify = () => 'mine'; Array.isArray = () => { throw 1 }; globalThis.String = null;"
    each.write("a.js", f"{patched}\nlet x = [1];\nx.length;\n")

    assert each.results("a.js:3", "x") == [{"type": "object", "subtype": "array", "value": [1]}]


def test_multi_megabyte_value_is_returned(bench: Bench) -> None:
    bench.write("a.js", "const big = 'x'.repeat(3 << 20);\nbig.length;\n")

    (value,) = bench.values("a.js:2", "big", "--max-value-bytes", "4194304", "--max-total-bytes", "4194304")
    assert len(value) == 3 << 20


def test_deeply_nested_value_is_truncated(bench: Bench) -> None:
    bench.write("a.js", "let deep = null;\nfor (let i = 0; i < 900; i++) deep = { deep };\nString(1);\n")

    (value,) = bench.values("a.js:3", "deep")
    assert '{"$truncated": "depth", "of": "Object"}' in json.dumps(value)


FALSE_HITS = """\
function unused() {
  return 1;
  // after the return of unused
}
function outer() {
  const a = [1].map((x) => x)[0];
  function inner() {
    // in inner
  }
  return a;
  // after the return of outer
}
class Account {
  open() {
    // in open
  }
}
outer();
if (outer.length > 9) String(1);
"""


def test_breakpoint_stays_within_its_function(each: Bench) -> None:
    each.write("a.js", FALSE_HITS)
    lines = [2, 3, 8, 11, 15]
    places = [flag for line in lines[1:] for flag in ("--breakpoint", f"a.js:{line}")]
    ran = each.run(f"a.js:{lines[0]}", "1", *places, command="'%N%' --inspect-brk=0 a.js")

    assert (ran.exit_code, ran.json["error"]) == (1, "Process exited before breakpoint was hit")
    assert ran.json["hint"].split("; ") == [
        "line 2 is in `unused()`, which is never called: V8 has no code for it",
        "line 3 is in `unused()`, which is never called: V8 has no code for it",
        "line 8 is in `inner()`, which is never called: V8 has no code for it",
        "line 11 is in `outer()`, which has no code after that line",
        "a.js:15 has no code, so the breakpoint was moved to line 16, which was not reached",
    ]


@pytest.mark.parametrize("end", ["", "\n"])
def test_end_of_the_module_is_no_hit_in_its_last_function(each: Bench, end: str) -> None:
    each.write("a.js", f"function unused() {{\n  return 1;\n}}{end}")

    hint = "line 3 is in `unused()`, which is never called: V8 has no code for it"
    assert each.run("a.js:3", "1").json["hint"] == hint


def test_end_of_a_called_function_is_a_hit_at_the_end_of_the_module(each: Bench) -> None:
    each.write("a.js", "empty(1);\nfunction empty(n) {\n}\n")

    assert each.values("a.js:3", "n") == [1]


def test_multiple_breakpoints_record_in_one_run(each: Bench) -> None:
    each.write("a.js", LOOP.replace("COUNT", "2"))
    command = "'%N%' --inspect-brk=0 a.js"
    found = each.results("a.js:2", "n", "--breakpoint", "a.js:4:29", "--expression", "await -i", command=command)

    assert [(one["breakpoint"], one["value"]) for one in found] == [
        ("a.js:4:29", {"$number": "-0"}),
        ("a.js:2", 0),
        ("a.js:4:29", -1),
        ("a.js:2", 1),
    ]


def test_hit_includes_stack_and_scopes(each: Bench) -> None:
    each.write("a.js", LOOP.replace("COUNT", "9"))
    ran = each.run("a.js:2", "n", "--stack", "--stop-after", "1")

    (found,) = ran.json["results"]
    assert [(one["function"], one["line"]) for one in found["stack"][:2]] == [("hit", 2), ("(anonymous)", 4)]
    assert (found["stack"][0]["file"], found["scopes"]) == (f"{each.folder}/a.js", {"local": ["n"]})
    assert ran.json["stopped"]


def test_awaited_value_has_a_stack(each: Bench) -> None:
    each.write("w.js", "async function f(n) {\n  return n;\n}\n(async () => { await f(1); await f(2); })();\n")
    found = each.results("w.js:2", "await Promise.resolve(n)", "--stack")

    assert [(one["value"], one["stack"][0]["line"]) for one in found] == [(1, 2), (2, 2)]


def test_value_sizes_are_limited(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "50"))
    ran = bench.run("a.js:2", "['x'.repeat(1 << 20), n]", "--stop-after", "100")

    results = ran.json["results"]
    text, rest = results[0]["value"]
    assert (text["$truncated"], text["length"], rest) == ("string", 1 << 20, 0)
    assert all(len(json.dumps(one["value"])) <= 64 << 10 and one["truncated"] for one in results)
    assert ran.json["truncated"]
    assert (1 << 20) - (64 << 10) < sum(len(json.dumps(one["value"])) for one in results) <= 1 << 20


def test_timeout_applies_with_large_values(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "1e9"))
    limits = ("--max-value-bytes", "4000000", "--max-total-bytes", "9000000000", "--max-results", "9000000")
    ran = bench.run("a.js:2", "'x'.repeat(1 << 20)", "--timeout", "2s", "--stop-after", "1000000", *limits)

    assert ran.json["timedOut"]
    # More than a hundred megabytes arrive in two seconds.
    assert ran.seconds < 8


@pytest.mark.parametrize("expression", ["process.exit(0)", "(() => { for (;;); })()"])
def test_non_returning_expression_is_named_in_the_hint(bench: Bench, expression: str) -> None:
    bench.write("a.js", "String(1);\n")
    ran = bench.run("a.js:1", expression, "--timeout", "2s")

    assert ran.json["hint"].startswith("the expression did not return")


def test_attached_program_keeps_running_after_detach(each: Bench) -> None:
    each.write("a.js", "let i = 0;\nsetInterval(() => {\n  i++;\n}, 20);\nconsole.log('ready');\n")
    probe = ("--breakpoint", "a.js:3", "--expression", "typeof i", "--stop-after", "2")
    command = [each.node, "--inspect-port=0", "a.js"]
    with subprocess.Popen(command, cwd=each.folder, stderr=-1, stdout=-1, text=True) as it:
        assert it.stdout is not None
        assert it.stderr is not None
        it.stdout.readline()
        found = [each.mcpi("debug/script", "--attach", str(it.pid), *probe, cwd=each.folder)]
        url = it.stderr.readline().split()[-1]
        address = re.sub(r".*:(\d+)/.*", r"\1", url)
        found += [each.mcpi("debug/script", "--attach", one, *probe, cwd=each.folder) for one in (url, address)]
        alive = it.poll() is None
        it.kill()

    assert alive
    assert [[one["value"] for one in ran.json["results"]] for ran in found] == [["number"] * 2] * 3


def test_attach_to_an_url_without_an_inspector_is_reported(bench: Bench) -> None:
    bench.write("a.js", "1;\n")
    url = f"ws://127.0.0.1:{free_port()}/uid"
    ran = bench.mcpi("debug/script", "--attach", url, "--breakpoint", "a.js:1", "--expression", "1", cwd=bench.folder)

    assert (ran.exit_code, ran.json["error"]) == (1, f"No inspector found at {url}")


def test_attach_does_not_end_a_process_that_does_not_handle_its_signal(bench: Bench) -> None:
    shell = shutil.which("sh")
    assert shell is not None
    program = shutil.copy(shell, bench.folder / "node-like")
    bench.write("a.js", "1;\n")
    with subprocess.Popen(["sh", "-c", "read line"], executable=program, stdin=-1) as it:  # noqa: S607
        probe = ("--breakpoint", "a.js:1", "--expression", "1")
        ran = bench.mcpi("debug/script", "--attach", str(it.pid), *probe, cwd=bench.folder)
        alive = it.poll() is None
        it.kill()

    assert (alive, ran.exit_code, ran.json["error"]) == (True, 1, f"No inspector found at {it.pid}")


def test_second_session_has_its_own_limits_although_the_builtins_are_frozen(bench: Bench) -> None:
    bench.write("a.js", "let i = 0;\nsetInterval(() => {\n  i++;\n}, 20);\n")
    freezes = "Object.freeze(Boolean.prototype) && typeof i"
    probe = ("--breakpoint", "a.js:3", "--expression", freezes, "--stop-after", "2")
    with subprocess.Popen([bench.node, "--inspect=0", "a.js"], cwd=bench.folder, stderr=-1, text=True) as it:
        assert it.stderr is not None
        url = it.stderr.readline().split()[-1]
        limits = ("--max-results", "2", "--attach", url)
        found = [bench.mcpi("debug/script", *limits, *probe, cwd=bench.folder) for _ in range(3)]
        it.kill()

    assert [[one["value"] for one in ran.json["results"]] for ran in found] == [["number"] * 2] * 3


def test_results_are_truncated_at_max_results_and_the_program_continues(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "20000") + "require('fs').writeFileSync('done', '');\n")
    ran = bench.run("a.js:2", "n", "--max-results", "3")

    assert ran.json == {"results": [{"type": "number", "value": n} for n in range(3)], "truncated": True}
    assert (bench.folder / "done").exists()


def test_exactly_max_results_hits_are_not_marked_truncated(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "3"))

    assert bench.run("a.js:2", "n", "--max-results", "3").json == {
        "results": [{"type": "number", "value": n} for n in range(3)]
    }


def test_follow_mode_prints_a_line_per_hit(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "2"))
    ran = bench.run("a.js:2", "n", "--follow")

    lines = [json.loads(line) for line in ran.stdout.splitlines() if line]
    assert all(lines[at].pop("timestamp").endswith("Z") for at in (0, 1))
    assert lines == [
        {"event": "debug", "type": "number", "value": 0},
        {"event": "debug", "type": "number", "value": 1},
        {"results": [{"type": "number", "value": 0}, {"type": "number", "value": 1}]},
    ]
    assert ran.exit_code == 0


def test_debug_script_runs_as_a_script_step(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "2"))
    probe = {"method": "debug/script", "debugCommand": f"'{bench.node}' --inspect-brk=0 a.js", "breakpoint": "a.js:2"}
    steps = [{**probe, "expression": "n", "capture": {"last": "/results/1/value"}}]
    steps += [{"method": "tools/call", "toolName": "echo", "toolArgs": {"text": "got ${last}"}}]
    ran = bench.mcpi("--demo", "--script", "-", stdin=json.dumps(steps), cwd=bench.folder)

    assert [step["success"] for step in ran.json] == [True, True]
    assert ran.json[1]["result"]["content"][0]["text"] == "got 1"


def test_proxy_environment_variables_are_ignored(bench: Bench) -> None:
    bench.write("a.js", "String(1);\n")
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "WS_PROXY"), "http://127.0.0.1:9")

    assert bench.values("a.js:1", "1", env=clean_environment(proxies)) == [1]


def test_session_survives_the_ping_interval(bench: Bench) -> None:
    bench.write("a.js", "function late() {\n  return 1;\n}\nsetTimeout(late, 21_500);\n")

    assert bench.values("a.js:2", "1", "--timeout", "40s") == [1]
