"""Patterns: what is regular is parsed, everything else is refused rather than misread."""

import pytest

from mcpi.core.text.regular_syntax import (
    ANY,
    EMPTY,
    NOTHING,
    Expression,
    IrregularPatternError,
    either,
    join,
    parse_pattern,
    repeat,
)

REFUSED = (
    *(
        "(?=a)",
        "(?<x>a)",
        r"\bword",
        r"(a)\1",
        "a**",
        "a{2}{3}",
        "é",
        "(a",
        "[a",
        "[a-",
        "a)",
        "^*",
        "a^b",
        "(^a)",
        "a$b",
    ),
    *(r"\u0041", "[\\d-z]", "\\", "[[a]", "a++", "{1}"),
)


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_is_not_regular_is_refused(pattern: str) -> None:
    with pytest.raises(IrregularPatternError):
        parse_pattern(pattern)


def test_a_match_may_start_and_end_anywhere_unless_it_is_anchored() -> None:
    letter = Expression("one", frozenset("a"))

    assert parse_pattern("^a$") == letter
    assert parse_pattern("a") == Expression("then", parts=(ANY, letter, ANY))
    assert parse_pattern("^a$$|^a$") == letter


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (repeat(EMPTY, 0, 0), EMPTY),
        (repeat(NOTHING, 0, None), EMPTY),
        (repeat(repeat(ANY, 0, None), 0, None), ANY),
        (repeat(ANY, 1, 1), ANY),
        (join([ANY, NOTHING]), NOTHING),
        (either([NOTHING, EMPTY]), EMPTY),
        (either([EMPTY, ANY]), ANY),
    ],
)
def test_expressions_are_kept_small(expression: Expression, expected: Expression) -> None:
    assert expression == expected
