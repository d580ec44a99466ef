"""Values that a shell has split are joined, and arguments become key=value."""

import shlex
from collections.abc import Callable

import pytest

from mcpi.core.cli.corrections import replaced
from mcpi.core.cli.mistakes.corrected_line import CorrectedLine
from mcpi.core.cli.mistakes.split_values import (
    corrected_arguments,
    joined_flag,
    with_marked_file,
    with_singular_flag,
)
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.flags.pairs import NO_PAIR
from mcpi.core.outcome.faults import Invalid
from mcpi.plugins.answers.sampling import SamplingFlags
from mcpi.plugins.methods.prompts import GetPrompt
from mcpi.plugins.methods.tools.tools import CallTool

KNOWN = by_spelling((*GROUPS, CallTool, GetPrompt, SamplingFlags))


def corrected(correct: Callable[..., CorrectedLine | None], line: str) -> tuple[str, str]:
    """Return the corrected line and its reason."""
    found = correct(shlex.split(line), KNOWN)
    assert found is not None
    return shlex.join(found.argv), found.reason


@pytest.mark.parametrize(
    ("line", "right", "reason"),
    [
        ("-H X-Team: tools ping http://h", "-H 'X-Team: tools' ping http://h", "quote the header"),
        ("ping http://h -H A: Bearer b", "ping http://h -H 'A: Bearer b'", "quote the header"),
        ("ping http://h --header A: bearer", "ping http://h --header 'A: bearer'", "quote the header"),
        ("ping http://h -H A: b c", "ping http://h -H 'A: b c'", "quote the header"),
        ("ping http://h -H A: b c --quiet", "ping http://h -H 'A: b c' --quiet", "quote the header"),
        ("ping http://h --token Bearer b1", "ping http://h --token b1", "--token requires the token alone"),
        ("ping http://h -H A:Bearer b c", "ping http://h -H 'A:Bearer b' c", "quote the header"),
        ("tools/call http://h -H A: b c", "tools/call http://h -H 'A: b' c", "quote the header"),
        (
            "ping http://h -H Authorization: Bearer b1234567",
            "ping http://h -H 'Authorization: Bearer b1234567'",
            "quote the header",
        ),
        (
            "ping http://h -H X-API-Key: b1234567",
            "ping http://h -H 'X-API-Key: b1234567'",
            "quote the header",
        ),
        ("ping -e KEY x node a.js", "ping -e KEY=x node a.js", "did you mean"),
        ("ping node a.js -e KEY x", "ping node a.js -e KEY=x", "did you mean"),
    ],
)
def test_value_of_a_flag_is_joined(line: str, right: str, reason: str) -> None:
    assert corrected(joined_flag, line) == (right, reason)


def test_method_after_a_variable_is_not_its_value() -> None:
    assert joined_flag(shlex.split("-e KEY ping -- node a.js"), KNOWN, {"ping"}) is None


@pytest.mark.parametrize(
    "line",
    [
        "ping node -e code x",
        "ping -e KEY --demo",
        "ping -e KEY node a.js",
        "ping -e A=b node",
        "ping -H 'A: b' x",
        "--x y",
    ],
)
def test_other_values_are_not_joined(line: str) -> None:
    assert joined_flag(shlex.split(line), KNOWN) is None


@pytest.mark.parametrize(
    ("line", "right", "reason"),
    [
        ("tools/call w -a x http://h/a", "tools/call w -a x=VALUE http://h/a", "x has no value"),
        ("tools/call w --tool-arg=x --demo", "tools/call w --tool-arg x=VALUE --demo", "x has no value"),
        (
            "tools/call w city=New York d=2 --demo",
            "tools/call w 'city=New York' d=2 --demo",
            "quote values with spaces",
        ),
        ("tools/call w city=New York City", "tools/call w 'city=New York City'", "quote values with spaces"),
        ("tools/call w city=\u201cNew York\u201d", "tools/call w 'city=New York'", "quote values with spaces"),
        ("tools/call w a=x b=y c:5 -- node", "tools/call w a=x b=y c=5 -- node", "arguments are key=value"),
        ("tools/call http://h w a=1 force", "tools/call http://h w a=1 force=VALUE", "force has no value"),
        ("tools/call w a=x force", "tools/call w 'a=x force'", "quote values with spaces, or write force=VALUE"),
        ("tools/call w f.json", "tools/call w --tool-args @f.json", "to read all arguments from a file"),
        ("tools/call w a= 2 -- node", "tools/call w a=2 -- node", "did you mean"),
        ("tools/call w a=2 \u2014demo", "tools/call w a=2 --demo", "did you mean"),
        ("tools/call w city:Oslo d:2", "tools/call w city=Oslo d=2", "arguments are key=value"),
        ("tools/call http://h w 2 :3", "describe http://h w", "arguments are key=value; to list them"),
        ("tools/call w city Oslo d 2 --demo", "tools/call w city=Oslo d=2 --demo", "arguments are key=value"),
        ("tools/call w city = Oslo d := 2", "tools/call w city=Oslo d:=2", "arguments are key=value"),
        ("tools/call w city =Oslo e=1", "tools/call w city=Oslo e=1", "arguments are key=value"),
        ("tools/call w city Oslo d", "describe w", "arguments are key=value; to list them"),
        ("tools/call w @f", "tools/call w --tool-args @f", "to read all arguments from a file"),
        ("tools/call w - --demo", "tools/call w --tool-args - --demo", "to read all arguments from standard input"),
        ("tools/call w @f a=1", "describe w", "arguments are key=value; to list them"),
        (
            "--quiet tools/call w 2 -- node a.js",
            "--quiet describe w -- node a.js",
            "arguments are key=value; to list them",
        ),
        ("tools/call w -a '{\"b\": 1}' --demo", "tools/call w --tool-args '{\"b\": 1}' --demo", "did you mean"),
        ("--method tools/call -n w --tool-arg={}", "--method tools/call -n w --tool-args '{}'", "did you mean"),
        ("tools/call w 'a: 2' 'b : 3'", "tools/call w a=2 b=3", "arguments are key=value"),
        ("tools/call w a: 2 b : 3", "tools/call w a=2 b=3", "arguments are key=value"),
        ("tools/call w -a @f --demo", "tools/call w --tool-args @f --demo", "to read all arguments from a file"),
        ("tools/call w -a sku A1", "tools/call w -a sku=A1", "arguments are key=value"),
        ("tools/call w -a b=1 --tool-arg sku: A1", "tools/call w -a b=1 --tool-arg sku=A1", "arguments are key=value"),
        ("tools/call w -a sku:A1", "tools/call w -a sku=A1", "arguments are key=value"),
        ("tools/call a=1 w -- node", "tools/call w a=1 -- node", "put the name before its arguments"),
        ("tools/call http://h a=1 x w", "tools/call http://h w a=1 x", "put the name before its arguments"),
        ("tools/call '{\"a\": 1}' w", "tools/call w '{\"a\": 1}'", "put the name before its arguments"),
        ("tools/call -n w a=b x", "tools/call -n w 'a=b x'", "quote values with spaces, or write x=VALUE"),
    ],
)
def test_arguments_become_pairs(line: str, right: str, reason: str) -> None:
    assert corrected(corrected_arguments, line) == (right, reason)


