"""The phrases as data."""

import re

from mcpi.core.lint.families import instruction_patterns as words


def test_all_patterns_are_valid_and_need_a_word_that_is_looked_for() -> None:
    for pattern in (*words.SECRETS, *words.CONCEALMENT, *words.OVERRIDES, words.MARKUP, words.CALLS, words.ANY_TOOL):
        assert re.compile(pattern).pattern == pattern


def test_the_words_are_in_lower_case() -> None:
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
