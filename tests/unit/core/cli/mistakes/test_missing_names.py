"""Lines that show where the name of a tool, prompt or resource goes."""

import pytest

from mcpi.core.cli.mistakes.missing_names import unflagged_arguments, with_name_hint
from mcpi.core.flags.declare import GivenFlags, by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.outcome.faults import Correction, Invalid
from mcpi.plugins.methods.describe import Describe
from mcpi.plugins.methods.resources import OneResource
from mcpi.plugins.methods.tools.tools import CallTool

KNOWN = by_spelling((*GROUPS, CallTool, Describe, OneResource))
MISSING = Invalid("MISSING_ARGUMENT", "--tool-name", "tools/call requires --tool-name")


def hinted(line: str) -> Invalid:
    """Return the fault of a line without --tool-name."""
    method, *words = line.partition(" -- ")[0].split()
    return with_name_hint(MISSING, method, words, line.partition(" -- ")[2].split(), KNOWN)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (
            "tools/call echo a=1 node a.js --timeout 5",
            "put the server's command after --: mcpi tools/call echo a=1 --timeout 5 -- node a.js",
        ),
        ("tools/call echo mine x", "put the server's command after --: mcpi tools/call echo -- mine x"),
        ("tools/call node a.js add a=1", "put the server's command after --: mcpi tools/call add a=1 -- node a.js"),
        (
            "tools/call py/bin/python3.11 a.py add a=1",
            "put the server's command after --: mcpi tools/call add a=1 -- py/bin/python3.11 a.py",
        ),
        ("tools/call ./mine add a=1", "put the server's command after --: mcpi tools/call add a=1 -- ./mine"),
        (
            "tools/call node a.js add --quiet",
            "put the server's command after --: mcpi tools/call add --quiet -- node a.js",
        ),
        ("tools/call node a.js", "put the name before --: mcpi tools/call NAME -- node a.js"),
        ("tools/call npx pkg other", "put the name before --: mcpi tools/call NAME -- npx pkg other"),
        ("tools/call npx a=1", "put the name before --: mcpi tools/call NAME -- npx a=1"),
        ("tools/call -- node a.js", "put the name before --: mcpi tools/call NAME -- node a.js"),
        ("tools/call -- node a.js add a=1", "put the name before --: mcpi tools/call add a=1 -- node a.js"),
        ("tools/call -- npx -y a=1", "put the name before --: mcpi tools/call NAME -- npx -y a=1"),
        ("tools/call -- add a=1 node a.js", "put the name before --: mcpi tools/call add a=1 -- node a.js"),
        ("tools/call -- add a=1 -- node a.js", "put the name before --: mcpi tools/call add a=1 -- node a.js"),
        ("tools/call -- add a=1 --demo", "omit --: mcpi tools/call add a=1 --demo"),
        ("tools/call -- node a.js --demo", "put the name before --: mcpi tools/call NAME -- node a.js --demo"),
        ("tools/call a.py add {}", "put the server's command after --: mcpi tools/call add '{}' -- python3 a.py"),
        ("tools/call mcp.json add a=1", "use --config for a config file: mcpi tools/call --config mcp.json add a=1"),
        ("tools/call :80/mcp add a=1", "did you mean: mcpi tools/call http://localhost:80/mcp add a=1"),
        ("tools/call add htp://h/mcp a=1", "did you mean: mcpi tools/call http://h/mcp add a=1"),
        ("tools/call a.dev mine", "put the server's command after --: mcpi tools/call a.dev -- mine"),
        ("tools/call npx proxy http://h", "put the name before --: mcpi tools/call NAME -- npx proxy http://h"),
        ("tools/call a.js http://h", "put the name before --: mcpi tools/call NAME -- node a.js http://h"),
        ("prompts/get node a.js http://h", "put the name before --: mcpi prompts/get NAME -- node a.js http://h"),
        (
            "resources/read a.js http://h",
            "put the server's command after --: mcpi resources/read http://h -- node a.js",
        ),
        ("tools/call http://h/mcp", "the NAME follows the URL: mcpi tools/call http://h/mcp NAME"),
        ("tools/call add a=1 http://h/mcp", "did you mean: mcpi tools/call http://h/mcp add a=1"),
        ("resources/read http://h/mcp", "the URI follows the URL: mcpi resources/read http://h/mcp URI"),
        ("tools/call --demo", "for example: mcpi tools/call NAME --demo"),
        (
            "tools/call add node a.js -x a=1 b=2",
            "put the server's command after --: mcpi tools/call add a=1 b=2 -x -- node a.js",
        ),
        ("tools/call add mine a=1", "put the server's command after --: mcpi tools/call add a=1 -- mine"),
        ("describe add http://h/mcp", "did you mean: mcpi describe http://h/mcp add"),
        ("describe a://b http://h/mcp", "did you mean: mcpi describe http://h/mcp a://b"),
        ("describe add node a.js", "put the server's command after --: mcpi describe add -- node a.js"),
    ],
)
def test_name_is_put_in_its_place(line: str, hint: str) -> None:
    fault = hinted(line)

    assert (fault.problem, fault.hints) == (MISSING.problem, (hint,))


