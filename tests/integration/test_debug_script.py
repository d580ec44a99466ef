"""debug/script on real Node.js: what is recorded, where, and how often."""

import json
import re
import socket
import subprocess
from pathlib import Path

import pytest

from debugging import FIXTURES, NAMES, NODES, Bench
from running import Mcpi, clean_environment

EPOCH = "1970-01-01T00:00:00.000Z"
LOOP = """\
function hit(n) {
  return n;
}
for (let i = 0; i < COUNT; i++) hit(i);
"""


@pytest.fixture(params=NODES, ids=NAMES)
def each(request: pytest.FixtureRequest, tmp_path: Path, mcpi: Mcpi) -> Bench:
    """A bench for each Node.js, where its version makes a difference."""
    return Bench(tmp_path, request.param, mcpi)


@pytest.fixture
def bench(tmp_path: Path, mcpi: Mcpi) -> Bench:
    return Bench(tmp_path, NODES[0], mcpi)


def test_every_hit_is_recorded_and_in_order(each: Bench) -> None:
    each.write("a.js", LOOP.replace("COUNT", "2000"))

    assert each.values("a.js:2", "n") == list(range(2000))


def test_a_hundred_thousand_hits_are_recorded_and_in_order(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "100000"))

    assert bench.values("a.js:2", "n", "--max-results", "100000", "--timeout", "5m") == list(range(100_000))


def test_the_seeds_examples(bench: Bench) -> None:
    bench.write("a.js", "for (const person of [{ name: 'John', age: 30 }, 'done']) {\n  console.log(person);\n}\n")

    assert bench.look("a.js:2", "person") == [
        {"type": "object", "value": {"name": "John", "age": 30}},
        {"type": "string", "value": "done"},
    ]


def test_every_kind_of_value_is_told_as_what_it_is(each: Bench) -> None:
    place = f"{FIXTURES / 'values.js'}:41"
    names = each.values(place, "name")
    found = dict(zip(names, each.look(place, "value"), strict=True))

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


def test_the_expression_sees_what_the_frame_sees(each: Bench) -> None:
    each.write("a.js", SCOPE)
    first, *others = SEEN
    flags = [flag for one in others for flag in ("--breakpoint", "a.js:7", "--expression", one)]

    assert each.values("a.js:7", first, *flags, command="'%N%' --inspect-brk=0 a.js") == list(SEEN.values())


def test_a_throw_is_the_result_of_its_hit_and_the_others_go_on(each: Bench) -> None:
    each.write("a.js", "for (const x of [{ y: { z: 1 } }, {}, { y: { z: 3 } }]) {\n  String(x);\n}\n")

    assert each.look("a.js:2", "x.y.z") == [
        {"type": "number", "value": 1},
        {"type": "error", "value": "TypeError: Cannot read properties of undefined (reading 'z')"},
        {"type": "number", "value": 3},
    ]


def test_the_expression_is_evaluated_once_even_if_its_value_has_a_loop(bench: Bench) -> None:
    bench.write("a.js", "const c = {n: 0};\nc.self = c;\nfor (let i = 0; i < 3; i++) {\n  String(i);\n}\n")

    assert bench.values("a.js:4", "(c.n++, c)") == [{"n": n, "self": {"$circular": ""}} for n in (1, 2, 3)]


def test_what_does_not_parse_is_said_and_the_program_never_runs(bench: Bench) -> None:
    bench.write("a.js", "require('fs').writeFileSync('ran', '');\nString(1);\n")
    ran = bench.run("a.js:2", "1 +")

    assert ran.exit_code == 1
    assert ran.json["error"] == "Expression does not parse: SyntaxError: Unexpected token ')'"
    assert ran.stderr.startswith("mcpi: --expression: Expression does not parse")
    assert not (bench.folder / "ran").exists()


@pytest.mark.parametrize("name", ["a.cjs", "a.mjs"])
def test_the_first_line_is_hit_once(each: Bench, name: str) -> None:
    each.write(name, "const x = [1, 2].length; String(x);\nString(2);\n")

    assert each.values(f"{name}:1", "typeof process") == ["object"]


def test_a_debugger_statement_is_no_hit(bench: Bench) -> None:
    bench.write("a.js", "debugger;\nfor (let i = 0; i < 2; i++) {\n  debugger; String(i);\n}\ndebugger;\n")

    assert bench.values("a.js:3", "i") == [0, 1]


