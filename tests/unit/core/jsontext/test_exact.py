"""JSON values are parsed, and keep their original spelling for output."""

import json
import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given

from json_texts import DEEP, LONG, NEARLY, TEXTS, VALUES, depth_of, exact, nested
from mcpi.core.jsontext.exact import (
    LARGE,
    Exact,
    JsonSyntaxProblem,
    Printable,
    parse_json_at,
    parse_json_text,
    split_members,
    to_plain,
)
from mcpi.core.jsontext.nesting import MAX_DEPTH
from mcpi.core.jsontext.values import Json, escape_surrogates
from mcpi.core.jsontext.writing import dump


def reject_constant(literal: str) -> None:
    raise ValueError(literal)


def loads(text: str) -> Json:
    """Parse with the json module, rejecting NaN and Infinity."""
    value: Json = json.loads(text, parse_constant=reject_constant)
    return value


def verbatim(text: str) -> Any:
    """The value with its members in order and each number as text."""
    return json.loads(text, object_pairs_hook=list, parse_int=repr, parse_float=repr)


def test_parsed_value_keeps_its_source_text() -> None:
    assert parse_json_text('{"a": 1.10}') == Exact('{"a": 1.10}', {"a": 1.1})


@pytest.mark.parametrize("text", ["[1, 2]", " [1, 2]", "[1, 2]\n", " \t[1, 2]\r\n"])
def test_surrounding_whitespace_is_stripped(text: str) -> None:
    assert parse_json_text(text) == Exact("[1, 2]", [1, 2])


@given(TEXTS)
def test_parser_agrees_with_json_module(text: str) -> None:
    assert repr(exact(text).value) == repr(loads(text))


@given(NEARLY)
@example("-")
@example("[-Infinity]")
@example('"\x00"')
@example("\ufeff{}")
@example("1\u00a0")
def test_parser_rejects_what_json_module_rejects(text: str) -> None:
    try:
        expected = repr(loads(text))
    except ValueError:
        assert isinstance(parse_json_text(text), JsonSyntaxProblem)
    else:
        assert repr(exact(text).value) == expected


@pytest.mark.parametrize(
    ("text", "unreadable"),
    [
        ("", JsonSyntaxProblem("a value is missing", 0)),
        ("  ", JsonSyntaxProblem("a value is missing", 2)),
        ("[1, x]", JsonSyntaxProblem("a value is missing", 4)),
        ("{} {}", JsonSyntaxProblem("more text after the value", 3)),
        ('["NaN", NaN]', JsonSyntaxProblem("NaN is not JSON", 8)),
        (' ["-Infinity", -Infinity]', JsonSyntaxProblem("-Infinity is not JSON", 15)),
        ("Infinity", JsonSyntaxProblem("Infinity is not JSON", 0)),
        ('"\n"', JsonSyntaxProblem("Invalid control character at", 1)),
        (f"[{LONG}, x]", JsonSyntaxProblem("a value is missing", 5003)),
    ],
)
def test_invalid_json_is_reported_with_its_position(text: str, unreadable: JsonSyntaxProblem) -> None:
    assert parse_json_text(text) == unreadable


def test_eight_hundred_levels_are_read() -> None:
    value = exact(nested(DEEP)).value

    assert depth_of(value) == DEEP


@pytest.mark.parametrize("text", [LONG, f"-{LONG}", f'{{"a": [{LONG}, 1]}}', f"[{LONG}, {nested(DEEP)}]"])
def test_an_integer_of_any_length_is_read(text: str) -> None:
    assert exact(text).text == text


def test_oversized_integer_is_parsed_as_infinity() -> None:
    assert exact(f"[1, {LONG}, -{LONG}]").value == [1, float("inf"), float("-inf")]


def test_a_lone_surrogate_is_read_as_an_escape() -> None:
    assert parse_json_text('["é\udcff"]') == Exact(r'["é\udcff"]', ["é\udcff"])


def test_members_keep_order_and_spelling() -> None:
    members = exact('{ "b" : 1.10 , "a":[ 1 ],"\\u0063": null }').members()

    assert list(members.items()) == [
        ("b", Exact("1.10", 1.1)),
        ("a", Exact("[ 1 ]", [1])),
        ("c", Exact("null", None)),
    ]


def test_last_duplicate_member_wins() -> None:
    assert exact('{"a": 1, "b": 2, "a": 3}').members() == {"a": Exact("3", 3), "b": Exact("2", 2)}


@pytest.mark.parametrize("text", ["[]", '"{}"', "1", "null", "{}", "{ }", "\n{\n}\n"])
def test_values_without_members_return_an_empty_dict(text: str) -> None:
    assert exact(text).members() == {}


