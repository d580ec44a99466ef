"""Regular expressions that are compiled on first use."""

import re

import pytest

from mcpi.core.lazy_pattern import lazy_pattern


def test_pattern_matches_like_a_compiled_one() -> None:
    pattern = lazy_pattern("(a+)b", re.IGNORECASE)

    assert [pattern.fullmatch("AAB") is not None, pattern.match("x") is not None] == [True, False]
    assert pattern.sub(r"\1", "xaab", count=1) == pattern.sub(r"\1", "xaab") == "xaa"
    assert lazy_pattern(rb"\d").findall(b"1a2") == [b"1", b"2"]


def test_invalid_pattern_is_reported_on_first_use() -> None:
    pattern = lazy_pattern("(")

    with pytest.raises(re.error):
        pattern.match("a")
