"""Patterns match as in Python's re module, in bounded time and memory."""

import re
import time
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcpi.core.text.linear_patterns import MAX_TEXT, LinearPattern, compile_pattern

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\W", "^", "$", r"\b", r"\B", "()", "(?:ab|b)", "(a|)"])
QUANTIFIERS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "{1,3}?"])
PATTERNS: st.SearchStrategy[str] = st.recursive(
    st.lists(st.tuples(ATOMS, QUANTIFIERS).map(lambda pair: pair[0] if pair[0] in "^$" else "".join(pair)), max_size=4)
    .map("".join)
    .filter(lambda pattern: r"\b" not in pattern.lower() or not re.search(r"\\[bB][*+?{]", pattern)),
    lambda inner: st.tuples(inner, inner).map("({0[0]}|{0[1]})".format) | inner.map("({})*".format),
    max_leaves=4,
)


def matches(pattern: str, text: str) -> bool | None:
    compiled = compile_pattern(pattern)
    assert isinstance(compiled, LinearPattern), compiled
    return compiled.matches(text)


@given(PATTERNS, st.text("ab 1_", max_size=8))
@example("(a?){3}b", "aab")
@example(r"\Bb\b|^$", "")
def test_matches_agree_with_python_re(pattern: str, text: str) -> None:
    assert matches(pattern, text) == (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a$", "a\n", False),
        ("(?m)^b$", "a\nb\nc", True),
        ("(?m)^b$", "ab", False),
        ("a.b", "a\nb", False),
        ("(?s)a.b", "a\nb", True),
        ("(?i)ÄB", "äb", True),
        ("(?i:a)b", "Ab", True),
        ("(?i:a)b", "AB", False),
        ("ß", "SS", False),
        (r"^\u0041\x42\u{43}\cA$", "ABC\x01", True),
        (r"^\w+$", "é", False),
        (r"\bé", "é", False),
        (r"^[^\d\s]+$", "x-y", True),
        (r"^[\w-]+$", "x-y", True),
        ("^[a-c-]+$", "a-c", True),
        (r"^[\D]$", "5", False),
        (r"^[\b]$", "\b", True),
        (r"\A/\.\Z", "/.", True),
        ("(?P<year>[0-9]{4})-(?<month>[0-9]{2})", "2026-11", True),
        ("a{,2}]}", "a{,2}]}", True),
        ("^(a|b)*c$", "ababc", True),
    ],
)
def test_json_schema_pattern_syntax_is_supported(pattern: str, text: str, found: bool) -> None:  # noqa: FBT001 - the expected result
    assert matches(pattern, text) is found


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(x+x+)+y", "x" * 300_000),
        ("(a*)*b", "a" * 300_000),
        ("^(a?){200}a{200}$", "a" * 200),
        ("(.*)*(.*)*(.*)*$x", "ab" * 100_000),
    ],
)
def test_catastrophic_patterns_match_in_linear_time(pattern: str, text: str) -> None:
    began = time.process_time()

    matches(pattern, text)

    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:(?:(?:.?){60000}){60000})",
        "((){60000}){60000}",
        "x" * 6000,
        "((((a{10}){10}){10}){10}){10}",
        "a{1,999999999}",
    ],
)
def test_oversized_pattern_is_rejected(pattern: str) -> None:
    assert compile_pattern(pattern) == "the pattern is too large"


def test_search_is_aborted_after_too_many_steps() -> None:
    # Each new character adds a transition to the cache.
    text = "".join(map(chr, range(0x4E00, 0x9FFF)))

    assert matches("(a|.){500}!", text) is None


def test_oversized_text_is_not_searched() -> None:
    assert matches("a", "b" * (MAX_TEXT + 1)) is None


def test_overflow_of_the_state_cache_does_not_change_the_result() -> None:
    letters = Random(1).choices("ab", k=3000)  # noqa: S311 - must be repeatable
    text = "".join(letters)

    assert matches("a(a|b){14}c", text) is False
    assert matches("a(a|b){14}c", f"{text}a{'b' * 14}c") is True


def test_unsupported_pattern_has_a_reason() -> None:
    assert compile_pattern("(?=a)") == "lookahead is not supported at position 0"
