"""Corrected command lines are suggested for invalid ones."""

import shlex
from collections.abc import Sequence

import pytest
from attrs import evolve

from mcpi.core.cli.corrections import next_line, replaced, suggested, with_line
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.misplaced_words import UNQUOTED
from mcpi.core.cli.words import AFTER, NO_METHOD, NO_SUCH_FLAG
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.flags.pairs import NO_PAIR
from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import (
    Correction,
    Fault,
    HttpFailed,
    Invalid,
    InvalidCode,
    InvalidResponse,
    OperationFailed,
    RpcError,
    TimedOut,
    Unreachable,
    with_correction,
    with_nearest,
)
from mcpi.plugins.methods.prompts import GetPrompt
from mcpi.plugins.methods.tools.tools import CallTool

KNOWN = by_spelling((*GROUPS, CallTool, GetPrompt))
METHODS = ("tools/list", "tools/call", "prompts/list", "prompts/get", "server/info", "discover", "ping")


def missing_method() -> Invalid:
    """Build the fault of a command line without a method."""
    return Invalid("MISSING_ARGUMENT", "--method", NO_METHOD, ("for example: x", "mcpi --help lists them"))


def unknown_flag(flag: str) -> Invalid:
    """Build the fault of an unknown flag."""
    return Invalid("INVALID_ARGUMENT", flag, NO_SUCH_FLAG)


def corrected(fault: Fault, line: str) -> str | None:
    """Return the corrected line after a fault."""
    found = next_line(fault, line.split(), KNOWN, METHODS)
    return None if found is None else " ".join((*found.argv, *found.rest.split()))


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("--method list node", "--method tools/list node"),
        ("-m=call node", "-m=tools/call node"),
        ("--method read node", None),
        ("--method xyzzy node", None),
        ("--method", None),
        ("node", None),
    ],
)
def test_method_name_of_another_tool_is_translated(line: str, right: str | None) -> None:
    assert corrected(Invalid("UNKNOWN_METHOD", "--method", "there is no method"), line) == right


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("tools/lst --demo", "tools/list --demo"),
        ("acme/x --demo", "--demo --method acme/x --params {}"),
        ("tools/lst --demo --params {}", "--demo --params {} --method tools/lst"),
        ("xyzzy --demo", "tools/call xyzzy --demo"),
        ("prompt p a=1 -- node a.js", "prompts/get p a=1 -- node a.js"),
        ("prompt p node a.js", "prompts/get p -- node a.js"),
        ("tool http://h/mcp add", "tools/call http://h/mcp add"),
        ("xyzzy a=1 http://h/mcp", "tools/call xyzzy a=1 http://h/mcp"),
        ("xyzzy run.jsonl --demo", None),
        ("xyzzy(a:1,b:[2]) --demo", "tools/call xyzzy a=1 b:=[2] --demo"),
        ("logs --demo", "--follow --demo"),
        ("servers -- node a.js", "--list-servers"),
        ("tools node a.js", "tools/list node a.js"),
    ],
)
def test_unknown_method_as_a_word_is_corrected_or_sent_anyway(line: str, right: str | None) -> None:
    assert corrected(Invalid("UNKNOWN_METHOD", "", "unknown method"), line) == right


def test_missing_method_is_added() -> None:
    assert corrected(missing_method(), "node server.js") == "tools/list node server.js"


