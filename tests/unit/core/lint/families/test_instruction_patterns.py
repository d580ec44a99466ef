"""Instruction patterns as data."""

import re

from mcpi.core.lint.families import instruction_patterns as words


def test_every_pattern_compiles() -> None:
    for pattern in (*words.SECRETS, *words.CONCEALMENT, *words.OVERRIDES, words.MARKUP, words.CALLS, words.ANY_TOOL):
        assert re.compile(pattern).pattern == pattern


def test_keywords_are_lower_case() -> None:
    groups = (
        words.TAKING,
        words.PASSING,
        words.CONCEALING,
        words.CONCEALED,
        words.OVERRIDING,
        words.MODAL,
        words.CALLING,
    )

    assert [word for group in groups for word in group if word != word.lower()] == []
