"""ping, server/info, server/discover and discover, beyond the dialogues in fixtures."""

from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.responders import Accept, ServerRequest
from mcpi.core.plans.steps import CallAll, Connect
from mcpi.core.wire.notifications import SERVER_LISTS
from mcpi.core.wire.server_info import EMPTY, NegotiatedServer
from mcpi.plugins.methods.server import (
    Discover,
    NoFlags,
    ServerInfo,
    answer_ping,
    discover,
    mcpi_methods,
    mcpi_responders,
    mcpi_tools,
    server_info,
)
from support.dialogue import DIALOGUES
from support.replay import exact, replay


def test_server_methods_are_registered() -> None:
    assert [(one.name, one.era, one.is_protocol_method, one.required_capability) for one in mcpi_methods()] == [
        ("ping", None, True, ""),
        ("server/info", None, False, ""),
        ("server/discover", "modern", True, ""),
        ("discover", None, False, ""),
    ]


def test_server_discover_is_not_a_tool_for_agents() -> None:
    assert mcpi_tools() == ("ping", "server/info", "discover")


def test_every_method_has_dialogues() -> None:
    found = {one.method for one in DIALOGUES if one.group == "server"}

    assert found == {one.name for one in mcpi_methods()}


def test_ping_is_answered_with_an_empty_result_and_declares_no_capability() -> None:
    (responder,) = mcpi_responders()

    assert (responder.method, responder.capability, responder.declare(NoFlags(), "2025-11-25")) == ("ping", "", {})
    assert responder.is_configured(NoFlags())
    assert replay(answer_ping(NoFlags(), ServerRequest("ping", None, 0))) == PlanResult(Accept(EMPTY))  # type: ignore[arg-type]


def test_discover_requests_all_lists_if_capabilities_are_unknown() -> None:
    plan = discover(Discover())
    next(plan)
    together = plan.send(NegotiatedServer("handshake", "2025-11-25", was_asked_for_capabilities=False))

    assert isinstance(together, CallAll)
    assert [one.method for one in together.calls] == [one.method for one in SERVER_LISTS]


def test_negotiated_version_overrides_the_server_info() -> None:
    server = NegotiatedServer("modern", "2026-07-28", exact({"name": "x", "protocolVersion": "fake"}))

    ended = replay(server_info(ServerInfo()), (Connect(), server))
    assert ended == PlanResult({"name": exact("x"), "protocolVersion": "2026-07-28", "capabilities": EMPTY})
