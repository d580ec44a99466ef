"""What was recorded becomes a value that any JSON writer can carry."""

import json

import pytest
from hypothesis import given

from json_texts import VALUES
from mcpi.core.inspector.shapes import shape
from mcpi.core.portable import DEEPEST, TOO_DEEP, clean
from mcpi.core.values import Json


@given(VALUES)
def test_a_result_is_its_value_where_that_needs_no_care(value: Json) -> None:
    payload = json.dumps({"type": "object", "value": clean(value)})

    assert shape(payload) == {"type": "object", "value": clean(value)}


@pytest.mark.parametrize("payload", ['{"value":"a\\ud83dz"}', '{"value":"a\ud83dz"}', '{"value":"a\\uDC00z"}'])
def test_half_a_character_is_replaced(payload: str) -> None:
    assert shape(payload) == {"value": "a\ufffdz"}


def test_whole_characters_stay() -> None:
    assert shape('{"value":"\\ud83d\\ude00"}') == {"value": "\U0001f600"}


def test_a_number_beyond_all_numbers_is_a_word() -> None:
    assert shape('{"value":[1e999,-1e999]}') == {"value": ["Infinity", "-Infinity"]}


def test_a_value_without_end_is_cut() -> None:
    deep = shape('{"value":' + "[" * 50_000 + "]" * 50_000 + "}")["value"]
    levels = 0
    while isinstance(deep, list):
        deep, levels = deep[0], levels + 1

    assert (deep, levels) == (TOO_DEEP, DEEPEST)


def test_a_long_flat_value_is_kept() -> None:
    flat = {"value": list(range(200))}

    assert shape(json.dumps(flat)) == flat


def test_a_wide_value_is_kept() -> None:
    wide = {"value": [[1]] * 200}

    assert shape(json.dumps(wide)) == wide


def test_what_is_no_json_is_told_as_an_error() -> None:
    assert shape("") == {"type": "error", "value": "[Unserializable: ]"}
