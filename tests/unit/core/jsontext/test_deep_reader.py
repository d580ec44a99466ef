"""JSON is read without recursion just as the json module reads it."""

import json
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import example, given

from json_texts import DEEP, LONG, NEARLY, TEXTS, depth_of, nested
from mcpi.core.jsontext.deep_reader import read_deep


def refuse(literal: str) -> None:
    raise ValueError(literal)


def loads(text: str) -> object:
    return json.loads(text, parse_constant=refuse)


@given(TEXTS)
def test_the_value_is_the_json_modules(text: str) -> None:
    value, end = read_deep(text, 0)

    assert (repr(value), end) == (repr(loads(text)), len(text.rstrip(" \t\r\n")))


@given(NEARLY.map("[{}]".format) | NEARLY.map("{{{}}}".format) | NEARLY.map('{{"a":{}}}'.format))
@example("[Infinity]")
@example('{"a"::1}')
@example('{"a" "b":1}')
@example('[1 "b":2]')
@example('{"a":1:"b":2}')
def test_what_the_json_module_refuses_is_refused(text: str) -> None:
    try:
        expected = repr(loads(text))
    except ValueError:
        with pytest.raises(json.JSONDecodeError):
            read_whole(text)
    else:
        assert repr(read_whole(text)) == expected


def test_of_five_tokens_in_any_order_it_makes_what_the_json_module_makes() -> None:
    texts = [" ".join(tokens) for tokens in product(["[", "{"], *[["", *'[]{},:1"', '"a"']] * 4)]

    assert [text for text in texts if outcome(read_whole, text) != outcome(loads, text)] == []


def outcome(reading: Callable[[str], object], text: str) -> str | None:
    try:
        return repr(reading(text))
    except json.JSONDecodeError:
        return None


def read_whole(text: str) -> object:
    value, end = read_deep(text, 0)
    if text[end:].strip(" \t\r\n"):
        raise json.JSONDecodeError("more text", text, end)
    return value


@pytest.mark.parametrize(
    ("text", "problem", "position"),
    [
        ("", "a value is missing", 0),
        ("]", "a value is missing", 0),
        ("}", "a value is missing", 0),
        (",", "a value is missing", 0),
        ("[1,", "a value is missing", 3),
        ("[1, ]", "a value is missing", 4),
        ("[}", "a value or end is missing", 1),
        ('{"a": 1 [', "a comma or end is missing", 8),
        ('{"a": 1, 2', "a name is missing", 9),
        ("{2", "a name or end is missing", 1),
        ("{[", "a name or end is missing", 1),
        ('{"a"}', "a colon is missing", 4),
        ('{"a":}', "a value is missing", 5),
        ("[1, NaN]", "NaN is not JSON", 4),
        ("[1, 01]", "01 is not JSON", 4),
        (r'{"a": 1, "\x": 2}', r'"\x" is not JSON', 9),
        ("[" + "x" * 50, "x" * 40 + " is not JSON", 1),
    ],
)
def test_what_is_missing_is_told_with_its_place(text: str, problem: str, position: int) -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        read_deep(text, 0)

    assert (raised.value.msg, raised.value.pos, raised.value.doc) == (problem, position, text)


def test_reading_begins_and_ends_where_the_value_does() -> None:
    assert read_deep('{"a": [1, {"b": 2}] , "c": 3}', 6) == ([1, {"b": 2}], 19)


def test_of_two_members_with_one_name_the_last_counts() -> None:
    assert read_deep('{"a": 1, "b": 2, "a": 3}', 0) == ({"a": 3, "b": 2}, 24)


def test_ten_thousand_levels_are_no_obstacle() -> None:
    value, end = read_deep(nested(DEEP, "1.5"), 0)

    assert (depth_of(value), end) == (DEEP, 2 * DEEP + 3)


def test_integers_keep_their_value_as_far_as_python_lets_them() -> None:
    assert read_deep(f"[{LONG[:3999]}, -{LONG[:3998]}, {LONG}, -{LONG}]", 0)[0] == [
        10**3999 - 1,
        1 - 10**3998,
        float("inf"),
        float("-inf"),
    ]