def test_elements_keep_order_and_spelling() -> None:
    assert exact('[ 1.0,\n{"a":1} , "x"]').elements() == [
        Exact("1.0", 1.0),
        Exact('{"a":1}', {"a": 1}),
        Exact('"x"', "x"),
    ]


@pytest.mark.parametrize("text", ["{}", '"[]"', "1", "null", "[]", "[ ]"])
def test_values_without_elements_return_an_empty_list(text: str) -> None:
    assert exact(text).elements() == []


@given(TEXTS)
def test_each_part_equals_the_value_of_its_text(text: str) -> None:
    whole = exact(text)
    parts = [*whole.members().values(), *whole.elements()]

    assert [repr(part.value) for part in parts] == [repr(loads(part.text)) for part in parts]


@given(TEXTS)
def test_parts_cover_the_whole_value(text: str) -> None:
    whole = exact(text)

    match whole.value:
        case dict():
            assert {name: part.value for name, part in whole.members().items()} == whole.value
        case list():
            assert [part.value for part in whole.elements()] == whole.value
        case _:
            assert (whole.members(), whole.elements()) == ({}, [])


@pytest.mark.parametrize(
    ("text", "problem", "position"),
    [
        ("{", "a member's name is missing", 1),
        ("{1: 2}", "a member's name is missing", 1),
        ('{"a": 1,}', "a member's name is missing", 8),
        ('{"a" 1}', "':' is missing", 4),
        ('{"a":}', "a value is missing", 5),
        ('{"a": 1', "',' or '}' is missing", 7),
        ('{"a": 1]', "',' or '}' is missing", 7),
        ('{"a": 1} x', "more text after the object", 9),
        ("{} x", "more text after the object", 3),
        ("{}x", "more text after the object", 2),
        ('{"a": NaN}', "NaN is not JSON", 6),
    ],
)
def test_malformed_object_is_reported_with_its_position(text: str, problem: str, position: int) -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        split_members(text)

    assert (raised.value.msg, raised.value.pos) == (problem, position)


@given(NEARLY.map("{{{}".format) | NEARLY.map('{{"a":{}'.format) | NEARLY.map('{{"a":{}}}'.format))
def test_split_members_agrees_with_json_module(text: str) -> None:
    try:
        expected = repr(loads(text))
    except ValueError:
        with pytest.raises(json.JSONDecodeError):
            split_members(text)
    else:
        assert repr({name: part.value for name, part in split_members(text).items()}) == expected


@pytest.mark.parametrize(
    ("text", "escape"),
    [("é", "é"), ('"\ud800"', r'"\ud800"'), ('"a\udfff\udc00"', r'"a\udfff\udc00"'), (r'"\ud800"', r'"\ud800"')],
)
def test_lone_surrogates_become_escapes(text: str, escape: str) -> None:
    assert escape_surrogates(text) == escape


@given(VALUES)
def test_to_plain_leaves_plain_values_unchanged(value: Json) -> None:
    assert to_plain(value) == value


@pytest.mark.parametrize(
    ("value", "unspelled"),
    [
        (exact('{"a": 1.10}'), {"a": 1.1}),
        ({"a": [exact("1.10"), "text", None, True, exact("[1]")]}, {"a": [1.1, "text", None, True, [1]]}),
        ((1, ("ab", exact("2"))), [1, ["ab", 2]]),
    ],
)
def test_to_plain_drops_the_spelling(value: Printable, unspelled: Json) -> None:
    assert to_plain(value) == unspelled


def test_to_plain_accepts_ten_thousand_levels() -> None:
    value: Printable = exact("1.10")
    for _ in range(10_000):
        value = {"a": [value]}

    assert dump(to_plain(value)) == '{"a":[' * 10_000 + "1.1" + "]}" * 10_000


TOO_DEEP = nested(MAX_DEPTH + 1)


def test_too_deeply_nested_text_is_rejected() -> None:
    assert parse_json_text(f" {TOO_DEEP}") == JsonSyntaxProblem("nested deeper than 1000 levels", 1)
    assert parse_json_at(TOO_DEEP, 0) is None


def test_splitting_an_object_beyond_the_nesting_limit_is_a_syntax_error() -> None:
    with pytest.raises(json.JSONDecodeError, match="nested deeper than 1000 levels"):
        split_members('{"a":' + nested(100_000) + "}", too_deep=False)


