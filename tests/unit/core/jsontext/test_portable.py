"""Values received from a server are made safe for any JSON writer."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, depth_of, exact, nested
from mcpi.core.jsontext.portable import MAX_DEPTH, TOO_DEEP, make_portable
from mcpi.core.jsontext.values import Json

VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=20,
)


@given(VALUES)
def test_portable_value_is_encodable_as_utf_8_and_json(value: Json) -> None:
    json.dumps(make_portable(value), ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ("a\ud83dz", "a\ufffdz"),
        ({"\udc00": ["\U0001f600"]}, {"\ufffd": ["\U0001f600"]}),
        ([math.inf, -math.inf, 1.5], ["Infinity", "-Infinity", 1.5]),
    ],
)
def test_unencodable_text_and_infinities_are_replaced(value: Json, cleaned: Json) -> None:
    assert make_portable(value) == cleaned


def test_too_deeply_nested_value_is_truncated() -> None:
    cut = make_portable(exact(nested(DEEP)).value)

    assert depth_of(cut) == MAX_DEPTH + 1
    assert TOO_DEEP in json.dumps(cut)