def test_line_without_a_server_lacks_the_server_first() -> None:
    assert [hinted(line).hints for line in ("tools/call add a=1", "tools/call", "resources/read --quiet")] == [
        ("for example: mcpi tools/call add a=1 -- node server.js",),
        ("for example: mcpi tools/call NAME -- node server.js",),
        ("for example: mcpi resources/read URI --quiet -- node server.js",),
    ]
    assert hinted("tools/call add").problem == "no server given: add a command, a URL, --config FILE or --demo"


@pytest.mark.parametrize(
    "line", ["resources/read a b -- node a.js", "resources/read --demo a b", "resources/read http://h/mcp a b"]
)
def test_second_name_is_rejected(line: str) -> None:
    assert hinted(line) == Invalid(
        "INVALID_ARGUMENT", "--uri", "resources/read takes one URI, got 'a' and 'b'", ("run mcpi once for each",)
    )


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("camp://{a}/{b} a=1 b=x/y", "did you mean: mcpi resources/read camp://1/x%2Fy --demo"),
        ("camp://{a} a", "run mcpi once for each"),
        ("camp://{a}/{b} a=1", "run mcpi once for each"),
        ("camp://{a} a=1 b=2", "run mcpi once for each"),
        ("camp://{a} a=1 a=2", "run mcpi once for each"),
    ],
)
def test_template_is_filled_with_the_arguments(words: str, hint: str) -> None:
    assert hinted(f"resources/read {words} --demo").hints == (hint,)


def test_arguments_after_method_need_a_flag() -> None:
    given = GivenFlags({"--tool-name": ("add",)}, ("a=1", "mine", "b:=2"))
    fault = unflagged_arguments(given, "tools/call")

    assert fault is not None
    assert fault.problem == "'a=1' is an argument, not a server"
    assert fault.correction == Correction.chain(
        *(Correction(one, ("--tool-arg", one), "with --method, arguments need --tool-arg") for one in ("a=1", "b:=2"))
    )


@pytest.mark.parametrize("target", [(), ("https://h/mcp",)])
def test_variables_of_a_script_need_a_flag(target: tuple[str, ...]) -> None:
    fault = unflagged_arguments(GivenFlags({"--script": ("s.json",)}, (*target, "a=1", "b:=2")), "")

    assert fault is not None
    assert fault.problem == "'a=1' is a variable of the script, not a server"
    assert fault.correction == Correction.chain(
        *(Correction(one, ("--var", one), "with --script, variables need --var") for one in ("a=1", "b:=2"))
    )


@pytest.mark.parametrize(
    ("method", "flag", "word"),
    [
        ("", "--script", "https://h?a=1"),
        ("", "--script", "A=1"),
        ("ping", "--tool-name", "a=1"),
        ("tools/call", "--demo", "a=1"),
        ("tools/call", "--tool-name", "A=1"),
        ("tools/call", "--tool-name", "http://h?a=1"),
    ],
)
def test_other_words_may_be_a_target(method: str, flag: str, word: str) -> None:
    assert unflagged_arguments(GivenFlags({flag: ("x",)}, (word,)), method) is None


@pytest.mark.parametrize("noun", ["tool", "tools"])
def test_noun_before_the_name_is_omitted(noun: str) -> None:
    assert hinted(f"describe {noun} add -- node a.js").hints == ("did you mean: mcpi describe add -- node a.js",)


def test_second_item_is_rejected() -> None:
    assert hinted("describe add a=1 -- node a.js").problem == "describe takes one name, got 'add' and 'a=1'"
