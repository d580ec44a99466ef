"""What is announced before the first request is heeded by whoever asks for it at once."""

from mcpi.core.acts import Acts
from mcpi.core.faults import Unreachable
from mcpi.core.respond import Accept, Asking, Handler, Reply, Responder
from mcpi.core.server import Server
from mcpi.core.settle import ASKING, HEEDING, settle_in
from mcpi.core.steps import Steps
from mcpi.core.values import JsonObject
from support.conversation import Conversation, Deed, Ends, Hears, Rests, ask, met
from support.replay import exact

OLD = Server("handshake", "2025-11-25", capabilities=exact({}))


def answer(_: bool, __: Asking) -> Steps[Reply]:  # noqa: FBT001 - its flags are a bool
    yield from ()
    return Accept({"roots": []})


def declare(_: bool, __: str) -> JsonObject:  # noqa: FBT001 - see above
    return {}


def settled(*deeds: Deed) -> Conversation:
    responder = Responder("roots/list", "roots", bool, declare, answer, bool, announce="news")
    conversation = met(OLD, Hears("news"), *deeds, handlers={"roots/list": Handler(responder, args=True)})

    def acts() -> Acts[None]:
        return settle_in(conversation.session, OLD)

    conversation.run(acts())
    return conversation


def test_a_server_that_asks_has_a_moment_to_make_use_of_the_answer() -> None:
    conversation = settled(Rests(0.2), ask("r", "roots/list"))

    assert conversation.said[-1] == {"jsonrpc": "2.0", "id": "r", "result": {"roots": []}}
    assert conversation.clock == 0.2 + HEEDING


def test_a_server_that_does_not_care_is_not_waited_for_longer() -> None:
    assert settled().clock == ASKING


def test_a_server_that_is_gone_is_not_waited_for() -> None:
    assert settled(Rests(0.1), Ends(Unreachable("CONNECTION_LOST", "it is gone"))).clock == 0.1