@pytest.mark.parametrize(
    ("flag", "line", "right"),
    [
        ("--tool", "--tool add node", "--tool-name add node"),
        ("--tool", "--tool=add node", "--tool-name=add node"),
        ("--tool", "--tool", None),
        ("--tool", "--tool --demo", None),
        ("--list-tools", "--list-tools node", "tools/list node"),
        ("--call-tool", "--call-tool add --demo", "tools/call add --demo"),
        ("--debug", "--debug ping node", "--verbose ping node"),
        ("--pretty", "ping --pretty node", "ping node"),
        ("--format", "ping --format json node", "ping node"),
        ("--url", "ping --url http://h", "ping http://h"),
        ("--command", "ping --command=node -- a", "ping -- node a"),
        ("--command", "ping --command=node --quiet", "ping --quiet -- node"),
        ("--command", "ping --command node --args a.js b", "ping -- node a.js b"),
        ("--command", "ping --command node --args a.js --quiet --args b", "ping --quiet -- node a.js b"),
        ("-X", "ping -X POST http://h/mcp", "ping http://h/mcp"),
        ("-k", "ping https://h/mcp -k", "ping https://h/mcp"),
        ("-k", "--script a.json -k weather http://h/mcp", "--script a.json http://h/mcp"),
        ("--cacert", "ping --cacert a.pem -- node", None),
        ("-d", "ping -d {} http://h/mcp", "ping --params {} http://h/mcp"),
        ("-d", "-d {} --demo", "--params {} --demo"),
        ("-d", 'ping -d {"jsonrpc":"2.0"} http://h/mcp', "ping http://h/mcp"),
        ("--data", "tools/call add --data {} --demo", "tools/call add --tool-args {} --demo"),
        ("--http", "ping node a.js --http 80", None),
        ("--http", "ping --http http://h/mcp", "ping http://h/mcp"),
        ("--http", "ping --http -- node a.js", "ping -- node a.js"),
        ("--jq", "ping --jq .tools node", "ping node | jq .tools"),
        ("--xyzzy", "ping --xyzzy node", None),
        ("--tool", "ping node", None),
        ("--debug", "node --debug server.js", None),
        ("--city", "tools/call weather --city Oslo -- node", "tools/call weather city=Oslo -- node"),
        ("--city", "tools/call weather --city=Oslo --demo", "tools/call weather city=Oslo --demo"),
        ("--city", "tools/call weather --city --demo", None),
        ("--city", "tools/call weather --city -- node", None),
        ("--city", "tools/call weather --city Oslo node", "tools/call weather city=Oslo node"),
        ("--city", "tools/list --city Oslo -- node", None),
        ("--filter", "ping --filter create node", None),
        ("--filter", "ping --filter .a node", "ping node | jq .a"),
        ("--filter", "--script a.json --filter .a node", "--script a.json node"),
        ("--jq", "--script a.json --jq keys node", "--script a.json node | jq keys"),
        ("--bail", "--script a.json --bail -- node", "--script a.json -- node"),
        ("--bail", "ping --bail -- node", None),
        ("--name", "prompts/get --name p --demo", "prompts/get --prompt-name p --demo"),
        ("--name", "--method prompts/get --name p --demo", "--method prompts/get --prompt-name p --demo"),
        ("-x", "tools/call weather -x Oslo -- node", "tools/call weather x=Oslo -- node"),
        ("-X", "ping -X node a.js", None),
        ("-qv", "ping -qv node", None),
        ("--fail", "tools/call w --fail --demo", "tools/call w --fail-on-error --demo"),
        ("--fail-with-body", "ping --fail-with-body node", "ping --fail-on-error node"),
        ("--tool-args-file", "tools/call w --tool-args-file f.json --demo", "tools/call w --tool-args @f.json --demo"),
        ("--args-file", "prompts/get p --args-file=f --demo", "prompts/get p --prompt-args=@f --demo"),
        ("--condition", "tools/call w a=1 --breakpoint x.js:1 --condition a --demo", None),
        ("-f", "-f ci/a.json -- node", "--script ci/a.json -- node"),
        ("--file", "run --file a.json --demo", "--script a.json --demo"),
        ("--file", "tools/call w --file a.json --demo", "tools/call w file=a.json --demo"),
        ("-f", "tools/call w -f --demo", None),
        ("--schema", "tools/list --schema --demo", "tools/list --demo"),
        ("--schema", "tools/call w --schema --demo", None),
        ("-c", "ping -c mcp.json", "ping --config mcp.json"),
        ("--variable", "--script a.json --variable x=y", "--script a.json --var x=y"),
        ("--env-var", "--script a.json --env-var x=y", "--script a.json --var x=y"),
        ("-u", "ping -u http://h/mcp", None),
        ("-plaintext", "-plaintext ping --demo", "ping --demo"),
        ("--retry-delay", "ping --retry 3 --retry-delay 2 --demo", "ping --retry 3 --demo"),
        ("--retry-connrefused", "ping --retry-connrefused --demo", "ping --demo"),
        ("--reporters", "--script a.json --reporters cli,junit", "--script a.json --report-junit junit.xml"),
        ("--reporters", "--script a.json --reporters cli", None),
        ("--junitxml", "--script a.json --junitxml r.xml", "--script a.json --report-junit r.xml"),
        (
            "--argument",
            "completion/complete --argument tone=f --demo",
            "completion/complete --argument-name tone --argument-value f --demo",
        ),
        ("-method", "-method ping --demo", None),
        ("--sampling", "tools/call x --sampling auto --demo", "tools/call x --handle-sampling auto --demo"),
        ("--strict", "lint --strict --demo", "lint --pedantic --demo"),
        ("-qv", "ping node -qv", None),
    ],
)
def test_flag_of_another_tool_is_translated(flag: str, line: str, right: str | None) -> None:
    assert corrected(unknown_flag(flag), line) == right