def test_too_deeply_nested_object_is_still_split() -> None:
    text = f'{{"a": [1], "deep" : {TOO_DEEP} ,"s":"]}}","object":{{"b":{TOO_DEEP}}}}}'
    members = split_members(text)

    assert [(name, part.text) for name, part in members.items()] == [
        ("a", "[1]"),
        ("deep", TOO_DEEP),
        ("s", '"]}"'),
        ("object", f'{{"b":{TOO_DEEP}}}'),
    ]
    assert Exact(text).value == {"a": [1], "deep": [], "s": "]}", "object": {}}
    assert members["object"].value == {"b": []}
    assert (members["deep"].value, members["deep"].elements()) == ([], [])


def test_malformed_too_deeply_nested_object_has_no_members() -> None:
    broken = Exact(f'{{"a": {TOO_DEEP} x}}')

    assert (broken.members(), broken.value, broken.get("a")) == ({}, {}, None)


def test_unclosed_object_is_reported() -> None:
    with pytest.raises(json.JSONDecodeError, match="missing closing bracket"):
        split_members('{"a":' + "[" * 2000)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("{}", "object"), ("[]", "array"), ('""', "string"), ("-1", "number"), ("true", "boolean"), ("null", "null")],
)
def test_kind_is_read_from_the_text_without_parsing(text: str, kind: str) -> None:
    assert Exact(text).kind == kind


def test_get_finds_a_member_before_and_after_parsing() -> None:
    assert [one.get("a") for one in (exact('{"a": [1]}'), Exact('{"a": [1]}'), Exact("[]"), exact("[]"))] == [
        *([1], [1]),
        *(None, None),
    ]


def test_values_are_equal_if_their_text_is_equal() -> None:
    assert (Exact("1", 1), hash(Exact("1"))) == (Exact("1"), hash("1"))
    assert Exact("1") != Exact("1.0")
    assert Exact("1") != "1"


LARGE_TEXT = "x" * LARGE


def test_get_finds_escaped_member_names_in_large_text() -> None:
    plain, escaped = exact(f'{{"a":"{LARGE_TEXT}","b":1}}'), exact(f'{{"a":"{LARGE_TEXT}","\\u0062":1}}')

    assert [(one.get("b"), one.get("c")) for one in (plain, escaped)] == [(1, None), (1, None)]


def test_get_needs_little_memory_for_other_members() -> None:
    members = ",".join(f'"{number}":1' for number in range(LARGE // 4))
    text = f'{{"jsonrpc":"2.0",{members},"isError":true}}'
    whole = exact(text)
    tracemalloc.start()
    assert whole.get("isError") is True
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 2 * len(text)


@pytest.mark.parametrize(("text", "value"), [("[1", []), ('{"a"', {})])
def test_value_that_the_parser_cannot_read_is_empty(text: str, value: Json) -> None:
    assert Exact(text).value == value


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="the limit does not apply to the parser")
@pytest.mark.parametrize(("text", "value"), [("[" * 500 + "]" * 500, []), ('{"a":' * 500 + "1" + "}" * 500, {})])
def test_value_beyond_the_recursion_limit_is_empty(text: str, value: Json) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        assert Exact(text).value == value
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize("more", ["", r'"\ud800"', r'"\ufffd", "\ud83d\ude00", "\\udc00"'])
def test_large_text_is_split_like_small_text(more: str) -> None:
    text = f'{{"a" : ["{LARGE_TEXT}", 1.10, {more or 0}], "b":{{}}, "a": [ "{LARGE_TEXT}", 1e400, {more or 0} ]}}'
    whole = exact(f" {text}\n")
    parts = whole.members()

    assert whole.text == text
    assert [*parts] == ["a", "b"]
    assert parts["a"].text == f'[ "{LARGE_TEXT}", 1e400, {more or 0} ]'
    assert [one.text for one in parts["a"].elements()] == [f'"{LARGE_TEXT}"', "1e400", *(more or "0").split(", ")]
    assert (whole.get("b"), whole.value) == ({}, loads(text))


@pytest.mark.parametrize(
    ("text", "problem", "position"),
    [
        (f'["{LARGE_TEXT}", 01]', "invalid number", LARGE + 6),
        (f'["é{LARGE_TEXT}", tru]', "invalid character", LARGE + 7),
        (f'["{LARGE_TEXT}"', "Input data was truncated", LARGE + 3),
        (rf'["\ud800{LARGE_TEXT}", 01]', "invalid number", LARGE + 12),
    ],
)
def test_invalid_large_text_is_reported_with_its_position(text: str, problem: str, position: int) -> None:
    assert parse_json_text(text) == JsonSyntaxProblem(problem, position)
