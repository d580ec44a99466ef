"""The JavaScript that is brought along; what it does is seen by the integration tests, on Node.js."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import VALUES
from mcpi.core.debugger.inspector.recorder_js import (
    BINDING,
    HELPER,
    Form,
    Hit,
    as_async,
    as_expression,
    as_statements,
    compile_error,
    condition,
    on_pause,
    parse_hit,
    parse_payload,
    pause_condition,
    recorder_script,
)
from mcpi.core.flags.places import RecordingLimits
from mcpi.core.jsontext.portable import make_portable
from mcpi.core.jsontext.values import Json, JsonObject


@given(st.text())
def test_an_expression_stands_in_parentheses_and_its_comment_ends(source: str) -> None:
    assert as_expression(source) == Form(f"({source}\n)")
    assert as_async(source) == Form(f"(async()=>({source}\n))()", is_async=True)


@given(st.text())
def test_statements_are_a_literal_that_nothing_in_them_can_end(source: str) -> None:
    form = as_statements(source).text

    assert (form[:5], form[-1]) == ("eval(", ")")
    assert json.loads(form[5:-1]) == source
    assert form.isascii()


def test_a_condition_evaluates_each_expression_once_and_never_stops() -> None:
    text = condition([(0, as_expression("x")), (2, as_async("y"))])

    missing = f"typeof {HELPER}!=='object'"
    assert text == (
        f"try{{{HELPER}.value?.(0,(x\n))}}catch(e){{{missing}||{HELPER}.error(0,e)}}"
        f"try{{{HELPER}.later?.(2,(async()=>(y\n))())}}catch(e){{{missing}||{HELPER}.error(2,e)}}"
    )


def test_a_hit_counts_only_if_its_condition_is_true_and_an_error_of_the_condition_is_a_hit() -> None:
    text = condition([(0, Form("(x\n)", condition="n > 1"))])

    missing = f"typeof {HELPER}!=='object'"
    recorded = f"try{{{HELPER}.value?.(0,(x\n))}}catch(e){{{missing}||{HELPER}.error(0,e)}}"
    assert text == (
        f"if({missing})(n > 1\n);else{{"
        f"try{{if((n > 1\n)){{{recorded}}}}}catch(e){{{HELPER}.more()&&{HELPER}.error(0,e)}}"
        "false}"
    )


def test_a_program_pauses_only_if_the_condition_is_true() -> None:
    below_limit = f"typeof {HELPER}!=='object'||{HELPER}.more()"
    assert pause_condition(Form("x")) == below_limit
    assert pause_condition(Form("x", condition="n > 1")) == f"(n > 1\n)&&({below_limit})"


def test_a_frame_is_asked_only_if_the_condition_is_true() -> None:
    text = on_pause(as_expression("x"), RecordingLimits(), "n > 1")

    assert (text.startswith("(n > 1\n)?"), text.endswith(":''")) == (True, True)


def test_where_the_recorder_is_missing_the_frame_is_asked_with_an_encoder_of_its_own() -> None:
    text = on_pause(as_expression("x"), RecordingLimits(value_bytes=99))

    assert HELPER not in text
    assert text.endswith("(99),()=>(x\n))")


def test_the_recorder_takes_the_binding_away_and_counts() -> None:
    text = recorder_script(RecordingLimits(7, 8, 9))

    assert f"delete globalThis.{BINDING};" in text
    assert "let left = 7, room = 9," in text
    assert (
        f"Object.defineProperty(globalThis, '{HELPER}', {{value: Object.freeze(record), configurable: true}});" in text
    )


@pytest.mark.parametrize(
    ("payload", "hit"),
    [
        ("0 {}", Hit(0, "", "{}")),
        ("12 a\nb", Hit(12, "", "a\nb")),
        ("1?x9", Hit(1, "x9")),
        ("1!x9 {}", Hit(1, "x9", "{}")),
        ("full", None),
        ("", None),
    ],
)
def test_a_payload_has_the_number_of_its_breakpoint(payload: str, hit: Hit | None) -> None:
    assert parse_hit(payload) == hit


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


def test_a_long_flat_value_is_kept() -> None:
    flat = {"value": list(range(200))}

    assert parse_payload(json.dumps(flat)) == flat


def test_a_wide_value_is_kept() -> None:
    wide = {"value": [[1]] * 200}

    assert parse_payload(json.dumps(wide)) == wide


def test_what_is_no_json_is_told_as_an_error() -> None:
    assert parse_payload("") == {"type": "error", "value": "[Unserializable: ]"}
