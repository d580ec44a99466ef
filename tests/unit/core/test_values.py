"""Values are looked at with care."""

import pytest

from mcpi.core.values import Json, as_list, as_object, as_text, has_bytes, type_name

VALUES: list[Json] = [None, True, 0, 1.5, "text", [1], {"a": 1}]


def test_only_an_object_is_taken_as_an_object() -> None:
    assert [as_object(value) for value in VALUES] == [{}, {}, {}, {}, {}, {}, {"a": 1}]


def test_only_an_array_is_taken_as_an_array() -> None:
    assert [as_list(value) for value in VALUES] == [[], [], [], [], [], [1], []]


def test_only_a_string_is_taken_as_text() -> None:
    assert [as_text(value) for value in VALUES] == ["", "", "", "", "text", "", ""]


def test_only_a_lone_surrogate_has_no_bytes() -> None:
    assert [has_bytes(text) for text in ("", "a", "é €", "\U0001f600", "\ud800", "a\udcff")] == [
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
def test_a_type_is_called_as_json_calls_it(value: Json, name: str) -> None:
    assert type_name(value) == name
