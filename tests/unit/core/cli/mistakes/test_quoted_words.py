"""Words that quotation marks have joined are separated."""

import pytest

from mcpi.core.cli.mistakes.quoted_words import REASON, quoted_problem, unquoted_json
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.outcome.faults import Correction, Invalid

KNOWN = by_spelling(GROUPS)
METHODS = ("tools/list", "tools/call")


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("tools/call add a=1", ("tools/call", "add", "a=1")),
        ("call add 'a=1 2'", ("call", "add", "a=1 2")),
        ("node my.js --x", ("node", "my.js", "--x")),
    ],
)
def test_method_or_command_is_separated_from_further_words(word: str, right: tuple[str, ...]) -> None:
    fault = quoted_problem(("--quiet", word, "x y"), KNOWN, METHODS)

    assert fault is not None
    assert fault.problem == f"{word!r} is one word because of the quotes"
    assert fault.correction == Correction(word, right, REASON)


@pytest.mark.parametrize("word", ["tools/call", "my server", "call it's", "http://h/a b", ""])
def test_other_words_are_not_split(word: str) -> None:
    assert quoted_problem((word,), KNOWN, METHODS) is None


def test_line_without_words_is_not_split() -> None:
    assert quoted_problem(("--demo",), KNOWN, METHODS) is None


@pytest.mark.parametrize("words", [("id:1", "force:true"), ("{id:1}",), ("{id:", "1}")])
def test_json_without_quotes_is_recognized(words: tuple[str, ...]) -> None:
    assert unquoted_json(("x/y", "--params", *words, "--demo"), KNOWN) == Invalid(
        "INVALID_ARGUMENT",
        "--params",
        "the JSON has no double quotes; the shell may have removed them",
        ("quote the JSON: --params '{\"id\": ...}'",),
    )


@pytest.mark.parametrize(
    "words", [("--params", '{"a": 1}'), ("--params", "http://h"), ("--params",), ("-H", "a:1"), ("--x", "a:1")]
)
def test_other_values_are_not_json_without_quotes(words: tuple[str, ...]) -> None:
    assert unquoted_json(words, KNOWN) is None
