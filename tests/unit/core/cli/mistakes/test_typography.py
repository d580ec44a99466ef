"""Dashes and quotation marks of text processors are recognized."""

import pytest

from mcpi.core.cli.mistakes.typography import typographic_problem, without_quotes
from mcpi.core.flags.declare import by_spelling
from mcpi.core.flags.options import GROUPS
from mcpi.core.outcome.faults import Correction, Invalid

KNOWN = by_spelling(GROUPS)


@pytest.mark.parametrize(
    ("word", "character", "plain"),
    [
        ("\u2014demo", "em dash (U+2014)", "--demo"),
        ("\u2013-demo", "en dash (U+2013)", "--demo"),
        ("\u2212\u2212timeout=5s", "minus sign (U+2212)", "--timeout=5s"),
        ("\u2013v", "en dash (U+2013)", "-v"),
        ("\u201chttp://h/mcp\u201d", "left double quotation mark (U+201C)", "http://h/mcp"),
        ("\u201ctext=hi\u201d", "left double quotation mark (U+201C)", "text=hi"),
    ],
)
def test_character_is_named_and_replaced(word: str, character: str, plain: str) -> None:
    fault = typographic_problem(["plain", word], KNOWN)

    assert fault == Invalid(
        "INVALID_ARGUMENT", "", f"{word!r} begins with the character {character}", (f"did you mean {plain}?",)
    )
    assert fault.correction == Correction(word, (plain,))


@pytest.mark.parametrize("word", ["--demo", "\u2014title", "text=\u201chi\u201d", "\u2014", ""])
def test_other_words_are_left_alone(word: str) -> None:
    assert typographic_problem([word], KNOWN) is None


def test_quotation_marks_around_a_value_are_dropped() -> None:
    assert without_quotes("\u201cNew York\u201d") == "New York"
    assert without_quotes("\u201cNew\u201d York") == "\u201cNew\u201d York"


def test_server_in_quotation_marks_is_corrected_as_a_whole() -> None:
    words = ("\u201cnode", "a.js", "--x\u201d")
    fault = typographic_problem((), KNOWN, words)

    assert fault is not None
    assert fault.correction == Correction.chain(Correction(words[0], ("node",)), Correction(words[2], ("--x",)))
    assert typographic_problem((), KNOWN, ("node", "\u201cx\u201d")) is None
