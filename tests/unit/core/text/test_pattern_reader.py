"""Escapes and classes of a pattern."""

import pytest

from mcpi.core.text.pattern_reader import PatternReader, StoppedError
from mcpi.core.text.pattern_tree import CharacterSet, Ranges


def code(character: str) -> Ranges:
    return ((ord(character), ord(character)),)


@pytest.mark.parametrize(
    ("escape", "expected"),
    [
        ("n", code("\n")),
        ("0", code("\0")),
        ("x41", code("A")),
        ("u0041", code("A")),
        ("u{1F600}", code("\U0001f600")),
        ("uD83D\\uDE00", code("\U0001f600")),
        ("uD83Da", ((0xD83D, 0xD83D),)),
        ("cA", code("\x01")),
        ("/", code("/")),
        ("d", ((48, 57),)),
    ],
)
def test_an_escape_stands_for_its_character(escape: str, expected: Ranges) -> None:
    reader = PatternReader(escape)

    assert reader.character_escape(0, in_class=False) == (expected, False)
    assert (reader.problem, reader.unsupported) == ("", "")


@pytest.mark.parametrize(("escape", "expected"), [("a", code("\a")), ("_", code("_")), ("-", code("-"))])
def test_an_escape_of_other_engines_is_a_problem_but_is_understood(escape: str, expected: Ranges) -> None:
    reader = PatternReader(escape)

    assert reader.character_escape(0, in_class=False) == (expected, False)
    assert reader.problem == f"invalid escape \\{escape} at position 0"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a-c]", CharacterSet(((97, 99),))),
        ("^a-c]", CharacterSet(((97, 99),), negated=True)),
        ("c-da]", CharacterSet(((97, 97), (99, 100)))),
        ("\\t-]", CharacterSet(((9, 9), (45, 45)))),
        ("\\b\\-]", CharacterSet(((8, 8), (45, 45)))),
        ("\\D]", CharacterSet(((0, 47), (58, 0x10FFFF)))),
    ],
)
def test_a_class_is_the_characters_in_it(text: str, expected: CharacterSet) -> None:
    reader = PatternReader(text)

    assert reader.character_class(0) == expected
    assert (reader.problem, reader.unsupported) == ("", "")


def test_a_hyphen_after_a_class_of_characters_is_a_problem_but_is_understood() -> None:
    reader = PatternReader("\\d-.]")

    assert reader.character_class(0) == CharacterSet(((45, 46), (48, 57)))
    assert reader.problem == "a range between classes of characters at position 0"


@pytest.mark.parametrize("text", ["", "a", "a-", "b-a]", "a-\\d]", "\\B]", "\\p{L"])
def test_a_class_that_cannot_be_read_stops_the_parser(text: str) -> None:
    reader = PatternReader(text)

    with pytest.raises(StoppedError):
        reader.character_class(0)
    assert reader.problem
