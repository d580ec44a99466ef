"""The regular expressions that others are built from."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.patterns import LITERAL, STRING


@given(st.text())
def test_any_string_matches_whole(text: str) -> None:
    for written in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
        assert re.fullmatch(STRING, written, re.DOTALL)


@pytest.mark.parametrize("text", ['"', '"a', '"\\"', 'a"', '"a"b"'])
def test_half_a_string_does_not(text: str) -> None:
    assert not re.fullmatch(STRING, text, re.DOTALL)


@pytest.mark.parametrize("text", ["1", "-1.5e9", "true", "null", "NaN"])
def test_numbers_and_literals_match(text: str) -> None:
    assert re.fullmatch(LITERAL, text)
