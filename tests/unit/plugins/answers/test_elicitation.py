"""Responses to elicitation: used in order, checked against the schema, declined by default."""

import pytest

from mcpi.core.flags.canned_answers import ElicitationAnswer
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject, as_object
from mcpi.core.plans.responders import Accept, Refuse, Reply, ServerRequest
from mcpi.core.plans.steps import Step, Validate
from mcpi.plugins.answers.elicitation import ElicitationFlags, answer, declare, mcpi_responders
from support.replay import exact, registration, responder_reply

AUTO, CANCEL, DECLINE = ElicitationAnswer("auto"), ElicitationAnswer("cancel"), ElicitationAnswer("decline")
CONTENT = Exact('{"cups": 1.0}', {"cups": 1.0})
ACCEPT = ElicitationAnswer("accept", CONTENT)
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string", "default": "Ada"}, "cups": {"type": "integer"}},
}
FORM: JsonObject = {"message": "?", "requestedSchema": SCHEMA}
URL: JsonObject = {"mode": "url", "message": "?", "url": "https://example.org", "elicitationId": "1"}


def reply(
    params: Json, *given: ElicitationAnswer, before: int = 0, checked: tuple[tuple[Step, object], ...] = ()
) -> Reply:
    request = ServerRequest("elicitation/create", None if params is None else exact(params), before)
    return responder_reply(answer(ElicitationFlags(handle_elicitation=given), request), *checked)


def test_elicitation_responder_is_registered() -> None:
    expected = ("elicitation/create", "elicitation", "elicitation", "", ElicitationFlags, declare, answer)

    assert registration(mcpi_responders()) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2024-11-05", {}),
        ("2025-03-26", {}),
        ("2025-06-18", {"elicitation": {}}),
        ("2025-11-25", {"elicitation": {"form": {}, "url": {}}}),
        ("2026-07-28", {"elicitation": {"form": {}, "url": {}}}),
    ],
)
@pytest.mark.parametrize("given", [(), (DECLINE,)])
def test_elicitation_capability_depends_on_the_version(
    given: tuple[ElicitationAnswer, ...], version: str, expected: JsonObject
) -> None:
    assert declare(ElicitationFlags(handle_elicitation=given), version) == expected


@pytest.mark.parametrize(("given", "expected"), [((), False), ((AUTO,), True), ((DECLINE,), True)])
def test_elicitation_is_configured_only_if_a_flag_is_given(
    given: tuple[ElicitationAnswer, ...],
    expected: bool,  # noqa: FBT001 - a table
) -> None:
    (responder,) = mcpi_responders()

    assert responder.is_configured(ElicitationFlags(handle_elicitation=given)) is expected


@pytest.mark.parametrize("params", [FORM, URL, None, {}])
def test_elicitation_is_declined_by_default(params: Json) -> None:
    assert reply(params) == Accept({"action": "decline"})


@pytest.mark.parametrize("params", [FORM, URL])
@pytest.mark.parametrize(("given", "action"), [(DECLINE, "decline"), (CANCEL, "cancel")])
def test_decline_and_cancel_have_no_content(given: ElicitationAnswer, action: str, params: Json) -> None:
    assert reply(params, given) == Accept({"action": action})


@pytest.mark.parametrize(
    ("params", "content"),
    [
        (FORM, {"name": "Ada"}),
        ({"mode": "form", **FORM}, {"name": "Ada"}),
        ({"requestedSchema": {"type": "object", "properties": {"cups": {"type": "integer"}}}}, {}),
        ({"requestedSchema": 7}, {}),
        ({}, {}),
        ([], {}),
        (None, {}),
    ],
)
def test_automatic_response_has_the_default_values(params: Json, content: JsonObject) -> None:
    schema = as_object(params).get("requestedSchema")
    checked = () if schema is None else ((Validate(content, schema), ()),)

    assert reply(params, AUTO, checked=checked) == Accept({"action": "accept", "content": content})


def test_automatic_response_that_violates_the_schema_has_a_warning() -> None:
    problems = (("", "'cups' is a required property"),)

    assert reply(FORM, AUTO, checked=((Validate({"name": "Ada"}, SCHEMA), problems),)) == Accept(
        {"action": "accept", "content": {"name": "Ada"}},
        "the content of --handle-elicitation auto does not match the requested schema: /: 'cups' is a required "
        "property; give the content as JSON",
    )


@pytest.mark.parametrize("given", [AUTO, ACCEPT])
def test_url_elicitation_is_accepted_without_content(given: ElicitationAnswer) -> None:
    assert reply(URL, given) == Accept({"action": "accept"})


def test_content_is_validated_and_sent_verbatim() -> None:
    fits = (Validate({"cups": 1.0}, SCHEMA), ())

    assert reply(FORM, ACCEPT, checked=(fits,)) == Accept({"action": "accept", "content": CONTENT})


def test_content_that_violates_the_schema_is_not_sent() -> None:
    problems = (("/cups", "11 is greater than the maximum of 10"), ("", "'name' is a required property"))

    assert reply(FORM, ACCEPT, checked=((Validate({"cups": 1.0}, SCHEMA), problems),)) == Refuse(
        -32602,
        "the content given with --handle-elicitation does not match the requested schema: "
        "/cups: 11 is greater than the maximum of 10; /: 'name' is a required property",
    )


@pytest.mark.parametrize("params", [{}, {"message": "?"}, None])
def test_content_is_not_validated_without_a_schema(params: Json) -> None:
    assert reply(params, ACCEPT) == Accept({"action": "accept", "content": CONTENT})


def test_responses_are_used_in_order_and_the_last_one_is_repeated() -> None:
    given = (CANCEL, AUTO, DECLINE)

    assert [reply({}, *given, before=before) for before in range(4)] == [
        Accept({"action": "cancel"}),
        Accept({"action": "accept", "content": {}}),
        Accept({"action": "decline"}),
        Accept({"action": "decline"}),
    ]
