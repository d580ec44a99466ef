"""Building blocks of other regular expressions."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.patterns import LITERAL, STRING


@given(st.text())
def test_string_pattern_matches_any_whole_json_string(text: str) -> None:
    for written in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
        assert re.fullmatch(STRING, written, re.DOTALL)


@pytest.mark.parametrize("text", ['"', '"a', '"\\"', 'a"', '"a"b"'])
def test_string_pattern_rejects_partial_strings(text: str) -> None:
    assert not re.fullmatch(STRING, text, re.DOTALL)


@pytest.mark.parametrize("text", ["1", "-1.5e9", "true", "null", "NaN"])
def test_literal_pattern_matches_numbers_and_literals(text: str) -> None:
    assert re.fullmatch(LITERAL, text)
