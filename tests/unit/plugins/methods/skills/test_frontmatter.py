"""The front matter of a SKILL.md file is parsed with the core schema of YAML."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, nested
from mcpi.core.jsontext.values import Json
from mcpi.plugins.methods.skills.frontmatter import MAX_DEPTH, MAX_LENGTH, parse_frontmatter


def front_matter(*lines: str) -> Json:
    return parse_frontmatter("\n".join(("---", *lines, "---", "", "Body.")))


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("a: word", "word"),
        ("a: it's # a comment", "it's"),
        ("a: 'it''s'", "it's"),
        ("a: ''", ""),
        ('a: "b\\n"', "b\n"),
        ('a: "\\ud83d\\ude00 \\ud83d"', "\U0001f600 \ud83d"),
        ("a: http://x.example/y", "http://x.example/y"),
        ("a: [x, 2, y z]", ["x", 2, "y z"]),
        ('a: ["x", 2,]', ["x", 2]),
        ("a: []", []),
        ('a: {"b": 1}', {"b": 1}),
        ("a: {b: {c: d}, e, f: [g]}", {"b": {"c": "d"}, "e": None, "f": ["g"]}),
        ("'a': b", "b"),
        ('"a": b', "b"),
        ("a  : b", "b"),
        ("? a\n: b", "b"),
        ("a: !!str 1.0", "1.0"),
        ("a: ! 1", "1"),
        ("a: &anchor x", "x"),
    ],
)
def test_values_are_parsed_as_yaml(line: str, value: Json) -> None:
    assert front_matter(line) == {"a": value}


@pytest.mark.parametrize("text", ["", " null", " Null", " NULL", " ~", " # nothing"])
def test_an_empty_value_is_null(text: str) -> None:
    assert front_matter(f"a:{text}") == {"a": None}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("1", 1),
        ("+7", 7),
        ("-017", -17),
        ("0o17", 15),
        ("0x1F", 31),
        ("9" * 100, int("9" * 100)),
        ("-1.5", -1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("1.5E-3", 0.0015),
    ],
)
def test_plain_text_is_typed_by_the_core_schema(text: str, value: Json) -> None:
    assert json.dumps(front_matter(f"a: {text}")) == json.dumps({"a": value})


@pytest.mark.parametrize(
    "text", ["2026-01-31", "2026-01-31T12:00:00Z", "yes", "on", "1:30", "1_000", "0b1", "-0x1", "1.2.3", "e3", "."]
)
def test_values_typed_only_in_yaml_1_1_are_strings(text: str) -> None:
    assert front_matter(f"a: {text}") == {"a": text}


@pytest.mark.parametrize(
    ("mark", "value"),
    [
        ("|", "One\ntwo.\n\nThree.\n"),
        ("|-", "One\ntwo.\n\nThree."),
        (">", "One two.\nThree.\n"),
        (">-", "One two.\nThree."),
    ],
)
def test_a_block_scalar_keeps_or_folds_its_lines(mark: str, value: str) -> None:
    assert front_matter(f"a: {mark}", "  One", "  two.", "", "  Three.", "b: c") == {"a": value, "b": "c"}


def test_plain_scalar_may_continue_on_the_next_line() -> None:
    assert front_matter("a: One", "  two.") == {"a": "One two."}


def test_mappings_and_lists_nest() -> None:
    assert front_matter("a:", "  b: 1", "", "  c:", "    d: x", "# aside", "e:", "  - x", "  - 'y'", "f: z") == {
        "a": {"b": 1, "c": {"d": "x"}},
        "e": ["x", "y"],
        "f": "z",
    }


def test_a_list_needs_no_indentation() -> None:
    assert front_matter("a:", "- b", "- c: d", "  e: f", "- - g", "h: i") == {
        "a": ["b", {"c": "d", "e": "f"}, ["g"]],
        "h": "i",
    }


def test_scalar_key_is_converted_to_its_json_text() -> None:
    assert front_matter("80: a", "true: b", "~: c", "1.5: d") == {"80": "a", "true": "b", "null": "c", "1.5": "d"}


def test_a_merge_key_is_an_ordinary_key() -> None:
    assert front_matter("<<: {a: b}") == {"<<": {"a": "b"}}


@pytest.mark.parametrize(
    "line",
    [
        "a: several words, and: no",
        "a: 'open",
        'a: "open',
        "a: [open",
        "a: @b",
        "\ta: b",
        "a: \x07",
        'a: "\\UFFFFFFFF"',
        'a: "\\U00110000"',
        "%YAML 1.2",
        "no member",
        "- a",
        "a: b\n...\nc: d",
        "a: b\n   c: d",
        "  a: b\nc: d",
        "a:\n  - b\n  c: d",
    ],
)
def test_text_that_is_not_a_yaml_mapping_is_rejected(line: str) -> None:
    assert front_matter(line) is None


@pytest.mark.parametrize(
    "line", ["a: !!int 3", "a: !b c", "a: !!set {b}", "a: .inf", "a: -.INF", "a: .nan", "a: 1e999", "? [a]\n: b"]
)
def test_value_without_json_equivalent_is_rejected(line: str) -> None:
    assert front_matter(line) is None


@pytest.mark.parametrize("line", ["a: b\na: b", "a: {b: 1, 'b': 2}", '1: a\n"1": b'])
def test_a_duplicate_key_is_invalid(line: str) -> None:
    assert front_matter(line) is None


def test_an_alias_is_not_expanded() -> None:
    bomb = [
        f"{name}: &{name} [{', '.join([f'*{last}'] * 9)}]" for last, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]

    assert front_matter("a: &a x", *bomb) is None
    assert front_matter("a: &a [*a]") is None


@pytest.mark.parametrize("text", ["", "# A skill", "---\na: b\n", "text\n---\na: b\n---\n"])
def test_missing_front_matter_returns_none(text: str) -> None:
    assert parse_frontmatter(text) is None


def test_front_matter_may_be_empty() -> None:
    assert front_matter() == {}
    assert front_matter("# nothing") == {}


def test_byte_order_mark_and_crlf_are_accepted() -> None:
    assert parse_frontmatter("\ufeff---\r\na: b\r\nc: |\r\n  d\r\n  e\r\n---\r\n") == {"a": "b", "c": "d\ne\n"}


@given(st.text())
def test_any_text_gives_a_mapping_or_none(text: str) -> None:
    found = parse_frontmatter(f"---\n{text}\n---\n")

    assert found is None or isinstance(found, dict)


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers() | st.none() | st.booleans()))
def test_json_objects_are_parsed(members: dict[str, Json]) -> None:
    assert front_matter(json.dumps(members)) == members


def test_front_matter_has_a_maximum_length() -> None:
    assert front_matter("#" * (MAX_LENGTH - 1)) == {}
    assert front_matter("#" * MAX_LENGTH) is None


def test_front_matter_has_a_maximum_depth() -> None:
    assert front_matter(f"a: {nested(MAX_DEPTH - 1)}") == {"a": json.loads(nested(MAX_DEPTH - 1))}
    assert front_matter(f"a: {nested(MAX_DEPTH)}") is None
    assert front_matter(f"a: {nested(DEEP)[: MAX_LENGTH - 10]}") is None
    assert front_matter("".join(f"{' ' * level}a:\n" for level in range(MAX_DEPTH + 1))) is None


@pytest.mark.parametrize("text", ["9" * 5000, "-" + "9" * 5000])
def test_number_with_too_many_digits_is_rejected(text: str) -> None:
    assert front_matter(f"a: {text}") is None
