"""The head of a SKILL.md is read as far as it is understood, and not beyond."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.values import Json
from mcpi.plugins.methods.skills.frontmatter import LONGEST, frontmatter


def head(*lines: str) -> Json:
    return frontmatter("\n".join(("---", *lines, "---", "", "Body.")))


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("a: word", "word"),
        ("a: several words, and: no", None),
        ("a: it's # a comment", "it's"),
        ("a: 'it''s'", "it's"),
        ('a: "b\\n"', "b\n"),
        ("a: http://x.example/y", "http://x.example/y"),
        ("a: 1", 1),
        ("a: -1.5", -1.5),
        ("a: 1.2.3", "1.2.3"),
        ("a: true", True),
        ("a: False", False),
        ("a: [x, 2, y z]", ["x", 2, "y z"]),
        ('a: ["x", 2]', ["x", 2]),
        ('a: {"b": 1}', {"b": 1}),
        ("a: []", []),
        ("'a': b", "b"),
        ('"a": b', "b"),
    ],
)
def test_a_value_is_what_yaml_says(line: str, value: Json) -> None:
    assert head(line) == (None if value is None else {"a": value})


@pytest.mark.parametrize("line", ["a:", "a: null", "a: ~", "a: # nothing"])
def test_nothing_is_null(line: str) -> None:
    assert head(line) == {"a": None}


def test_members_may_have_members_and_lists() -> None:
    assert head("a:", "  b: 1", "", "  c:", "    d: x", "# aside", "e:", "  - x", "  - 'y'", "f: z") == {
        "a": {"b": 1, "c": {"d": "x"}},
        "e": ["x", "y"],
        "f": "z",
    }


@pytest.mark.parametrize(
    "line",
    [
        "a: &anchor x",
        "a: *alias",
        "a: !!int 3",
        "a: |",
        "a: >-",
        "no member",
        "a: 'open",
        "a: '",
        'a: "open',
        "a: [b, {c}]",
        "- a",
    ],
)
def test_what_is_not_understood_is_not_guessed(line: str) -> None:
    assert head(line) is None


def test_lines_that_stand_nowhere_are_not_understood() -> None:
    assert head("a: b", "   c: d") is None
    assert head("  a: b", "c: d") is None
    assert head("a:", "  - b", "  c: d") is None


@pytest.mark.parametrize("text", ["", "# A skill", "---\na: b\n", "text\n---\na: b\n---\n"])
def test_without_a_head_there_is_none(text: str) -> None:
    assert frontmatter(text) is None


def test_a_head_may_be_empty() -> None:
    assert head("# nothing") == {}


def test_a_head_may_come_from_windows() -> None:
    assert frontmatter("\ufeff---\r\na: b\r\n---\r\n") == {"a": "b"}


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    found = frontmatter(f"---\n{text}\n---\n")

    assert found is None or isinstance(found, dict)


def test_a_head_longer_than_any_is_not_read() -> None:
    assert head("a: b\n" + "#" * LONGEST) is None
    assert head("".join(" " * level + "a:\n" for level in range(1000))) is None


def test_a_number_too_long_to_be_one_is_a_text() -> None:
    assert head("a: " + "9" * 5000) == {"a": "9" * 5000}


def test_a_name_is_read_without_the_spaces_behind_it() -> None:
    assert head("a  : b\nc d :\n") == {"a": "b", "c d": None}
