"""The JavaScript that is brought along; what it does is seen by the integration tests, on Node.js."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import VALUES
from mcpi.core.debugger.inspector.recorder_js import (
    BINDING,
    DIRECT,
    HELPER,
    MAPPED,
    as_expression,
    as_statements,
    compile_error,
    condition,
    on_pause,
    parse_payload,
    recorder_script,
)
from mcpi.core.jsontext.portable import MAX_DEPTH, TOO_DEEP, make_portable
from mcpi.core.jsontext.values import Json, JsonObject


@given(st.text())
def test_an_expression_stands_in_parentheses_and_its_comment_ends(source: str) -> None:
    assert as_expression(source) == f"({source}\n)"


@given(st.text())
def test_statements_are_a_literal_that_nothing_in_them_can_end(source: str) -> None:
    form = as_statements(source)

    assert (form[:5], form[-1]) == ("eval(", ")")
    assert json.loads(form[5:-1]) == source
    assert form.isascii()


@given(st.text(), st.sampled_from([DIRECT, MAPPED]))
def test_a_condition_evaluates_its_expression_once_and_never_stops(source: str, tag: str) -> None:
    form = as_expression(source)
    text = condition(tag, form)

    head = f"if(typeof {HELPER}!=='object')true;else{{if({HELPER}.more())try{{{HELPER}.value('{tag}',"
    assert text == f"{head}{form})}}catch(e){{{HELPER}.error('{tag}',e)}}false}}"


def test_where_the_recorder_is_missing_the_frame_is_asked_with_an_encoder_of_its_own() -> None:
    text = on_pause("(x\n)")

    assert HELPER not in text
    assert text.endswith(".error(e)}")
    assert text.count("(x\n)") == 1


def test_the_recorder_takes_the_binding_away_and_counts() -> None:
    text = recorder_script(7)

    assert f"delete globalThis.{BINDING};" in text
    assert "let left = 7;" in text
    assert (
        f"Object.defineProperty(globalThis, '{HELPER}', {{value: Object.freeze(record), configurable: true}});" in text
    )


def told(description: str) -> JsonObject:
    details: JsonObject = {"text": "Uncaught", "exception": {"description": description}}
    return {"id": 1, "result": {"exceptionDetails": details}}


def test_what_compiles_is_not_complained_of() -> None:
    assert compile_error({"id": 1, "result": {}}) is None


def test_a_complaint_is_one_line() -> None:
    assert compile_error(told("SyntaxError: Unexpected token ')'\n    at x")) == "SyntaxError: Unexpected token ')'"
    assert compile_error({"result": {"exceptionDetails": {"text": "Uncaught SyntaxError"}}}) == "Uncaught SyntaxError"


@pytest.mark.parametrize(
    "sentence",
    [
        "SyntaxError: Private field '#x' must be declared in an enclosing class",
        "SyntaxError: 'super' keyword unexpected here",
        "SyntaxError: new.target expression is not allowed here",
    ],
)
def test_what_exists_only_in_the_frame_is_left_to_the_frame(sentence: str) -> None:
    assert compile_error(told(sentence)) is None


@given(VALUES)
def test_a_result_is_its_value_where_that_needs_no_care(value: Json) -> None:
    payload = json.dumps({"type": "object", "value": make_portable(value)})

    assert parse_payload(payload) == {"type": "object", "value": make_portable(value)}


@pytest.mark.parametrize("payload", ['{"value":"a\\ud83dz"}', '{"value":"a\ud83dz"}', '{"value":"a\\uDC00z"}'])
def test_half_a_character_is_replaced(payload: str) -> None:
    assert parse_payload(payload) == {"value": "a\ufffdz"}


def test_whole_characters_stay() -> None:
    assert parse_payload('{"value":"\\ud83d\\ude00"}') == {"value": "\U0001f600"}


def test_a_number_beyond_all_numbers_is_a_word() -> None:
    assert parse_payload('{"value":[1e999,-1e999]}') == {"value": ["Infinity", "-Infinity"]}


def test_a_value_without_end_is_cut() -> None:
    deep = parse_payload('{"value":' + "[" * 50_000 + "]" * 50_000 + "}")["value"]
    levels = 0
    while isinstance(deep, list):
        deep, levels = deep[0], levels + 1

    assert (deep, levels) == (TOO_DEEP, MAX_DEPTH)


def test_a_long_flat_value_is_kept() -> None:
    flat = {"value": list(range(200))}

    assert parse_payload(json.dumps(flat)) == flat


def test_a_wide_value_is_kept() -> None:
    wide = {"value": [[1]] * 200}

    assert parse_payload(json.dumps(wide)) == wide


def test_what_is_no_json_is_told_as_an_error() -> None:
    assert parse_payload("") == {"type": "error", "value": "[Unserializable: ]"}
