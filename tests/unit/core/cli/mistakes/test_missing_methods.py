"""Command lines without a method, or with an unknown one."""

import pytest

from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.missing_methods import (
    as_tool_call,
    as_vendor_method,
    other_program,
    unknown_method,
    unknown_topic,
    with_method,
)
from mcpi.core.flags.declare import GivenFlags, by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.outcome.faults import Invalid
from mcpi.plugins.methods.prompts import GetPrompt
from mcpi.plugins.methods.tools.tools import CallTool

KNOWN = by_spelling((*GROUPS, CallTool, GetPrompt))
METHODS = ("tools/list", "tools/call", "prompts/list", "prompts/get", "server/info", "discover", "ping")


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("list node server.js", "tools/list node server.js"),
        ("ls -- node server.js", "tools/list -- node server.js"),
        ("list tools -- node server.js", "tools/list -- node server.js"),
        ("tools list --demo", "tools/list --demo"),
        ("Tools-List node server.js", "tools/list node server.js"),
        ("toolslist node", "tools/list node"),
        ("tools/lst node", "tools/list node"),
        ("call add a=1 -- node server.js", "tools/call add a=1 -- node server.js"),
        ("node server.js ping", "ping node server.js"),
        ("--timeout 5s node server.js ping", "ping --timeout 5s node server.js"),
        ("http://h/mcp ping", "ping http://h/mcp"),
        ("http://h/mcp tools/call add a=1", "tools/call http://h/mcp add a=1"),
        ("node server.js tools/call add a=1", "tools/call add a=1 -- node server.js"),
        ("node server.js", "tools/list node server.js"),
        ("-- node server.js", "tools/list -- node server.js"),
        ("server.js", "tools/list node server.js"),
        (".vscode/mcp.json", "tools/list --config .vscode/mcp.json"),
        ("--quiet mcp.json ping", "ping --quiet --config mcp.json"),
        ("tools list node server.js", "tools/list node server.js"),
        ("tools call add a=1 -- node", "tools/call add a=1 -- node"),
        ("tools --demo list", "tools/list --demo list"),
        ("call -- node server.js", "tools/call NAME -- node server.js"),
        ("call --demo", "tools/call NAME --demo"),
        ("demo tools/list", "tools/list --demo"),
        ("--demo", "tools/list --demo"),
        ("test ci.json -- node server.js", "--script ci.json -- node server.js"),
        ("run ci.json --demo", "--script ci.json --demo"),
        ("http://localhost:1/mcp ci.json", "http://localhost:1/mcp --script ci.json"),
        ("node ci.json", "tools/list node ci.json"),
        ("test mcp.json", "tools/list test mcp.json"),
        ("tool call add a=1 --demo", "tools/call add a=1 --demo"),
        ("listTools --demo", "tools/list --demo"),
        ("tools call add a=1 -- npx eslint ping", "tools/call add a=1 -- npx eslint ping"),
        ("localhost:3000/mcp tools/call add a=1", "tools/call http://localhost:3000/mcp add a=1"),
        (":3000/mcp", "tools/list http://localhost:3000/mcp"),
        ("completion bash", "--completion bash"),
        ("record -- node a.js", "--trace trace.jsonl -- node a.js"),
        ("record out.jsonl --demo", "--trace out.jsonl --demo"),
        ("--quiet list-servers", "--quiet --list-servers"),
        ("config mcp.json ping", "--config mcp.json ping"),
        ("script ci.json --demo", "--script ci.json --demo"),
        ("config list", "tools/list config list"),
        ("node a.js add a=1", "tools/call add a=1 -- node a.js"),
        ("add a=1 node a.js", "tools/call add a=1 -- node a.js"),
        ("http://h/mcp add a=1", "http://h/mcp tools/call add a=1"),
        ("localhost:3000 add", "http://localhost:3000 tools/call add"),
        ("http://h/mcp add a.txt", "tools/list http://h/mcp"),
        ("http://h/mcp a.txt", "tools/list http://h/mcp"),
        ("env A=1 node a.js", "tools/list env A=1 node a.js"),
        ("node a.js a=1", "tools/list node a.js a=1"),
        ("-- node a.js tools/call add a=1", "tools/call add a=1 -- node a.js"),
        ("--quiet -- node a.js --port 3 ping", "ping --quiet -- node a.js --port 3"),
        ("-- tools/list node a.js", "tools/list node a.js"),
        ("--quiet", None),
        ("", None),
    ],
)
def test_missing_method_is_inferred_from_the_words(line: str, right: str | None) -> None:
    found = with_method(line.split(), KNOWN, METHODS)

    assert (None if found is None else " ".join(found.argv)) == right