def test_a_line_without_code_slides_and_it_is_said_where_to(each: Bench) -> None:
    each.write("a.js", "let x = 1;\n// a comment\n\nx = 2;\nString(x);\n")
    ran = each.run("a.js:2", "x")

    assert ran.json == {
        "results": [{"type": "number", "value": 1}],
        "breakpoint": {"file": "a.js", "line": 2, "resolvedLine": 4},
    }


def test_a_line_beyond_the_end_is_never_reached(bench: Bench) -> None:
    bench.write("a.js", "String(1);\n")
    ran = bench.run("a.js:9", "1")

    assert (ran.exit_code, ran.json["error"]) == (1, "Process exited before breakpoint was hit")
    assert ran.json["hint"].startswith("a.js:9 has no code, and no code follows it")


def test_code_of_a_child_process_is_reached_by_the_command_that_the_hint_names(bench: Bench) -> None:
    bench.write("a.js", "require('child_process').execFileSync(process.execPath, ['c.js']);\n")
    bench.write("c.js", "const who = 'child';\nString(who);\n")
    hint = bench.run("c.js:2", "who", command="%N% --inspect-brk=0 a.js").json["hint"]

    assert bench.values("c.js:2", "who", command=hint.partition("use: ")[2]) == ["child"]


def test_a_line_that_was_not_reached_is_said_to_be(bench: Bench) -> None:
    bench.write("a.js", "if (process.argv.length > 99) {\n  String(1);\n}\n")

    assert bench.run("a.js:2", "1").json["hint"] == "a.js:2 was not reached"


def test_a_constant_is_not_there_before_its_statement(each: Bench) -> None:
    each.write("a.js", "function f() {\n  const total = 1;\n  return total;\n}\nf();\n")
    (found,) = each.look("a.js:2", "total")

    # Node.js 20 says undefined; later ones throw.
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


def test_a_file_is_found_whatever_its_name(each: Bench) -> None:
    for name in NAMED:
        each.write(name, f"let x = {json.dumps(name)};\nString(x);\n")
    each.write("main.js", "".join(f"require({json.dumps('./' + name)});\n" for name in NAMED))
    flags = [flag for name in NAMED[1:] for flag in ("--breakpoint", f"{name}:2")]

    found = each.values(f"{NAMED[0]}:2", "x", *flags, command="'%N%' --inspect-brk=0 main.js")
    assert found == list(NAMED)


def test_a_source_url_may_be_a_path_or_a_file_url(each: Bench) -> None:
    each.write("inner.js", "const q = i + 1;\nString(q);\n")
    each.write(
        "a.js",
        "const path = require('path').resolve('inner.js'), text = require('fs').readFileSync(path, 'utf8');\n"
        "const forms = [`file://${path}`, path].map((url) => `${text}//# sourceURL=${url}`);\n"
        "for (let i = 0; i < 2; i++) for (const form of forms) eval(form);\n",
    )

    assert each.values("inner.js:2", "q", command="'%N%' --inspect-brk=0 a.js") == [1, 1, 2, 2]


def test_a_symbolic_link_is_its_target(bench: Bench) -> None:
    bench.write("a.js", "let x = 1;\nString(x);\n")
    (bench.folder / "link.js").symlink_to("a.js")

    assert bench.values("link.js:2", "x") == [1]


def test_a_file_that_is_not_there_is_named_and_nothing_runs(bench: Bench) -> None:
    ran = bench.run("nowhere.js:2", "x", command="touch ran")

    assert (ran.exit_code, ran.json["error"]) == (1, f"Breakpoint file not found: {bench.folder}/nowhere.js")
    assert not (bench.folder / "ran").exists()


def test_an_inspector_where_no_host_can_be_is_for_node_to_refuse(bench: Bench) -> None:
    bench.write("a.js", "1;\n")
    ran = bench.run("a.js:1", "1", command="'%N%' --inspect-brk=a..b:9230 a.js")

    assert (ran.exit_code, 'Unable to resolve "a..b"' in ran.stderr) == (1, True)


