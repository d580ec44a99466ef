"""ping, server/info, server/discover and discover: what the dialogues in fixtures do not say."""

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


def test_the_methods_of_the_group() -> None:
    assert [(one.name, one.era, one.is_protocol_method, one.required_capability) for one in mcpi_methods()] == [
        ("ping", None, True, ""),
        ("server/info", None, False, ""),
        ("server/discover", "modern", True, ""),
        ("discover", None, False, ""),
    ]


def test_an_agent_is_offered_what_does_not_repeat_itself() -> None:
    assert mcpi_tools() == ("ping", "server/info", "discover")


def test_each_method_has_its_dialogues() -> None:
    told = {one.method for one in DIALOGUES if one.group == "server"}

    assert told == {one.name for one in mcpi_methods()}


def test_the_servers_ping_is_answered_with_nothing_and_declares_nothing() -> None:
    (responder,) = mcpi_responders()

    assert (responder.method, responder.capability, responder.declare(NoFlags(), "2025-11-25")) == ("ping", "", {})
    assert responder.is_configured(NoFlags())
    assert replay(answer_ping(NoFlags(), ServerRequest("ping", None, 0))) == PlanResult(Accept(EMPTY))  # type: ignore[arg-type]


def test_who_was_not_asked_what_it_has_is_asked_for_everything() -> None:
    plan = discover(Discover())
    next(plan)
    together = plan.send(NegotiatedServer("handshake", "2025-11-25", was_asked_for_capabilities=False))

    assert isinstance(together, CallAll)
    assert [one.method for one in together.calls] == [one.method for one in SERVER_LISTS]


def test_what_a_server_says_of_itself_does_not_hide_what_was_agreed() -> None:
    server = NegotiatedServer("modern", "2026-07-28", exact({"name": "x", "protocolVersion": "fake"}))

    ended = replay(server_info(ServerInfo()), (Connect(), server))
    assert ended == PlanResult({"name": exact("x"), "protocolVersion": "2026-07-28", "capabilities": EMPTY})
