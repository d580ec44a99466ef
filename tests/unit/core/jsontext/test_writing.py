"""Values are written as JSON; text received from the server keeps its tokens."""

import json
from collections import deque
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, LONG, TEXTS, VALUES, exact, nested
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.indentation import compact, indent
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump, pretty, text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a", '"a"'),
        ('"\\\n\t\x00', r'"\"\\\n\t\u0000"'),
        ("é\u2028😀", '"é\u2028😀"'),
        ("\ud800", r'"\ud800"'),
        ("é\udfff", r'"é\udfff"'),
    ],
)
def test_a_string_is_written_as_json(value: str, written: str) -> None:
    assert text(value) == written


@given(st.text(st.characters(), max_size=1) | st.text())
def test_written_string_round_trips(value: str) -> None:
    assert json.loads(text(value)) == value
    assert text(value).encode()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (2**70, "1180591620717411303424"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (1e16, "1e+16"),
        (float("inf"), "1e999"),
        (float("-inf"), "-1e999"),
        (float("nan"), "null"),
        ({}, "{}"),
        ([], "[]"),
        ((), "[]"),
        ([1, [2, []], {}], "[1,[2,[]],{}]"),
        ({"b": 1, "a": {"c": [True, None]}, "é": "x"}, '{"b":1,"a":{"c":[true,null]},"é":"x"}'),
        (((1, 2), "ab"), '[[1,2],"ab"]'),
    ],
)
def test_a_value_is_written_on_one_line(value: Printable, written: str) -> None:
    assert dump(value) == written


@given(VALUES)
def test_dump_matches_json_module_output(value: Json) -> None:
    assert dump(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_exact_values_are_written_with_their_original_tokens() -> None:
    ours: Printable = {"ours": [exact('{ "n" : 1.10,\n "n" : 1e400 }'), 1.1], "big": exact(LONG)}

    assert dump(ours) == f'{{"ours":[{{"n":1.10,"n":1e400}},1.1],"big":{LONG}}}'


@given(TEXTS)
def test_exact_value_is_compacted_alone_and_nested(written: str) -> None:
    theirs = exact(written)

    assert (dump(theirs), dump([theirs])) == (compact(theirs.text), f"[{compact(theirs.text)}]")


def test_a_value_of_ten_thousand_levels_is_written() -> None:
    assert dump(exact(nested(DEEP)).value) == nested(DEEP)


def test_pretty_json_is_indented_by_two_spaces() -> None:
    assert pretty({"a": [1, exact("1.10")], "b": {}}) == '{\n  "a": [\n    1,\n    1.10\n  ],\n  "b": {}\n}'


@given(TEXTS)
def test_exact_value_is_indented_alone_and_nested(written: str) -> None:
    theirs = exact(written)

    assert (pretty(theirs), pretty([theirs])) == (indent(theirs.text), f"[\n  {indent(theirs.text, depth=1)}\n]")


def test_any_mapping_and_sequence_type_is_written() -> None:
    value: Printable = {"a": MappingProxyType({"b": deque([exact("1.50"), (2,)])})}

    assert dump(value) == '{"a":{"b":[1.50,[2]]}}'


def test_string_equal_to_the_internal_placeholder_is_unchanged() -> None:
    mark = '"\\u0000mcpi"'
    value: Printable = ["\0mcpi", exact("1.50"), {"\0mcpi": ("\0mcpi", exact(mark))}]

    assert dump(value) == f"[{mark},1.50,{{{mark}:[{mark},{mark}]}}]"


def test_infinity_is_written_beside_exact_numbers() -> None:
    assert dump({"a": [float("inf"), exact("1.50"), 0.1, None]}) == '{"a":[1e999,1.50,0.1,null]}'
