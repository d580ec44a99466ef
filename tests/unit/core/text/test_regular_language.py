"""Regular languages: compared by what they match, as Python's re matches it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text.regular_language import matches, relation, samples

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


@given(PATTERNS, st.text("abc1 ", max_size=6))
def test_a_pattern_matches_what_the_library_matches(pattern: str, text: str) -> None:
    assert matches(pattern, text) is (re.search(pattern, text) is not None)


@given(PATTERNS, PATTERNS, st.integers(0, 6))
def test_samples_match_and_are_refused_by_the_other(pattern: str, other: str, shortest: int) -> None:
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
        (r"^\t?$", "^$", "equal"),
        ("(.*)*", "a|.*", "equal"),
        ("(?=a)b", "b", "different"),
        ("(?=a)b", "(?=a)b", "equal"),
        ("a" * 400, "b", "different"),
        ("^(.*a.{9}|.*b.{9})$", "^.*a.{10}$", "different"),
        ("^" + "(" * 2000, "a", "different"),
    ],
)
def test_patterns_are_compared_by_what_they_match(old: str, new: str, found: str) -> None:
    assert relation(old, new) == found


def test_what_cannot_be_told_is_not_guessed() -> None:
    assert matches("(?=a)", "a") is None
    assert matches("a", "é") is None
    assert matches("a", "a" * 400) is None
    assert list(samples("(?=a)")) == []
    assert list(samples("^.*a.{11}$", "^(.*b.{11}|.*a.{12})$")) != [None]


def test_a_sample_can_be_asked_for_by_its_length() -> None:
    assert list(samples("^[a-z]*$", None, 3)) == ["aaa"]
    assert list(samples("^[a-z]{2}$", None, 3)) == []
    assert list(samples("", "^[a-z]")) == ["", ""]
