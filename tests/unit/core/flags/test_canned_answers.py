"""Canned answers to sampling and elicitation requests are parsed and validated up front."""

import pytest

from mcpi.core.flags.canned_answers import (
    STUB,
    ElicitationAnswer,
    SamplingAnswer,
    parse_elicitation,
    parse_sampling,
    schema_defaults,
)
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import Correction, Invalid
from mcpi.core.outcome.result import Failure, Result, Success

TEMPLATE = '{"model": "m", "role": "assistant", "content": {"type": "text", "text": "4"}}'


def invalid(flag: str, problem: str, *hints: str) -> Result[None]:
    return Failure(Invalid("INVALID_ARGUMENT", flag, problem, hints))


# Sampling.


def test_stub_is_a_minimal_completion() -> None:
    assert STUB == {
        "model": "stub-model",
        "stopReason": "endTurn",
        "role": "assistant",
        "content": {"type": "text", "text": ""},
    }


def test_sampling_can_be_accepted_automatically() -> None:
    assert parse_sampling("--handle-sampling", "auto") == Success(SamplingAnswer("auto"))


def test_sampling_can_be_rejected() -> None:
    assert parse_sampling("--handle-sampling", "reject") == Success(SamplingAnswer("reject"))


def test_completion_template_keeps_its_json_text() -> None:
    value: Json = {"model": "m", "role": "assistant", "content": {"type": "text", "text": "4"}}

    expected = SamplingAnswer("template", Exact(TEMPLATE, value))
    assert parse_sampling("--handle-sampling", f" {TEMPLATE}\n") == Success(expected)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ('{"role": "assistant", "content": {}}', "model"),
        ('{"model": "m", "content": {}}', "role"),
        ('{"model": "m", "role": "assistant"}', "content"),
        ('{"stopReason": "endTurn"}', "model, role, content"),
        ("[1]", "model, role, content"),
        ('"auto"', "model, role, content"),
        ("null", "model, role, content"),
    ],
)
def test_completion_template_without_required_members_is_rejected(text: str, missing: str) -> None:
    expected = invalid(
        "--handle-sampling", f"the template has no {missing}", "add the missing members, or use auto or reject"
    )
    assert parse_sampling("--handle-sampling", text) == expected


@pytest.mark.parametrize("text", ["yes", "Auto", "decline", "", "{'model': 'm'}"])
def test_unknown_word_for_sampling_is_rejected(text: str) -> None:
    expected = invalid("--handle-sampling", f"expected auto, reject or a JSON template, got {text!r}")
    assert parse_sampling("--handle-sampling", text) == expected


def test_error_names_the_flag_or_variable_that_was_used() -> None:
    expected = invalid("MCPI_HANDLE_SAMPLING", "expected auto, reject or a JSON template, got 'no'")
    assert parse_sampling("MCPI_HANDLE_SAMPLING", "no") == expected


# Elicitation.


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("auto", ElicitationAnswer("auto")),
        ("cancel", ElicitationAnswer("cancel")),
        ("decline", ElicitationAnswer("decline")),
        ("reject", ElicitationAnswer("decline")),
    ],
)
def test_elicitation_answer_may_be_a_keyword(text: str, answer: ElicitationAnswer) -> None:
    assert parse_elicitation("--handle-elicitation", text) == Success(answer)


@pytest.mark.parametrize(("text", "value"), [('{"cups": 1.50}', {"cups": 1.5}), ("{}", {})])
def test_elicitation_content_keeps_its_json_text(text: str, value: Json) -> None:
    expected = ElicitationAnswer("accept", Exact(text, value))
    assert parse_elicitation("--handle-elicitation", text) == Success(expected)


@pytest.mark.parametrize("text", ["[1]", "7", "null", '"auto"'])
def test_elicitation_content_must_be_an_object(text: str) -> None:
    expected = invalid("--handle-elicitation", f"the content must be a JSON object, got {text}")
    assert parse_elicitation("--handle-elicitation", text) == expected


@pytest.mark.parametrize("text", ["yes", "accept", "", '{"a":'])
def test_unknown_word_for_elicitation_is_rejected(text: str) -> None:
    expected = invalid("--handle-elicitation", f"expected auto, decline, cancel or a JSON object, got {text!r}")
    assert parse_elicitation("--handle-elicitation", text) == expected


# Defaults.


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, {}),
        ({"name": {"type": "string"}}, {}),
        ({"name": {"type": "string", "default": "Ada"}}, {"name": "Ada"}),
        (
            {"a": {"type": "integer", "default": 0}, "b": {}, "c": {"type": "boolean", "default": False}},
            {"a": 0, "c": False},
        ),
        ({"a": {"default": None}}, {"a": None}),
        ({"many": {"type": "array", "default": ["x", "y"]}}, {"many": ["x", "y"]}),
        ({"odd": True, "default": {"type": "string", "default": "d"}}, {"default": "d"}),
    ],
)
def test_schema_defaults_are_collected(properties: JsonObject, expected: JsonObject) -> None:
    assert schema_defaults({"type": "object", "properties": properties}) == expected


@pytest.mark.parametrize("schema", [None, [], True, {}, {"properties": 7}])
def test_schema_without_properties_has_no_defaults(schema: Json) -> None:
    assert schema_defaults(schema) == {}


@pytest.mark.parametrize(
    ("text", "right", "reason"),
    [
        ('{"action":"accept","content":{"a":1}}', '{"a":1}', "give only the content, without action"),
        ('{"action": "decline"}', "decline", "use decline"),
        ('{"action": "cancel"}', "cancel", "use cancel"),
    ],
)
def test_whole_result_of_an_elicitation_is_rejected(text: str, right: str, reason: str) -> None:
    fault = parse_elicitation("--handle-elicitation", text).failure()

    assert isinstance(fault, Invalid)
    assert fault.problem == "expected the content, got a whole result"
    assert fault.correction == Correction(text, (right,), reason)


@pytest.mark.parametrize("text", ['{"action": "buy"}', '{"action": "accept", "content": "x"}', '{"content": {}}'])
def test_content_may_contain_an_action(text: str) -> None:
    assert isinstance(parse_elicitation("--handle-elicitation", text), Success)