@pytest.mark.parametrize(
    ("look", "told"),
    [
        ({"debugCommand": "node\0 a.js"}, "--debug-command: The command cannot be started: embedded null byte"),
        ({"debugCommand": "node\ud800 a.js"}, "--debug-command: The command cannot be started: 'utf-8' codec"),
        ({"breakpoint": "a\0.js:1"}, "--breakpoint: Breakpoint file not found: a\\x00.js"),
        ({"breakpoint": "a\ud800.js:1"}, "--breakpoint: Breakpoint file not found: a\\ud800.js"),
    ],
)
def test_what_no_system_takes_is_told(look: dict[str, str], told: str, mcpi: Mcpi, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1;\n")
    step = {"method": "debug/script", "debugCommand": "exit", "breakpoint": "a.js:1", "expression": "1", **look}
    ran = mcpi("--script", "-", "--demo", stdin=json.dumps([step]), cwd=tmp_path)

    assert (ran.exit_code, told in ran.stderr) == (1, True), ran.stderr


def test_another_realm_is_looked_into_as_well(each: Bench) -> None:
    each.write("inner.js", "const q = out + 1;\nconst r = new Map([[q, 1]]);\n[q, r].length;\n")
    each.write(
        "a.js",
        "const vm = require('vm'), fs = require('fs'), path = require('path');\n"
        "const code = fs.readFileSync('inner.js', 'utf8');\n"
        "for (const out of [3, 4]) vm.runInNewContext(code, { out }, { filename: path.resolve('inner.js') });\n",
    )

    assert each.look("inner.js:3", "r", command="'%N%' --inspect-brk=0 a.js") == [
        {"type": "object", "subtype": "map", "value": {"$map": [[q, 1]]}} for q in (4, 5)
    ]


@pytest.mark.skipif(not hasattr(socket, "TCP_QUICKACK"), reason="nobody else has it")
def test_hits_that_pause_do_not_wait_for_acknowledgements(bench: Bench) -> None:
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


def test_the_program_finds_nothing_of_ours(each: Bench) -> None:
    names = "Object.keys(globalThis).concat(Object.getOwnPropertyNames(globalThis).filter(n => n.includes('send')))"
    each.write("a.js", f"const seen = {names};\nString(seen);\n")

    assert not any("mcpi" in name for name in each.values("a.js:2", "seen")[0])


def test_a_program_that_patches_the_built_ins_changes_nothing(each: Bench) -> None:
    patched = "JSON.stringify = () => 'mine'; Array.isArray = () => { throw 1 }; globalThis.String = null;"
    each.write("a.js", f"{patched}\nlet x = [1];\nx.length;\n")

    assert each.look("a.js:3", "x") == [{"type": "object", "subtype": "array", "value": [1]}]


def test_a_value_of_megabytes_arrives(bench: Bench) -> None:
    bench.write("a.js", "const big = 'x'.repeat(3 << 20);\nbig.length;\n")

    (value,) = bench.values("a.js:2", "big", "--max-value-bytes", "4194304", "--max-total-bytes", "4194304")
    assert len(value) == 3 << 20


def test_a_value_of_many_levels_is_cut_and_not_lost(bench: Bench) -> None:
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


def test_a_breakpoint_never_leaves_its_function(each: Bench) -> None:
    each.write("a.js", FALSE_HITS)
    lines = [2, 3, 8, 11, 15]
    places = [flag for line in lines[1:] for flag in ("--breakpoint", f"a.js:{line}")]
    ran = each.run(f"a.js:{lines[0]}", "1", *places, command="'%N%' --inspect-brk=0 a.js")

    assert (ran.exit_code, ran.json["error"]) == (1, "Process exited before breakpoint was hit")
    assert ran.json["hint"].split("; ") == [
        "line 2 is in `unused()`, which is never called: V8 has no code for it",
        "line 3 is in `unused()`, which is never called: V8 has no code for it",
        "line 8 is in `inner()`, which is never called: V8 has no code for it",
        "line 11 is in `outer()`, which has no code after it",
        "a.js:15 has no code: the breakpoint went to line 16, which was not reached",
    ]


def test_several_breakpoints_record_in_one_run(each: Bench) -> None:
    each.write("a.js", LOOP.replace("COUNT", "2"))
    command = "'%N%' --inspect-brk=0 a.js"
    found = each.look("a.js:2", "n", "--breakpoint", "a.js:4:29", "--expression", "await -i", command=command)

    assert [(one["breakpoint"], one["value"]) for one in found] == [
        ("a.js:4:29", {"$number": "-0"}),
        ("a.js:2", 0),
        ("a.js:4:29", -1),
        ("a.js:2", 1),
    ]


def test_a_hit_has_its_stack_and_scopes(each: Bench) -> None:
    each.write("a.js", LOOP.replace("COUNT", "9"))
    ran = each.run("a.js:2", "n", "--stack", "--stop-after", "1")

    (found,) = ran.json["results"]
    assert [(one["function"], one["line"]) for one in found["stack"][:2]] == [("hit", 2), ("(anonymous)", 4)]
    assert (found["stack"][0]["file"], found["scopes"]) == (f"{each.folder}/a.js", {"local": ["n"]})
    assert ran.json["stopped"]


def test_values_are_bounded(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "50"))
    ran = bench.run("a.js:2", "['x'.repeat(1 << 20), n]", "--stop-after", "100")

    results = ran.json["results"]
    text, rest = results[0]["value"]
    assert (text["$truncated"], text["length"], rest) == ("string", 1 << 20, 0)
    assert all(len(json.dumps(one["value"])) <= 64 << 10 and one["truncated"] for one in results)
    assert ran.json["truncated"]
    assert (1 << 20) - (64 << 10) < sum(len(json.dumps(one["value"])) for one in results) <= 1 << 20