def test_command_in_one_value_is_split_into_words() -> None:
    found = next_line(unknown_flag("--cmd"), ["ping", "--cmd", "node 'my server.js' x"], KNOWN, METHODS)
    unclear = next_line(unknown_flag("--cmd"), ["ping", "--cmd", "node it's"], KNOWN, METHODS)

    assert found == CorrectedLine(("ping", "--", "node", "my server.js", "x"), "give the target without a flag")
    assert unclear is None


def test_misspelled_word_is_replaced() -> None:
    assert corrected(with_nearest(unknown_flag("--timout"), "--timout", "--timeout"), "--timout=5s") == "--timeout=5s"
    assert corrected(with_nearest(unknown_flag("--x"), "--timout", "--timeout"), "node") is None
    assert corrected(with_nearest(unknown_flag("--x"), "--timout", None), "node") is None
    assert corrected(TimedOut("REQUEST_TIMEOUT", 1.0, "x"), "node") is None


@pytest.mark.parametrize(
    ("line", "wrong", "right", "expected"),
    [
        ("tools/call ad -- node", "ad", ("add",), "tools/call add -- node"),
        ("--tool-name=ad node", "ad", ("add",), "--tool-name=add node"),
        ("tools/call x text=ctiy ctiy=Oslo", "ctiy", ("city",), "tools/call x text=ctiy city=Oslo"),
        ("tools/call x ctiy:=1", "ctiy", ("city",), "tools/call x city:=1"),
        ("-a ctiy=Oslo", "ctiy", ("city",), "-a city=Oslo"),
        ("--tool-arg=ctiy=Oslo", "ctiy", ("city",), "--tool-arg=city=Oslo"),
        ("lint --for cursor,cluade,codex", "cluade", ("claude",), "lint --for cursor,claude,codex"),
        ("ping server.js x", "server.js", ("node", "server.js"), "ping node server.js x"),
        ("--tool-name x", "", ("tools/call",), "tools/call --tool-name x"),
        ("ping -- mine", "mine", ("--server", "mine"), "ping --server mine"),
        ("ping -- A=1 node", "A=1", ("-e", "A=1"), "ping -e A=1 -- node"),
        ("ping -- nod a.js", "nod", ("node",), "ping -- node a.js"),
        ("ping x --compact", "x", ("--", "node", "--x"), "ping --compact -- node --x"),
        ("ping x --compact -- y", "x", ("--", "node", "--x"), "ping --compact -- node --x y"),
        ("ping -- x y", "x", ("--", "node", "--x"), "ping -- node --x y"),
        ("ping node", "elsewhere", ("x",), None),
        ("--cmd=a.js", "a.js", ("node", "a.js"), None),
    ],
)
def test_word_to_correct_is_located(line: str, wrong: str, right: tuple[str, ...], expected: str | None) -> None:
    found = replaced(line.split(), Correction(wrong, right))

    assert (None if found is None else " ".join(found)) == expected


