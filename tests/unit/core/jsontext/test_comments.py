"""Comments and trailing commas are replaced by spaces."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.comments import explained, located, repeated_key, without_comments
from mcpi.core.jsontext.exact import Exact, JsonSyntaxProblem, parse_json_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("[1, // one\n2]", "[1,       \n2]"),
        ("[1, /* one\n*/ 2]", "[1,       \n   2]"),
        ("[1, ]", "[1  ]"),
        ('{"a": 1, // last\n}', '{"a": 1         \n}'),
        ('{"a": "// no, }"}', '{"a": "// no, }"}'),
        ('["\\"// no"]', '["\\"// no"]'),
        ("[1, 2]", "[1, 2]"),
    ],
)
def test_comments_and_trailing_commas_become_spaces(text: str, plain: str) -> None:
    assert without_comments(text) == plain


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_valid_json_is_unchanged(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)

    assert without_comments(text) == text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[{"method":"tools/list",}]', "trailing comma at line 1, column 24"),
        ("[1,]", "trailing comma at line 1, column 3"),
        ('{\n "a": 1,\n}', "trailing comma at line 2, column 8"),
        ("[\n[1, 2 ,\n\t ]]", "trailing comma at line 2, column 7"),
        ("[1 2]", "Expecting ',' delimiter at line 1, column 4"),
        ("[", "a value is missing at line 1, column 2"),
        ("", "a value is missing at line 1, column 1"),
        ("[1,\n", "a value is missing at line 2, column 1"),
        ("{}\n []", "more text after the value at line 2, column 2"),
        ("{'a': 1}", "single quotes instead of double quotes at line 1, column 2"),
        ("[1,\n 'a']", "single quotes instead of double quotes at line 2, column 2"),
        ("[`a`]", "single quotes instead of double quotes at line 1, column 2"),
        ("{\u201ca\u201d: 1}", "typographic quotes instead of double quotes at line 1, column 2"),
        ('{"a": True}', "True instead of true at line 1, column 7"),
        ("[1, False]", "False instead of false at line 1, column 5"),
        ("[None]", "None instead of null at line 1, column 2"),
        ("{a: 1}", "a is not in double quotes at line 1, column 2"),
        ('{"a": Trueish}', "Trueish is not in double quotes at line 1, column 7"),
        ("[NaN]", "NaN is not JSON at line 1, column 2"),
        ("[1, // one\n 2]", "a comment, which JSON does not allow at line 1, column 5"),
        ("[1 // one\n, 2]", "a comment, which JSON does not allow at line 1, column 4"),
        ('{"a": 1 /* one */}', "a comment, which JSON does not allow at line 1, column 9"),
        ("[]\n# end", "a comment, which JSON does not allow at line 2, column 1"),
        ('["a', "Unterminated string starting at line 1, column 2"),
        ('["a"b]', "Expecting ',' delimiter at line 1, column 5"),
    ],
)
def test_problem_is_located_by_line_and_column(text: str, problem: str) -> None:
    found = parse_json_text(text)

    assert isinstance(found, JsonSyntaxProblem)
    assert located(found, text) == f"invalid JSON: {problem}"


@pytest.mark.parametrize("position", [6, 7, 8])
def test_trailing_comma_is_found_before_and_after_it(position: int) -> None:
    assert explained(JsonSyntaxProblem("?", position), '["a,]", ]') == JsonSyntaxProblem("trailing comma", 6)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1, "b": 2, "a": 1}', "the key 'a' is repeated"),
        ('{"a": 1, "\\u0061": 2}', "the key 'a' is repeated"),
        ('{"a": {"b": 1, "b": 2}, "b": [{"a": 1, "a": 2}]}', None),
        (f'{{"a": {"9" * 5000}}}', None),
        ("{}", None),
    ],
)
def test_repeated_key_of_an_object_is_found(text: str, problem: str | None) -> None:
    assert repeated_key(Exact(text)) == problem


def test_object_beyond_the_recursion_limit_is_not_searched() -> None:
    assert repeated_key(Exact(f'{{"a": 1, "a": {"[" * 1_000_000}{"]" * 1_000_000}}}')) is None
