"""A method is only sent to a server that supports it."""

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


def offers(capabilities: Json, *, was_requested: bool = True) -> NegotiatedServer:
    """A server that declares these capabilities."""
    return NegotiatedServer(
        "handshake", "2025-11-25", capabilities=exact(capabilities), was_asked_for_capabilities=was_requested
    )


def test_method_with_a_declared_capability_is_sent() -> None:
    assert check_support(LIST, offers({"resources": {}})) is None


def test_method_without_a_required_capability_is_sent() -> None:
    assert check_support(evolve(LIST, required_capability=""), offers({"tools": {}})) is None


def test_method_is_sent_if_capabilities_were_not_requested() -> None:
    assert check_support(LIST, offers({}, was_requested=False)) is None


@pytest.mark.parametrize("capabilities", [{}, None], ids=str)
def test_method_is_sent_with_a_violation_if_no_capability_is_declared(capabilities: Json) -> None:
    assert check_support(LIST, offers(capabilities)) == Violation(
        "undeclared-capability", "resources/list requires a capability, but the server declared none"
    )


def test_method_with_an_undeclared_capability_is_not_sent() -> None:
    assert check_support(LIST, offers({"tools": {}, "prompts": {}})) == MissingCapability(
        "resources/list",
        "the server did not declare the capability resources (it declared: tools, prompts)",
        ("use --force to send it anyway",),
    )


def test_method_can_require_a_nested_capability() -> None:
    subscribe = evolve(LIST, name="resources/subscribe", required_capability="resources.subscribe")

    assert [check_support(subscribe, offers({"resources": {"subscribe": declared}})) for declared in (True, False)] == [
        None,
        MissingCapability(
            "resources/subscribe",
            "the server did not declare the capability resources.subscribe (it declared: resources)",
            ("use --force to send it anyway",),
        ),
    ]


def test_capabilities_that_are_not_an_object_declare_nothing() -> None:
    assert check_support(LIST, offers(["resources"])) == MissingCapability(
        "resources/list",
        "the server did not declare the capability resources (it declared: none)",
        ("use --force to send it anyway",),
    )


def test_method_of_the_other_era_suggests_the_alternative() -> None:
    ping = Method("ping", RawParams, lambda _: request("ping"), "", era="modern", alternative="--method discover")

    assert check_support(ping, offers({})) == MissingCapability(
        "ping", "not part of protocol version 2025-11-25 (handshake era)", ("use --method discover instead",)
    )


def test_method_of_the_other_era_can_lack_an_alternative() -> None:
    tasks = Method("tasks/list", RawParams, lambda _: request("tasks/list"), "", era="handshake")

    assert check_support(tasks, NegotiatedServer("modern", "2026-07-28")) == MissingCapability(
        "tasks/list", "not part of protocol version 2026-07-28 (modern era)"
    )


def test_method_of_this_era_also_requires_its_capability() -> None:
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


def test_required_capability_can_depend_on_the_negotiated_version() -> None:
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


def test_vendor_method_is_sent_by_name() -> None:
    method = vendor_method("acme/thing")

    assert (method.name, method.args, method.required_capability) == ("acme/thing", RawParams, "")
    assert (method.is_protocol_method, method.connects, method.summary) == (True, True, "")
    assert next(method.plan(RawParams())) == Call("acme/thing")


def test_arguments_can_decide_whether_a_method_connects() -> None:
    list_method = evolve(LIST, needs_target=lambda _: False)

    assert [list_method.connects_with(args) for args in (RawParams(), None)] == [False, True]
    assert evolve(list_method, connects=False).connects_with(None) is False
    assert LIST.connects_with(RawParams()) is True