def test_several_corrections_of_a_line_are_made_together() -> None:
    both = Correction.chain(Correction("a.py", ("python3 a.py",)), Correction("b.py", ("python3 b.py",)))

    assert replaced(["diff", "a.py", "b.py"], both) == ("diff", "python3 a.py", "python3 b.py")
    assert replaced(["diff", "a.py"], both) is None


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("tools/call w t=a t=b d=2", "tools/call w t:=[] d=2"),
        ("tools/call w -a t=a -a t=b d=2", "tools/call w -a t:=[] d=2"),
    ],
)
def test_word_may_be_dropped(line: str, right: str) -> None:
    both = Correction.chain(Correction("t=a", ("t:=[]",)), Correction("t=b", ()))

    assert replaced(line.split(), both) == tuple(right.split())


def test_hint_contains_the_corrected_command_line() -> None:
    fault = with_nearest(Invalid("INVALID_ARGUMENT", "--tool-name", "none", ("it has add",)), "ad", "add")
    not_found = Unreachable("COMMAND_NOT_FOUND", "none")
    script = with_correction(not_found, Correction("my a.js", ("node", "my a.js"), "a script has an interpreter"))
    missing = with_nearest(HttpFailed(404, "http://h"), "http://h", "http://h/mcp")
    page = with_nearest(InvalidResponse("INVALID_RESPONSE", "a web page"), "http://h", "http://h/mcp")
    unread = with_nearest(RpcError(-32002, "none", Exact("{}", {})), "a", "demo://a")

    assert fault.hints == ("did you mean add?", "it has add")
    assert hints(fault, "tools/call ad --demo") == ("did you mean: mcpi tools/call add --demo", "it has add")
    assert hints(fault, "tools/call b --demo") == fault.hints
    assert script.hints == ("a script has an interpreter: mcpi node my a.js",)
    assert with_line(script, ["ping", "my a.js"]).hints == ("a script has an interpreter: mcpi ping node 'my a.js'",)
    assert hints(unread, "resources/read a --demo") == ("did you mean: mcpi resources/read demo://a --demo",)
    assert hints(script, "ping 'my a.js'") == ("a script has an interpreter",)
    assert hints(missing, "ping http://h") == ("did you mean: mcpi ping http://h/mcp",)
    assert hints(page, "ping http://h") == ("did you mean: mcpi ping http://h/mcp",)


def hints(fault: Fault, line: str) -> tuple[str, ...]:
    """Return the hints of a fault on this command line."""
    return with_line(fault, line.split()).hints


def test_suggestion_within_the_message_becomes_a_command_line() -> None:
    fault = Invalid("INVALID_ARGUMENT", "", "no tool; did you mean add?", correction=Correction("ad", ("add",)))
    found = with_line(fault, ["tools/call", "ad"])

    assert isinstance(found, Invalid)
    assert found.problem == "no tool; did you mean: mcpi tools/call add"


@pytest.mark.parametrize("fault", [OperationFailed("TASK_FAILED", "x"), Invalid("INVALID_ARGUMENT", "", "x")])
def test_fault_without_a_correction_is_unchanged(fault: Fault) -> None:
    assert with_line(fault, ["x"]) is fault


def suggestion(fault: Fault, line: str, *faults: Fault | None) -> tuple[str, ...]:
    """Return the hints, given the faults of the corrected lines in order."""
    rest = iter(faults)

    def problem(_: Sequence[str]) -> Fault | None:
        return next(rest)

    return suggested(fault, line.split(), problem, KNOWN, METHODS).hints


def test_line_is_corrected_until_it_is_valid() -> None:
    belongs = with_correction(Invalid("INVALID_ARGUMENT", "--tool-name", "x"), Correction("", ("tools/call",)))

    assert suggestion(unknown_flag("--tool"), "--tool add node", belongs, None) == (
        "did you mean: mcpi tools/call --tool-name add node",
    )
    assert suggestion(missing_method(), "list node", None) == (
        "did you mean: mcpi tools/list node",
        "mcpi --help lists them",
    )
    assert suggestion(unknown_flag("--jq"), "--jq .x node", missing_method(), None) == (
        "filter the output with jq: mcpi tools/list node | jq .x",
    )


