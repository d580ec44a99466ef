"""Regular languages: compared by what they match, as Python's re matches it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text.pattern_tree import Expression
from mcpi.core.text.regular_language import ANY, EMPTY, NOTHING, either, exclude, join, relation, repeat, samples

ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", r"\d", "(a|b)", "(ab)", "c"])
PIECES = st.builds(
    lambda atom, count: atom + count, ATOMS, st.sampled_from(["", "*", "+", "?", "{2}", "{1,3}", "{2,}"])
)
PATTERNS = st.builds(
    lambda start, pieces, more, end: f"{start}{''.join(pieces)}{'|' + more if more else ''}{end}",
    st.sampled_from(["", "^"]),
    st.lists(PIECES, max_size=4),
    st.sampled_from(["", "b", "^a$"]),
    st.sampled_from(["", "$"]),
)


@given(PATTERNS, PATTERNS, st.integers(0, 6))
def test_samples_match_the_pattern_but_not_the_other_one(pattern: str, other: str, shortest: int) -> None:
    found = list(samples(pattern, other, shortest))

    assert all(re.search(pattern, one) for one in found)
    if found and relation(pattern, other) in ("wider", "equal"):
        assert all(re.search(other, one) for one in found)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("^[a-z]+$", "^[a-zA-Z]+$", "wider"),
        ("^a", "^ab", "narrower"),
        ("^[0-9]{4}$", r"^\d{4}$", "equal"),
        ("^a$", "^b$", "different"),
        ("^a{1}$", "^(?:a)$", "equal"),
        ("^a*?$", "^a{0,}$", "equal"),
        ("^(a|a)$", "^[a]$", "equal"),
        ("^a{0}b$", "^b$", "equal"),
        (".*", "", "equal"),
        ("^[a-]$", "^[-a]$", "equal"),
        (r"^\.$", "^[.]$", "equal"),
        (r"^[\d]$", "^[0-9]$", "equal"),
        (r"^\t?$", "^$", "narrower"),
        ("(.*)*", "a|.*", "equal"),
        ("(?=a)b", "b", "different"),
        ("(?=a)b", "(?=a)b", "equal"),
        ("a" * 400, "b", "different"),
        ("^(.*a.{9}|.*b.{9})$", "^.*a.{10}$", "different"),
        ("^" + "(" * 2000, "a", "different"),
        *(("^x", pattern, "different") for pattern in (r"\b", "a^b", "(^a)", "a$b", "a++", "(?i:a)", r"(a)\1")),
        ("^é$", "^ü$", "different"),
        (r"^\t$", r"^\n$", "different"),
        ("^(a|é)$", "^[aé]$", "equal"),
        (r"^\d$", "^.$", "wider"),
        (r"^[\d\D]$", "^.$", "narrower"),
        ("^a$$|^^a$", "^a$", "equal"),
    ],
)
def test_patterns_are_compared_by_what_they_match(old: str, new: str, found: str) -> None:
    assert relation(old, new) == found


def test_unsupported_patterns_have_no_samples() -> None:
    assert list(samples("a" * 400)) == []
    assert list(samples("(?=a)")) == []
    assert list(samples("^.*a.{11}$", "^(.*b.{11}|.*a.{12})$")) != [None]


def test_samples_have_the_requested_minimum_length() -> None:
    assert list(samples("^[a-z]*$", None, 3)) == ["aaa"]
    assert list(samples("^[a-z]{2}$", None, 3)) == []
    assert list(samples("", "^[a-z]")) == ["", ""]


def test_samples_have_only_printable_characters() -> None:
    assert list(samples("^[\\s\\S]{2}$", "^.$")) == ["aa", "aa"]
    assert list(samples("^[\n]$", None, 1)) == []


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (repeat(ANY, 0, 0), EMPTY),
        (repeat(EMPTY, 2, None), EMPTY),
        (repeat(NOTHING, 0, None), EMPTY),
        (repeat(repeat(ANY, 0, None), 0, None), ANY),
        (repeat(ANY, 1, 1), ANY),
        (join([ANY, NOTHING]), NOTHING),
        (either([NOTHING, EMPTY]), EMPTY),
        (either([EMPTY, ANY]), ANY),
    ],
)
def test_expressions_are_simplified(expression: Expression, expected: Expression) -> None:
    assert expression == expected


@pytest.mark.parametrize(
    ("one", "other", "certain"),
    [
        ("^a", "^b", True),
        ("^a", "b$", False),
        ("^a+$", "^[^a]*$", True),
        ("(?=a)", "^b", False),
        ("^b", r"(a)\1", False),
        ("^.*a.{11}$", "^(.*b.{11}|.*a.{12})$", False),
        ("^(.*a.{11}|x)$", "^(.*b.{11}c|y)$", False),
    ],
)
def test_exclusion_is_reported_only_if_certain(one: str, other: str, *, certain: bool) -> None:
    assert exclude(one, other) is certain
