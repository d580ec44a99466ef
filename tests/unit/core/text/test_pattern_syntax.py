"""Patterns are parsed, and what cannot be matched in linear time is refused with a reason."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text.pattern_syntax import (
    CharacterSet,
    Choice,
    Position,
    Repetition,
    Sequence,
    UnsupportedPatternError,
    complement,
    parse_pattern,
)


def one(character: str) -> CharacterSet:
    return CharacterSet(((ord(character), ord(character)),))


@pytest.mark.parametrize(
    ("pattern", "parsed"),
    [
        ("", Sequence(())),
        ("ab", Sequence((one("a"), one("b")))),
        ("a|", Choice((Sequence((one("a"),)), Sequence(())))),
        ("^a*?$", Sequence((Position("^"), Repetition(one("a"), 0, None), Position("$")))),
        ("a{2}", Sequence((Repetition(one("a"), 2, 2),))),
        ("a{2,}", Sequence((Repetition(one("a"), 2, None),))),
        ("a{2,3}", Sequence((Repetition(one("a"), 2, 3),))),
        ("[^a-c]", Sequence((CharacterSet(((97, 99),), negated=True),))),
        (r"[\t-]", Sequence((CharacterSet(((9, 9), (45, 45))),))),
    ],
)
def test_a_pattern_is_parsed(pattern: str, parsed: object) -> None:
    assert parse_pattern(pattern) == parsed


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("a(?=b)", "lookahead is not supported at position 1"),
        ("(?!b)", "lookahead is not supported at position 0"),
        ("(?<=b)", "lookbehind is not supported at position 0"),
        ("(?<!b)", "lookbehind is not supported at position 0"),
        ("(?>b)", "an atomic group is not supported at position 0"),
        ("(?x)b", "this kind of group is not supported at position 0"),
        (r"(a)\1", "a back reference is not supported at position 4"),
        (r"\p{L}", r"the escape \p is not supported at position 1"),
        ("\\", "the escape \\ is not supported at position 1"),
        ("a++", "a possessive or repeated quantifier is not supported at position 2"),
        ("a{2}{3}", "a possessive or repeated quantifier is not supported at position 4"),
        ("*a", "nothing to repeat at position 0"),
        ("{2}", "nothing to repeat at position 0"),
        ("a{3,2}", "a repetition whose maximum is below its minimum at position 6"),
        ("(a", "a closing parenthesis is missing at position 2"),
        ("a)", "unbalanced parenthesis at position 1"),
        ("[]", "an empty class is not supported at position 1"),
        ("[a", "a closing bracket is missing at position 2"),
        ("[a-", "a closing bracket is missing at position 4"),
        ("[b-a]", "an invalid range at position 4"),
        (r"[a-\d]", "an invalid range at position 5"),
        ("(" * 51 + ")" * 51, "more than 50 nested groups at position 51"),
    ],
)
def test_what_is_not_supported_is_refused_with_its_place(pattern: str, problem: str) -> None:
    with pytest.raises(UnsupportedPatternError) as raised:
        parse_pattern(pattern)

    assert str(raised.value) == problem


@given(st.text(r"ab()[]{}|*+?^$.\\-,0129:<>=!imsxudwWpPbBZ", max_size=20))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    with suppress(UnsupportedPatternError):
        parse_pattern(text)


def test_the_complement_of_ranges_has_all_other_characters() -> None:
    assert complement(((0, 9), (11, 0x10FFFE))) == ((10, 10), (0x10FFFF, 0x10FFFF))