def test_hint_about_server_flags_is_kept_if_it_has_a_command_line() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--prot", NO_SUCH_FLAG, (AFTER, f"{AFTER}: mcpi x"))
    meant = with_nearest(fault, "--prot", "--port")

    assert suggestion(meant, "ping node --prot", None, None) == (
        "did you mean: mcpi ping node --port",
        f"{AFTER}: mcpi x",
    )


def test_hint_about_server_flags_is_kept_for_flags_that_servers_have_too() -> None:
    hints = (f"{AFTER}: mcpi x",)

    assert suggestion(evolve(unknown_flag("--debug"), hints=hints), "ping node --x --debug", None, None) == (
        "did you mean: mcpi ping node --x --verbose",
        *hints,
    )
    assert suggestion(evolve(unknown_flag("--bearer"), hints=hints), "ping node --x --bearer t", None) == (
        "did you mean: mcpi ping node --x --token env:TOKEN",
        "replace env:TOKEN with the secret, which mcpi does not print",
    )


def test_no_mcpi_flag_is_suggested_if_it_may_be_a_server_flag() -> None:
    line = f"{AFTER}: mcpi ping -- node --port 1"
    fault = with_nearest(Invalid("INVALID_ARGUMENT", "--port", NO_SUCH_FLAG, (line,)), "--port", "--report")
    wrong = Invalid("INVALID_ARGUMENT", "--report", "x")

    assert suggestion(fault, "ping node --port 1", wrong, None) == (line,)
    assert suggestion(fault, "ping node --port 1", wrong, wrong) == (AFTER,)
    assert suggestion(unknown_flag("--zzz"), "ping --zzz") == ()

    example = f"{AFTER}, for example: mcpi tools/list -- node --port 1"
    fault = with_nearest(Invalid("INVALID_ARGUMENT", "--port", NO_SUCH_FLAG, (example,)), "--port", "--report")
    assert suggestion(fault, "node --port 1", wrong, None) == (example,)


def test_quoted_words_are_reported_before_other_mistakes() -> None:
    fault = suggested(missing_method(), ["tools/call add a=1", "--demo"], lambda _: None, KNOWN, METHODS)

    assert isinstance(fault, Invalid)
    assert fault.problem == "'tools/call add a=1' is one word because of the quotes"
    assert fault.hints == ("write the words without quotes: mcpi tools/call add a=1 --demo",)


@pytest.mark.parametrize(
    ("line", "problem", "right"),
    [
        ("call add --params {} node", "requires --method", "tools/call add --params {} -- node"),
        ("add --params {} node", "requires --method", None),
        (
            "tools/call add --params {} --demo",
            "cannot be combined with --tool-name",
            "tools/call add --tool-args {} --demo",
        ),
        (
            "prompts/get p --params={} --demo",
            "cannot be combined with --prompt-name",
            "prompts/get p --prompt-args={} --demo",
        ),
        ('tools/call add --params {"name":1} --demo', "cannot be combined with --tool-name", None),
        ("resources/read u --params {} --demo", "cannot be combined with --uri", None),
    ],
)
def test_parameters_of_another_tool_become_arguments(line: str, problem: str, right: str | None) -> None:
    assert corrected(Invalid("INVALID_ARGUMENT", "--params", problem), line) == right


def test_call_of_another_tool_with_own_flags_gets_its_method() -> None:
    fault = with_correction(
        Invalid("INVALID_ARGUMENT", "--tool-args", f"--tool-args is a flag of tools/call; {NO_METHOD}"),
        Correction("", ("tools/call",)),
    )

    assert corrected(fault, "call add --tool-args {} node") == "tools/call add --tool-args {} -- node"
    assert corrected(fault, "-n add --tool-args {} node") == "tools/call -n add --tool-args {} node"


