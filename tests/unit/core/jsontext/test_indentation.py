"""JSON is indented or compacted without changing any token."""

import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from json_texts import LONG, SPACES, STRINGS, TEXTS, VALUES, nested
from mcpi.core.jsontext.exact import LARGE
from mcpi.core.jsontext.indentation import ALWAYS_INDENTED, MAX_GROWTH, IndentedLines, compact, indent, indent_part
from mcpi.core.jsontext.nesting import MAX_DEPTH
from mcpi.core.jsontext.values import Json


def verbatim(text: str) -> Any:
    """The value with its members in order and each number as text."""
    return json.loads(text, object_pairs_hook=list, parse_int=repr, parse_float=repr)


def test_indent_puts_one_member_on_each_line() -> None:
    assert indent('{"b":1.10,"a":[1e400,{}, [ ],"x: y, z"],"a":{"c":null}}') == (
        '{\n  "b": 1.10,\n  "a": [\n    1e400,\n    {},\n    [],\n    "x: y, z"\n  ],\n  "a": {\n    "c": null\n  }\n}'
    )


def test_indent_accepts_a_starting_depth() -> None:
    assert indent("[1]", depth=1) == "[\n    1\n  ]"


@given(VALUES)
def test_indent_matches_json_module_output(value: Json) -> None:
    assert indent(json.dumps(value)) == json.dumps(value, indent=2)


def test_indent_handles_more_distinct_numbers_than_are_cached() -> None:
    rows: Json = [{"id": number, "name": "x", "part": number / 7} for number in range(2000)]

    assert indent(json.dumps(rows)) == json.dumps(rows, indent=2)


@given(TEXTS)
def test_indenting_keeps_every_token(text: str) -> None:
    assert verbatim(indent(text)) == verbatim(text)


@given(TEXTS)
def test_compacting_keeps_every_token(text: str) -> None:
    assert verbatim(compact(text)) == verbatim(text)


@given(STRINGS, SPACES)
def test_string_spelling_is_preserved(string: str, space: str) -> None:
    assert (indent(f"[{space}{string}]"), compact(f"[\n{space}{string}]")) == (f"[\n  {string}\n]", f"[{string}]")


@given(TEXTS)
def test_compact_json_is_one_line(text: str) -> None:
    assert len(compact(text).split("\n")) == len(compact(text).split("\r")) == 1


@given(VALUES)
def test_compact_json_has_no_extra_whitespace(value: Json) -> None:
    narrow = json.dumps(value, separators=(",", ":"))

    assert (compact(json.dumps(value)), compact(json.dumps(value, indent=2))) == (narrow, narrow)


def test_compacting_single_line_json_returns_the_same_object() -> None:
    text = '{"a":[1,2],"b":"x y"}'

    assert compact(text) is text


@pytest.mark.parametrize("change", [indent, compact])
def test_deep_nesting_keeps_every_token(change: Any) -> None:
    text = nested(500, LONG)

    assert "".join(change(text).split()) == text


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1, 100_000])
def test_deeply_nested_text_that_would_grow_too_much_is_left_unindented(depth: int) -> None:
    text = f'{{"a": {nested(depth)}}}'

    assert (indent(text), compact(f"{{\n{text[1:]}")) == (text, f"{{{' ' * (depth >= MAX_DEPTH)}{text[1:]}")


def test_large_text_is_not_indented_beyond_four_times_its_size() -> None:
    row = json.dumps([[[[[[[0] * 20]]]]]] * 100)
    text = f"[{','.join([row] * 100)}]"
    small = f"[{row}]"

    assert len(indent(small)) > MAX_GROWTH * len(small)
    assert len(text) * MAX_GROWTH > ALWAYS_INDENTED
    assert indent(text) == text


@pytest.mark.parametrize("write", [indent, compact, lambda text: str(IndentedLines(text))])
def test_many_strings_with_a_lone_surrogate_need_little_memory(write: Callable[[str], str]) -> None:
    text = r'["\ud800"' + ', ""' * LARGE + "]"
    tracemalloc.start()
    assert write(text)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 6 * len(text)


@pytest.mark.parametrize("more", ["", r'"\ud800"', r'"\ufffd","\ud83d\ude00","\\udc00"'])
@pytest.mark.parametrize("depth", [0, 1])
def test_large_text_is_formatted_like_small_text(more: str, depth: int) -> None:
    long = "x" * LARGE
    text = f'{{"a":[1.10,{{}},"LONG",{more or 0}]}}'
    large = text.replace("LONG", long)

    assert indent(large, depth) == indent(text, depth).replace("LONG", long)
    assert compact(indent(large)) == large


def test_a_string_of_a_million_escapes_is_one_token() -> None:
    text = '"' + r"\n" * 1_000_000 + '"'

    assert (indent(text), compact(f"[ {text}, 1]")) == (text, f"[{text},1]")


@pytest.mark.parametrize(
    "text",
    [
        '{"content":[{"text":"LONG"}],"n":1.10}',
        '["LONG","\\\\\\"a, b: [c]\\\\",{}]',
        '["LONG","' + "\\\\" * 200 + '"]',
        '["LONG","' + '\\"' * 200 + '"]',
        '["LONG"' + ',"a"' * 200 + "]",
        "[1" + ",1" * LARGE + "]",
        '[1,"é😀"' + ',1,"é😀"' * LARGE + "]",
        '["\\ud800"' + ',{},""' * LARGE + "]",
        '"LONG"',
        nested(MAX_DEPTH + 1) + " " * LARGE,
    ],
)
def test_streamed_pieces_equal_the_indented_text(text: str) -> None:
    large = text.replace("LONG", "x" * (5 * LARGE))
    written = IndentedLines(large)

    assert str(written) == f"{indent(large)}\n"
    assert all(len(piece) <= 2 * LARGE for piece in written)


@pytest.mark.parametrize("count", [2, 5_000])
def test_part_is_indented_as_in_the_whole_text(count: int) -> None:
    shapes: dict[tuple[str, ...], list[str]] = {}
    for word in ("a", "b"):
        text = json.dumps([word] * count, separators=(",", ":"))

        assert indent_part(text, 1, shapes) == indent(text, depth=1)