def test_the_timeout_holds_while_values_are_large(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "1e9"))
    limits = ("--max-value-bytes", "4000000", "--max-total-bytes", "9000000000", "--max-results", "9000000")
    ran = bench.run("a.js:2", "'x'.repeat(1 << 20)", "--timeout", "2s", "--stop-after", "1000000", *limits)

    assert ran.json["timedOut"]
    # In two seconds more than a hundred megabytes arrive, which are read and printed as well.
    assert ran.seconds < 8


@pytest.mark.parametrize("expression", ["process.exit(0)", "(() => { for (;;); })()"])
def test_an_expression_that_does_not_return_is_to_blame(bench: Bench, expression: str) -> None:
    bench.write("a.js", "String(1);\n")
    ran = bench.run("a.js:1", expression, "--timeout", "2s")

    assert ran.json["hint"].startswith("the expression did not return")


def test_a_running_program_is_attached_to_and_left_running(each: Bench) -> None:
    each.write("a.js", "let i = 0;\nsetInterval(() => {\n  i++;\n}, 20);\nconsole.log('ready');\n")
    look = ("--breakpoint", "a.js:3", "--expression", "typeof i", "--stop-after", "2")
    command = [each.node, "--inspect-port=0", "a.js"]
    with subprocess.Popen(command, cwd=each.folder, stderr=-1, stdout=-1, text=True) as it:
        assert it.stdout is not None
        assert it.stderr is not None
        it.stdout.readline()
        found = [each.mcpi("debug/script", "--attach", str(it.pid), *look, cwd=each.folder)]
        url = it.stderr.readline().split()[-1]
        address = re.sub(r".*:(\d+)/.*", r"\1", url)
        found += [each.mcpi("debug/script", "--attach", one, *look, cwd=each.folder) for one in (url, address)]
        alive = it.poll() is None
        it.kill()

    assert alive
    assert [[one["value"] for one in ran.json["results"]] for ran in found] == [["number"] * 2] * 3


def test_no_more_is_kept_than_was_wanted_and_the_program_goes_on(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "20000") + "require('fs').writeFileSync('done', '');\n")
    ran = bench.run("a.js:2", "n", "--max-results", "3")

    assert ran.json == {"results": [{"type": "number", "value": n} for n in range(3)], "truncated": True}
    assert (bench.folder / "done").exists()


def test_as_many_as_were_wanted_are_all(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "3"))

    assert bench.run("a.js:2", "n", "--max-results", "3").json == {
        "results": [{"type": "number", "value": n} for n in range(3)]
    }


def test_in_follow_mode_each_hit_is_a_line(bench: Bench) -> None:
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


def test_in_a_script_it_is_a_step(bench: Bench) -> None:
    bench.write("a.js", LOOP.replace("COUNT", "2"))
    look = {"method": "debug/script", "debugCommand": f"'{bench.node}' --inspect-brk=0 a.js", "breakpoint": "a.js:2"}
    steps = [{**look, "expression": "n", "capture": {"last": "/results/1/value"}}]
    steps += [{"method": "tools/call", "toolName": "echo", "toolArgs": {"text": "got ${last}"}}]
    ran = bench.mcpi("--demo", "--script", "-", stdin=json.dumps(steps), cwd=bench.folder)

    assert [step["success"] for step in ran.json] == [True, True]
    assert ran.json[1]["result"]["content"][0]["text"] == "got 1"


def test_a_proxy_of_the_environment_is_not_asked(bench: Bench) -> None:
    bench.write("a.js", "String(1);\n")
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "WS_PROXY"), "http://127.0.0.1:9")

    assert bench.values("a.js:1", "1", env=clean_environment(proxies)) == [1]


def test_a_session_outlives_the_interval_of_pings(bench: Bench) -> None:
    bench.write("a.js", "function late() {\n  return 1;\n}\nsetTimeout(late, 21_500);\n")

    assert bench.values("a.js:2", "1", "--timeout", "40s") == [1]
