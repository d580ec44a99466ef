"""A method is sent only to a server that offers it."""

import pytest
from attrs import evolve

from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import MissingCapability
from mcpi.core.plans.method import Method, RawParams, check_support, vendor_method
from mcpi.core.plans.steps import Call, request
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.replay import exact

LIST = Method("resources/list", RawParams, lambda _: request("resources/list"), "list", required_capability="resources")


def offers(capabilities: Json, *, asked: bool = True) -> NegotiatedServer:
    """A server that declares these."""
    return NegotiatedServer(
        "handshake", "2025-11-25", capabilities=exact(capabilities), was_asked_for_capabilities=asked
    )


def test_a_method_that_the_server_declares_is_sent() -> None:
    assert check_support(LIST, offers({"resources": {}})) is None


def test_a_method_that_needs_nothing_is_sent() -> None:
    assert check_support(evolve(LIST, required_capability=""), offers({"tools": {}})) is None


def test_a_method_is_sent_to_a_server_that_was_not_asked() -> None:
    assert check_support(LIST, offers({}, asked=False)) is None


@pytest.mark.parametrize("capabilities", [{}, None], ids=str)
def test_a_method_is_sent_to_a_server_that_declares_nothing_but_noted(capabilities: Json) -> None:
    assert check_support(LIST, offers(capabilities)) == Violation(
        "undeclared-capability", "resources/list requires a capability, but the server declared none"
    )


def test_a_method_that_the_server_does_not_declare_is_not_sent() -> None:
    assert check_support(LIST, offers({"tools": {}, "prompts": {}})) == MissingCapability(
        "resources/list",
        "the server did not declare the capability resources (it declared: tools, prompts)",
        ("use --force to send it anyway",),
    )


def test_a_part_of_a_capability_may_be_needed() -> None:
    subscribe = evolve(LIST, name="resources/subscribe", required_capability="resources.subscribe")

    assert [check_support(subscribe, offers({"resources": {"subscribe": said}})) for said in (True, False)] == [
        None,
        MissingCapability(
            "resources/subscribe",
            "the server did not declare the capability resources.subscribe (it declared: resources)",
            ("use --force to send it anyway",),
        ),
    ]


def test_what_is_no_object_declares_nothing() -> None:
    assert check_support(LIST, offers(["resources"])) == MissingCapability(
        "resources/list",
        "the server did not declare the capability resources (it declared: none)",
        ("use --force to send it anyway",),
    )


def test_a_method_of_the_other_era_names_what_there_is_instead() -> None:
    ping = Method("ping", RawParams, lambda _: request("ping"), "", era="modern", alternative="--method discover")

    assert check_support(ping, offers({})) == MissingCapability(
        "ping", "not in protocol version 2025-11-25 of the handshake era", ("use --method discover instead",)
    )


def test_a_method_of_the_other_era_may_have_no_substitute() -> None:
    tasks = Method("tasks/list", RawParams, lambda _: request("tasks/list"), "", era="handshake")

    assert check_support(tasks, NegotiatedServer("modern", "2026-07-28")) == MissingCapability(
        "tasks/list", "not in protocol version 2026-07-28 of the modern era"
    )


def test_a_method_of_this_era_needs_its_capability_too() -> None:
    assert [
        check_support(evolve(LIST, era="handshake"), offers({"resources": {}})),
        check_support(evolve(LIST, era="handshake"), offers({"tools": {}})),
    ] == [
        None,
        MissingCapability(
            "resources/list",
            "the server did not declare the capability resources (it declared: tools)",
            ("use --force to send it anyway",),
        ),
    ]


def test_a_need_may_depend_on_what_was_negotiated() -> None:
    method = evolve(LIST, negotiated_capability=lambda server: "" if server.version == "2024-11-05" else "completions")
    old, new = (
        NegotiatedServer("handshake", version, capabilities=exact({"a": 1})) for version in ("2024-11-05", "2025-11-25")
    )

    assert [check_support(method, old), check_support(method, new)] == [
        None,
        MissingCapability(
            "resources/list",
            "the server did not declare the capability completions (it declared: a)",
            ("use --force to send it anyway",),
        ),
    ]


def test_a_method_of_the_server_s_own_is_sent_by_its_name() -> None:
    method = vendor_method("acme/thing")

    assert (method.name, method.args, method.required_capability) == ("acme/thing", RawParams, "")
    assert (method.is_protocol_method, method.connects, method.summary) == (True, True, "")
    assert next(method.plan(RawParams())) == Call("acme/thing")


def test_a_method_may_tell_from_its_arguments_whether_it_connects() -> None:
    choosy = evolve(LIST, needs_target=lambda _: False)

    assert [choosy.connects_with(args) for args in (RawParams(), None)] == [False, True]
    assert evolve(choosy, connects=False).connects_with(None) is False
    assert LIST.connects_with(RawParams()) is True
