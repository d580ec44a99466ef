"""Comments and trailing commas are replaced by spaces."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.comments import without_comments


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
