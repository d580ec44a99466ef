"""Escapes and character classes of a pattern."""

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
def test_escape_is_converted_to_its_character(escape: str, expected: Ranges) -> None:
    reader = PatternReader(escape)

    assert reader.character_escape(0, in_class=False) == (expected, False)
    assert (reader.problem, reader.unsupported) == ("", "")


@pytest.mark.parametrize(("escape", "expected"), [("a", code("\a")), ("_", code("_")), ("-", code("-"))])
def test_escape_of_another_engine_is_parsed_with_a_problem(escape: str, expected: Ranges) -> None:
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
def test_character_class_is_parsed(text: str, expected: CharacterSet) -> None:
    reader = PatternReader(text)

    assert reader.character_class(0) == expected
    assert (reader.problem, reader.unsupported) == ("", "")


def test_range_after_a_class_escape_is_parsed_with_a_problem() -> None:
    reader = PatternReader("\\d-.]")

    assert reader.character_class(0) == CharacterSet(((45, 46), (48, 57)))
    assert reader.problem == "a character class as the endpoint of a range at position 0"


@pytest.mark.parametrize("text", ["", "a", "a-", "b-a]", "a-\\d]", "\\B]", "\\p{L"])
def test_invalid_character_class_stops_the_parser(text: str) -> None:
    reader = PatternReader(text)

    with pytest.raises(StoppedError):
        reader.character_class(0)
    assert reader.problem