@pytest.mark.parametrize(
    ("words", "flags", "server"),
    [
        ("tools/lst", "", "node a.js"),
        ("xyzzy", "--demo", ""),
        ("vendor/x", "--config", ""),
        ("vendor/x http://h/mcp", "", ""),
        ("vendor/x python3.12 a.py", "", ""),
    ],
)
def test_word_before_a_target_is_an_unknown_method(words: str, flags: str, server: str) -> None:
    given = GivenFlags(dict.fromkeys(flags.split(), ("true",)), tuple(words.split()))

    assert unknown_method(given, server.split()) == Invalid(
        "UNKNOWN_METHOD", "", f"unknown method {words.split(maxsplit=1)[0]!r}", ("mcpi --help lists the methods",)
    )


@pytest.mark.parametrize(
    ("words", "server"),
    [
        ("", "node a.js"),
        ("node a.js", ""),
        ("mine", "--port 1"),
        ("env node a.js", ""),
        ("bin/mine", ""),
        ("./mine", "node"),
        ("a.py", "node"),
    ],
)
def test_other_words_may_start_the_target(words: str, server: str) -> None:
    assert unknown_method(GivenFlags({}, tuple(words.split())), server.split()) is None


@pytest.mark.parametrize(
    ("words", "server"), [("record node a.js", ""), ("frobnicate http://h/mcp", ""), ("tools-lst", "node a.js")]
)
def test_word_that_is_no_program_is_an_unknown_method(words: str, server: str) -> None:
    found = unknown_method(GivenFlags({}, tuple(words.split())), server.split(), METHODS)

    assert found is not None
    assert found.problem == f"unknown method {words.split(maxsplit=1)[0]!r}"


def test_unknown_method_may_be_one_of_the_server() -> None:
    with_params = ("vendor/x", "--params", "7", "--", "node", "a.js")

    assert as_vendor_method(("--demo", "vendor/x"), KNOWN) == CorrectedLine(
        ("--demo", "--method", "vendor/x", "--params", "{}"), "to send it anyway"
    )
    assert as_vendor_method(with_params, KNOWN) == CorrectedLine(
        ("--params", "7", "--method", "vendor/x", "--", "node", "a.js"), "to send it anyway"
    )
    assert as_vendor_method(("xyzzy", "--demo"), KNOWN) is None


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("serve", "mcpi-serve is a separate program: mcpi-serve --help"),
        ("replay", "to repeat calls, write a script: mcpi script --help"),
    ],
)
def test_word_without_a_counterpart_has_a_hint(word: str, hint: str) -> None:
    fault = other_program((word, "--demo"), KNOWN)

    assert fault is not None
    assert fault.hints == (hint,)


def test_unknown_word_may_be_the_name_of_a_tool() -> None:
    line = ("--demo", "tools/call", "add", "a=1")

    assert as_tool_call(("add", "a=1", "localhost:80"), KNOWN) == CorrectedLine(
        ("tools/call", "add", "a=1", "http://localhost:80"), "to call a tool"
    )
    assert as_tool_call(("--demo", "add", "a=1"), KNOWN) == CorrectedLine(line, "to call a tool")


@pytest.mark.parametrize(("words", "meant"), [("init", "discover"), ("list node a.js", "tools/list")])
def test_word_of_another_tool_is_an_unknown_method(words: str, meant: str) -> None:
    fault = unknown_method(GivenFlags({}, tuple(words.split())), ())

    assert fault is not None
    assert fault.hints == (f"did you mean {meant}?", "mcpi --help lists the methods")
    assert unknown_method(GivenFlags({}, ("run", "mine")), ()) is None


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("scripts", "script"),
        ("call", "tools/call"),
        ("tools/lst", "tools/list"),
        ("timeout", None),
        ("xyzzy", None),
    ],
)
def test_unknown_help_topic_is_rejected(word: str, near: str | None) -> None:
    fault = unknown_topic(word, (*METHODS, "all", "script"), KNOWN)

    assert fault is not None
    assert fault.problem == f"no help on {word!r}"
    assert (None if fault.correction is None else fault.correction.right[0]) == near


def test_help_on_a_flag_is_on_another_page() -> None:
    fault = unknown_topic("timeout", METHODS, KNOWN)

    assert fault is not None
    assert fault.hints == ("--timeout is a flag; to list all flags: mcpi --help all",)


@pytest.mark.parametrize("word", ["ping", "all", "http://h/mcp", "node", "server.js"])
def test_help_is_shown_for_topics_and_servers(word: str) -> None:
    assert unknown_topic(word, (*METHODS, "all", "script"), KNOWN) is None
