"""Responders with their flags: what they let us declare, what they answer, how a reply is shown."""

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


def answer(flags: str, asking: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept([flags, asking.method, asking.previous_count])


RESPONDER = Responder("roots/list", "roots", str, declare, answer, bool)


def test_a_handler_answers_by_its_flags() -> None:
    steps = Handler(RESPONDER, "mine").answer(ServerRequest("roots/list", None, 3))

    assert replay(steps) == PlanResult(Accept(["mine", "roots/list", 3]))  # type: ignore[arg-type]


def test_a_handler_knows_whether_the_user_said_how() -> None:
    assert Handler(RESPONDER, "mine").is_configured is True
    assert Handler(RESPONDER, "").is_configured is False


def test_a_responder_needs_no_capability_and_announces_nothing_unless_it_says_so() -> None:
    assert (RESPONDER.capability, RESPONDER.announce) == ("", "")


def test_what_all_responders_declare_is_declared_together() -> None:
    handlers = {"a": Handler(RESPONDER, "roots"), "b": Handler(RESPONDER, "sampling")}

    assert declared_capabilities(handlers, "2025-11-25") == {
        "roots": {"since": "2025-11-25"},
        "sampling": {"since": "2025-11-25"},
    }


def test_no_responder_declares_nothing() -> None:
    assert declared_capabilities({}, "2025-11-25") == {}
    assert client_info_of({}, "auto", None).capabilities_for("modern") == {}


def test_each_era_is_declared_what_its_version_has() -> None:
    ours = client_info_of({"a": Handler(RESPONDER, "roots")}, "auto", "2025-06-18")

    assert ours.capabilities_for("handshake") == {"roots": {"since": "2025-06-18"}}
    assert ours.capabilities_for("modern") == {"roots": {"since": "2026-07-28"}}


def test_where_the_era_is_known_there_is_one_thing_to_declare() -> None:
    ours = client_info_of({"a": Handler(RESPONDER, "roots")}, "modern", None)

    assert (ours.capabilities, ours.modern) == ({"roots": {"since": "2026-07-28"}}, None)


def test_an_accepted_request_is_shown_by_its_result() -> None:
    assert as_json(Accept(exact({"a": 1}))) == exact({"a": 1})


def test_a_refused_request_is_shown_by_its_error() -> None:
    assert as_json(Refuse(-1, "no")) == {"error": {"code": -1, "message": "no"}}


def test_the_flag_that_answers_is_told_where_there_is_one() -> None:
    assert handler_hints(["roots/list", "vendor/ask"]) == ("answer it with --roots",)


def test_each_responder_of_ours_is_given_by_the_flag_that_is_told() -> None:
    ours = [one for group in (sampling, elicitation, roots) for one in group.mcpi_responders()]

    assert {one.method: [flag.name for flag in flags_of(one.args)] for one in ours} == {
        method: [flag] for method, flag in FLAGS.items()
    }
