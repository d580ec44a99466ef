"""Responders and their flags: declared capabilities, answers and displayed replies."""

from mcpi.core.flags.declare import flags_of
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.responders import (
    FLAGS,
    Accept,
    Handler,
    Refuse,
    Reply,
    Responder,
    ServerRequest,
    as_json,
    client_info_of,
    declared_capabilities,
    handler_hints,
)
from mcpi.core.plans.steps import Steps
from mcpi.plugins.answers import elicitation, roots, sampling
from support.replay import exact, replay


def declare(flags: str, version: str) -> JsonObject:
    return {flags: {"since": version}}


def answer(flags: str, request: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept([flags, request.method, request.previous_count])


RESPONDER = Responder("roots/list", "roots", str, declare, answer, bool)


def test_handler_answers_with_its_flags() -> None:
    steps = Handler(RESPONDER, "mine").answer(ServerRequest("roots/list", None, 3))

    assert replay(steps) == PlanResult(Accept(["mine", "roots/list", 3]))  # type: ignore[arg-type]


def test_handler_is_configured_if_a_flag_is_set() -> None:
    assert Handler(RESPONDER, "mine").is_configured is True
    assert Handler(RESPONDER, "").is_configured is False


def test_responder_capability_and_announcement_are_optional() -> None:
    assert (RESPONDER.capability, RESPONDER.announce) == ("", "")


def test_capabilities_of_all_responders_are_merged() -> None:
    handlers = {"a": Handler(RESPONDER, "roots"), "b": Handler(RESPONDER, "sampling")}

    assert declared_capabilities(handlers, "2025-11-25") == {
        "roots": {"since": "2025-11-25"},
        "sampling": {"since": "2025-11-25"},
    }


def test_no_capabilities_are_declared_without_responders() -> None:
    assert declared_capabilities({}, "2025-11-25") == {}
    assert client_info_of({}, "auto", None).capabilities_for("modern") == {}


def test_capabilities_depend_on_the_version_of_each_era() -> None:
    ours = client_info_of({"a": Handler(RESPONDER, "roots")}, "auto", "2025-06-18")

    assert ours.capabilities_for("handshake") == {"roots": {"since": "2025-06-18"}}
    assert ours.capabilities_for("modern") == {"roots": {"since": "2026-07-28"}}


def test_known_era_has_one_set_of_capabilities() -> None:
    ours = client_info_of({"a": Handler(RESPONDER, "roots")}, "modern", None)

    assert (ours.capabilities, ours.modern) == ({"roots": {"since": "2026-07-28"}}, None)


def test_accepted_request_is_shown_as_its_result() -> None:
    assert as_json(Accept(exact({"a": 1}))) == exact({"a": 1})


def test_rejected_request_is_shown_as_its_error() -> None:
    assert as_json(Refuse(-1, "no")) == {"error": {"code": -1, "message": "no"}}


def test_hint_suggests_the_flag_of_a_known_request() -> None:
    assert handler_hints(["roots/list", "vendor/ask"]) == ("respond with --roots",)


def test_each_built_in_responder_has_the_flag_in_its_hint() -> None:
    ours = [one for group in (sampling, elicitation, roots) for one in group.mcpi_responders()]

    assert {one.method: [flag.name for flag in flags_of(one.args)] for one in ours} == {
        method: [flag] for method, flag in FLAGS.items()
    }