def test_call_of_another_tool_with_parameters_is_recognized() -> None:
    fault = Invalid("UNKNOWN_METHOD", "", "unknown method 'call'")

    assert corrected(fault, "call add --params {} node") == "tools/call add --params {} -- node"


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("tools/call -- add a=1 node", "tools/call add a=1 -- node"),
        ("--method tools/call add a=1 --demo", "tools/call add a=1 --demo"),
        ("--quiet tools/call -- node", None),
        ("tools/call add", None),
    ],
)
def test_name_in_the_wrong_place_is_corrected(line: str, right: str | None) -> None:
    assert corrected(Invalid("MISSING_ARGUMENT", "--tool-name", "x"), line) == right


def test_single_argument_after_the_flag_for_all_is_corrected() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--tool-args", "invalid JSON")

    assert corrected(fault, "tools/call add --tool-args a=1 --demo") == "tools/call add --tool-arg a=1 --demo"


def test_word_after_a_header_belongs_to_it() -> None:
    fault = Invalid("INVALID_ARGUMENT", "target", "unexpected word 'x' after the URL http://h")

    assert corrected(fault, "ping http://h -H A:Bearer x") == "ping http://h -H A:Bearer x"


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("read --url x", "read --uri x"),
        ("ping --url http://h", "ping http://h"),
    ],
)
def test_url_is_the_target_of_methods_that_take_no_uri(line: str, right: str) -> None:
    assert corrected(with_nearest(unknown_flag("--url"), "--url", "--uri"), line) == right


def test_url_flag_of_other_methods_is_the_target() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--server-url", "--server-url is a flag of oauth/token, not of ping")

    assert corrected(fault, "ping --server-url http://h") == "ping http://h"


def test_arguments_in_the_name_need_a_flag_after_method() -> None:
    both = Correction("add a=1 b=2", ("add", "a=1", "b=2"))

    assert replaced(["tools/call", "add a=1 b=2"], both) == ("tools/call", "add", "a=1", "b=2")
    assert replaced(["-m", "tools/call", "-n", "add a=1 b=2"], both) == (
        *("-m", "tools/call", "-n", "add", "-a", "a=1", "-a", "b=2"),
    )


@pytest.mark.parametrize(
    ("line", "hints"),
    [
        ("call http://h/mcp.add a=1", ("did you mean: mcpi call http://h/mcp add a=1",)),
        (
            "tools/call add --tool-args id:1 force:true --demo",
            ("quote the JSON: --tool-args '{\"id\": ...}'",),
        ),
        ("serve --demo", ("mcpi-serve is a separate program: mcpi-serve --help",)),
    ],
)
def test_mistake_of_the_words_is_reported_before_others(line: str, hints: tuple[str, ...]) -> None:
    assert suggestion(unknown_flag("--x"), line, None) == hints


def test_suggested_script_has_its_flag() -> None:
    assert suggestion(unknown_flag("--variable"), "a.json --variable x=y --demo", None) == (
        "did you mean: mcpi --script a.json --var x=y --demo",
    )


def test_example_is_not_suggested_for_a_word_after_the_url() -> None:
    fault = Invalid("INVALID_ARGUMENT", "target", "unexpected word 'x' after the URL http://h")

    assert next_line(fault, ["--follow", "http://h", "xyzzy"], KNOWN, METHODS) is None


def test_invalid_line_is_not_suggested() -> None:
    unknown = with_nearest(unknown_flag("--x"), "--x", "--y")
    wrong = Invalid("INVALID_ARGUMENT", "x", "y")

    assert suggestion(unknown, "--x node", wrong) == unknown.hints
    assert suggestion(unknown, "--x node", unknown) == unknown.hints
    assert suggestion(wrong, "node") == ()


def test_reason_remains_if_the_line_is_invalid() -> None:
    unmarked = Invalid("INVALID_ARGUMENT", "--tool-args", "invalid JSON", ("more",))
    fault = with_correction(unmarked, Correction("a.json", ("@a.json",), "to read a file, write @ before its name"))

    assert suggestion(fault, "tools/call w --tool-args a.json b=1", Invalid("INVALID_ARGUMENT", "x", "y")) == (
        "to read a file, write @ before its name",
        "more",
    )


