"""Helpers that inspect JSON values without assuming their type."""

import math

import pytest

from json_texts import DEEP, exact, nested
from mcpi.core.jsontext.values import (
    Json,
    as_list,
    as_object,
    as_text,
    is_multiple,
    is_utf8_encodable,
    json_equal,
    type_name,
)

VALUES: list[Json] = [None, True, 0, 1.5, "text", [1], {"a": 1}]


def test_as_object_returns_only_objects() -> None:
    assert [as_object(value) for value in VALUES] == [{}, {}, {}, {}, {}, {}, {"a": 1}]


def test_as_list_returns_only_arrays() -> None:
    assert [as_list(value) for value in VALUES] == [[], [], [], [], [], [1], []]


def test_as_text_returns_only_strings() -> None:
    assert [as_text(value) for value in VALUES] == ["", "", "", "", "text", "", ""]


def test_text_with_lone_surrogates_is_not_utf8_encodable() -> None:
    assert [is_utf8_encodable(text) for text in ("", "a", "é €", "\U0001f600", "\ud800", "a\udcff")] == [
        *([True] * 4),
        *([False] * 2),
    ]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "boolean"),
        (False, "boolean"),
        (0, "number"),
        (1.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_type_names_are_those_of_json(value: Json, name: str) -> None:
    assert type_name(value) == name


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        ("1", 1, False),
        ([1, [2]], [1, [2]], True),
        ([1], [1, 1], False),
        ({"a": None}, {"a": None}, True),
        ({"a": None}, {"b": None}, False),
        ({"a": [0]}, {"a": [False]}, False),
    ],
)
def test_json_equal_follows_json_semantics(left: Json, right: Json, *, equal: bool) -> None:
    assert json_equal(left, right) == equal


@pytest.mark.parametrize(
    ("value", "step", "is_one"),
    [
        (6, 3, True),
        (7, 3, False),
        (0.3, 0.1, True),
        (19.99, 0.01, True),
        (0.35, 0.1, False),
        (1.0, 1, True),
        (10**400, 7, False),
        pytest.param(10**5000, 0.1, True, id="5,001 digits"),
        (math.inf, 7, True),
        (1, math.inf, True),
    ],
)
def test_multiples_are_those_of_the_written_numbers(value: float, step: float, *, is_one: bool) -> None:
    assert is_multiple(value, step) is is_one


def test_json_equal_compares_deeply_nested_values() -> None:
    assert json_equal(exact(nested(DEEP)).value, exact(nested(DEEP)).value)
    assert not json_equal(exact(nested(DEEP, "1")).value, exact(nested(DEEP, "2")).value)
