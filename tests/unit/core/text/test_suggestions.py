"""Suggestions for misspelled words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text.suggestions import did_you_mean, is_similar, nearest


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
def test_nearest_word_is_found(word: str, near: str | None) -> None:
    assert nearest(word, ["--method", "--tool-name", "--Server"]) == near


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("mine.add", "add"),
        ("mcp__mine__add", "add"),
        ("mine.add.one", "add.one"),
        ("two.one", "two.one"),
        ("mine.", None),
    ],
)
def test_name_after_the_name_of_a_server_is_found(word: str, near: str | None) -> None:
    assert nearest(word, ["one", "add", "addition", "add.one", "two.one", ""]) == near


def test_empty_word_list_has_no_nearest_word() -> None:
    assert nearest("x", []) is None


@given(st.text(), st.lists(st.text()))
def test_nearest_word_is_in_the_list(word: str, words: list[str]) -> None:
    assert nearest(word, words) in {*words, None}


@given(st.lists(st.text(min_size=1), min_size=1))
def test_listed_word_is_its_own_nearest_word(words: list[str]) -> None:
    near = nearest(words[0], words)

    assert near is not None
    assert near.lower() == words[0].lower()


def test_did_you_mean_formats_the_nearest_word() -> None:
    assert did_you_mean("metod", ["method"]) == " (did you mean method?)"
    assert did_you_mean("x", ["method"]) == ""


def test_only_a_misspelled_word_is_similar() -> None:
    assert is_similar("--timeot", ["--timeout", "--era"])
    assert not is_similar("--message", ["--max-message-bytes"])
