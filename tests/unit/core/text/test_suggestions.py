"""The word a user most likely meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text.suggestions import did_you_mean, nearest


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("--mehtod", "--method"),
        ("--METHOD", "--method"),
        ("--tool_name", "--tool-name"),
        ("tool-name", "--tool-name"),
        ("--Server", "--Server"),
        ("--name", "--tool-name"),
        ("--quiet", None),
        ("--zzz", None),
        ("", None),
    ],
)
def test_the_word_that_was_probably_meant_is_found(word: str, near: str | None) -> None:
    assert nearest(word, ["--method", "--tool-name", "--Server"]) == near


def test_among_no_words_none_is_near() -> None:
    assert nearest("x", []) is None


@given(st.text(), st.lists(st.text()))
def test_the_nearest_word_is_one_of_them(word: str, words: list[str]) -> None:
    assert nearest(word, words) in {*words, None}


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_word_that_is_there_is_its_own_nearest(words: list[str]) -> None:
    near = nearest(words[0], words)

    assert near is not None
    assert near.lower() == words[0].lower()


def test_a_message_asks_whether_the_nearest_word_was_meant() -> None:
    assert did_you_mean("metod", ["method"]) == " (did you mean method?)"
    assert did_you_mean("x", ["method"]) == ""
