"""The injected JavaScript; its behavior on Node.js is covered by the integration tests."""

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
    is_valid_in_frame,
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
def test_expression_is_parenthesized_with_a_final_newline(source: str) -> None:
    assert as_expression(source) == Form(f"({source}\n)")
    assert as_async(source) == Form(f"(async()=>({source}\n))()", is_async=True)


@given(st.text())
def test_statements_are_passed_to_eval_as_an_escaped_literal(source: str) -> None:
    form = as_statements(source).text

    assert (form[:5], form[-1]) == ("eval(", ")")
    assert json.loads(form[5:-1]) == source
    assert form.isascii()


def test_breakpoint_condition_evaluates_each_expression_without_pausing() -> None:
    text = condition([(0, as_expression("x")), (2, as_async("y"))])

    assert text == (
        f"try{{{HELPER}.value?.(0,(x\n))}}catch(e){{{HELPER}?.error(0,e)??true}}"
        f"try{{{HELPER}.later?.(2,(async()=>(y\n))())}}catch(e){{{HELPER}?.error(2,e)??true}}"
    )


def test_true_or_failing_condition_records_a_hit() -> None:
    text = condition([(0, Form("(x\n)", condition="n > 1"))])

    recorded = f"try{{{HELPER}.value?.(0,(x\n))}}catch(e){{{HELPER}?.error(0,e)??true}}"
    assert text == (
        f"if(!{HELPER})(n > 1\n);else{{"
        f"try{{if((n > 1\n)){{{recorded}}}}}catch(e){{{HELPER}.more()&&{HELPER}.error(0,e)}}"
        "false}"
    )


def test_pause_requires_the_condition() -> None:
    below_limit = f"!{HELPER}||{HELPER}.more()"
    assert pause_condition(Form("x")) == below_limit
    assert pause_condition(Form("x", condition="n > 1")) == f"(n > 1\n)&&({below_limit})"


def test_evaluation_on_pause_requires_the_condition() -> None:
    text = on_pause(0, as_expression("x"), RecordingLimits(), "n > 1")

    assert (text.startswith("(n > 1\n)?"), text.endswith(":''")) == (True, True)


def test_evaluation_on_pause_includes_its_own_encoder() -> None:
    text = on_pause(7, as_expression("x"), RecordingLimits(value_bytes=99))

    assert HELPER not in text
    assert text.startswith("'7 '+((encode,read)=>{")
    assert text.endswith("(99),()=>(x\n))")


def test_evaluation_on_pause_lets_the_recorder_await_a_promise() -> None:
    text = on_pause(7, as_async("x"), RecordingLimits())

    assert text.startswith(f"({HELPER}?'7?'+{HELPER}.settle(7,(async()=>(x\n))()):'7 '+")


def test_recorder_removes_the_binding_and_has_limits() -> None:
    text = recorder_script(RecordingLimits(7, 8, 9))

    assert f"delete globalThis.{BINDING};" in text
    assert "let left = 7, room = 9, most = 8," in text
    assert f"{HELPER}?.restart(7, 9, 8);" in text


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
def test_payload_starts_with_the_breakpoint_number(payload: str, hit: Hit | None) -> None:
    assert parse_hit(payload) == hit


def recorder(description: str) -> JsonObject:
    details: JsonObject = {"text": "Uncaught", "exception": {"description": description}}
    return {"id": 1, "result": {"exceptionDetails": details}}


def test_compiled_expression_has_no_error() -> None:
    assert compile_error({"id": 1, "result": {}}) is None


def test_compile_error_is_one_line() -> None:
    assert compile_error(recorder("SyntaxError: Unexpected token ')'\n    at x")) == "SyntaxError: Unexpected token ')'"
    assert compile_error({"result": {"exceptionDetails": {"text": "Uncaught SyntaxError"}}}) == "Uncaught SyntaxError"


@pytest.mark.parametrize(
    "sentence",
    [
        "SyntaxError: Private field '#x' must be declared in an enclosing class",
        "SyntaxError: 'super' keyword unexpected here",
        "SyntaxError: new.target expression is not allowed here",
    ],
)
def test_frame_dependent_syntax_is_valid_in_the_frame(sentence: str) -> None:
    assert is_valid_in_frame(sentence)
    assert not is_valid_in_frame("SyntaxError: Unexpected token ')'")


@given(VALUES)
def test_portable_value_is_returned_unchanged(value: Json) -> None:
    payload = json.dumps({"type": "object", "value": make_portable(value)})

    assert parse_payload(payload) == {"type": "object", "value": make_portable(value)}


@pytest.mark.parametrize("payload", ['{"value":"a\\ud83dz"}', '{"value":"a\ud83dz"}', '{"value":"a\\uDC00z"}'])
def test_lone_surrogate_is_replaced(payload: str) -> None:
    assert parse_payload(payload) == {"value": "a\ufffdz"}


def test_surrogate_pair_is_kept() -> None:
    assert parse_payload('{"value":"\\ud83d\\ude00"}') == {"value": "\U0001f600"}


def test_long_flat_array_is_kept() -> None:
    flat = {"value": list(range(200))}

    assert parse_payload(json.dumps(flat)) == flat


def test_wide_nested_array_is_kept() -> None:
    wide = {"value": [[1]] * 200}

    assert parse_payload(json.dumps(wide)) == wide


def test_invalid_json_payload_is_an_error_value() -> None:
    assert parse_payload("") == {"type": "error", "value": "[Unserializable: ]"}