def test_split_values_are_joined() -> None:
    no_value = Invalid("INVALID_ARGUMENT", "--header", "x", (f"{AFTER}: mcpi x",))
    no_pair = Invalid("INVALID_ARGUMENT", "--tool-arg", f"{NO_PAIR}, got '2'", ("more",))

    assert suggestion(no_value, "ping http://h -H A: b", None) == ("quote the header: mcpi ping http://h -H 'A: b'",)
    assert suggestion(no_pair, "tools/call add 2 --demo", None) == (
        "arguments are key=value; to list them: mcpi describe add --demo",
        "more",
    )


def test_flag_to_omit_is_reported_once() -> None:
    off = with_correction(unknown_flag("--no-x"), Correction("--no-x", (), "--x is off by default"))

    assert suggestion(off, "ping --no-x --demo", None) == ("--x is off by default: mcpi ping --demo",)


def test_argument_that_names_a_server_is_corrected_as_such() -> None:
    no_pair = Invalid("INVALID_ARGUMENT", "--tool-arg", f"{NO_PAIR}, got 'mine'")
    meant = with_correction(no_pair, Correction("mine", ("--server", "mine")))

    assert suggestion(meant, "tools/call add --config f mine", None) == (
        "did you mean: mcpi tools/call add --config f --server mine",
    )


def test_typographic_dash_is_reported_before_other_mistakes() -> None:
    fault = suggested(missing_method(), ["ping", "\u2014demo"], lambda _: None, KNOWN, METHODS)

    assert isinstance(fault, Invalid)
    assert (fault.problem, fault.hints) == (
        "'\u2014demo' begins with the character em dash (U+2014)",
        ("did you mean: mcpi ping --demo",),
    )


def test_runtime_fault_is_not_corrected_in_advance() -> None:
    fault = with_nearest(Unreachable("COMMAND_NOT_FOUND", "x"), "nod", "node")

    assert suggested(fault, ["nod"], lambda _: None, KNOWN, METHODS) == fault


def test_typed_line_is_not_suggested() -> None:
    fault = Invalid("INVALID_ARGUMENT", "", "x", ("did you mean: mcpi ping -H 'A: b' node", "for example: mcpi ping"))
    same = with_nearest(fault, "node", "node")
    argv = ["ping", "-H", "A: b", "node"]

    assert suggested(fault, argv, lambda _: None, KNOWN, METHODS).hints == ("for example: mcpi ping",)
    assert with_line(same, argv) is same


def test_number_of_corrections_is_limited() -> None:
    faults = [with_nearest(unknown_flag(f"-{one}"), f"-{one}", f"-{one + 1}") for one in range(9)]

    assert suggestion(faults[0], "-0", *faults[1:]) == faults[0].hints


@pytest.mark.parametrize(
    ("code", "where", "problem", "line", "right"),
    [
        ("INVALID_ARGUMENT", "", f"{UNQUOTED}, got 'node'", "diff node a node b", "diff 'node a' 'node b'"),
        (
            "MISSING_ARGUMENT",
            "--stack",
            "x",
            "debug/script -- a --compact --stack",
            "debug/script --compact -- a --stack",
        ),
        (
            "MISSING_ARGUMENT",
            "--tool-name",
            "x",
            "tools/call -- node a.js --tool-name w --tool-arg a=1",
            "tools/call --tool-name w --tool-arg a=1 -- node a.js",
        ),
        (
            "INVALID_ARGUMENT",
            "target",
            "unexpected word 'tools/lst' after the URL",
            "--follow http://h tools/lst",
            "tools/list --follow http://h",
        ),
        ("MISSING_ARGUMENT", "--debug-command", "x", "debug/script npm", "debug/script --debug-command npm"),
    ],
)
def test_words_in_the_wrong_place_are_moved(code: InvalidCode, where: str, problem: str, line: str, right: str) -> None:
    found = next_line(Invalid(code, where, problem), line.split(), KNOWN, METHODS)

    assert found is not None
    assert shlex.join(found.argv) == right