@pytest.mark.parametrize(
    "line",
    [
        "tools/call w -a 2",
        "tools/call w a=1 '{}'",
        "tools/call a=1 '{}'",
        "tools/call w --tool-arg 2x",
        "tools/call w -a",
        "ping --metadata {}",
    ],
)
def test_unclear_arguments_are_not_mended(line: str) -> None:
    assert corrected_arguments(shlex.split(line), KNOWN) is None


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("tools/call w --tool-args a=1 b=2 --demo", "tools/call w --tool-arg a=1 b=2 --demo"),
        ("tools/call w --quiet --tool-args=a=1", "tools/call w --quiet --tool-arg=a=1"),
        ("tools/call w --tool-args '{\"a\"=1}'", None),
        ("tools/call w --tool-args", None),
        ('tools/call w --tool-args \'{"a":1,"b":"x"}\' c=2', "tools/call w --tool-arg a:=1 --tool-arg 'b:=\"x\"' c=2"),
        ("tools/call w --tool-args='{\"a\":1}' c=2", "tools/call w --tool-arg a:=1 c=2"),
        ("tools/call w --tool-args '{\"a=b\":1}' c=2", None),
        (
            "tools/call w --tool-args '{\"n\":12345678901234567890.10}' c=2",
            "tools/call w --tool-arg n:=12345678901234567890.10 c=2",
        ),
        ("tools/call w --tool-args @f c=2", None),
    ],
)
def test_flag_for_all_arguments_becomes_that_for_one(line: str, right: str | None) -> None:
    found = with_singular_flag("--tool-args", shlex.split(line), KNOWN)

    assert (None if found is None else shlex.join(found.argv)) == right


def test_valid_arguments_are_not_mended() -> None:
    assert corrected_arguments(["tools/call", "w", "a=1", "--demo"], KNOWN) is None


@pytest.mark.parametrize(
    ("where", "line", "right"),
    [
        ("--tool-args", "tools/call w --tool-args ./args --demo", "tools/call w --tool-args @./args --demo"),
        ("--tool-args", "tools/call w --tool-args=./args --demo", "tools/call w --tool-args=@./args --demo"),
        ("--handle-sampling", "ping --handle-sampling ./args --demo", "ping --handle-sampling @./args --demo"),
        ("--tool-args", "tools/call w --tool-args args --demo", None),
        ("--tool-args", "tools/call w --tool-args 1 --demo", None),
        ("--tool-args", "tools/call w ./args --demo", None),
        ("MCPI_TOOL_ARGS", "tools/call w ./args --demo", None),
        ("--tool-arg", "tools/call w ./args --demo", "tools/call w --tool-args @./args --demo"),
        ("--prompt-arg", "prompts/get w ./args --demo", "prompts/get w --prompt-args @./args --demo"),
        ("--tool-arg", "tools/call w -a ./args --demo", "tools/call w --tool-args @./args --demo"),
        ("--tool-arg", "tools/call w -a args --demo", None),
        ("--tool-arg", "tools/call w args --demo", None),
        ("--tool-arg", "tools/call w ./args a=1 --demo", None),
        ("--tool-arg", "tools/call w -a a=1 ./args --demo", None),
    ],
)
def test_name_of_a_file_gets_its_at_sign(where: str, line: str, right: str | None) -> None:
    fault = Invalid("INVALID_ARGUMENT", where, f"{NO_PAIR}, got something")
    found = with_marked_file(fault, shlex.split(line), KNOWN, {"./args", "1"}.__contains__)

    fixed = None if found.correction is None else " ".join(replaced(shlex.split(line), found.correction) or ())
    assert fixed == right


def test_value_with_another_mistake_is_not_the_name_of_a_file() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--tool-arg", "unknown argument './args'")
    argv = ("tools/call", "w", "./args", "--demo")

    assert with_marked_file(fault, argv, KNOWN, lambda _: True) == fault
