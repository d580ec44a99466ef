"""The deadline of the whole run limits connecting, waiting for a response, and pauses."""

from mcpi.core.outcome.faults import TimedOut
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.steps import Call
from mcpi.core.session.negotiate import open_session
from support.constants import HANDSHAKE
from support.conversation import Expect, FailToOpen, connected, starting

HINTS = ("with --follow, --timeout limits the whole run; use a longer one",)


def test_waiting_for_a_response_ends_at_the_deadline() -> None:
    conversation = connected(HANDSHAKE, Expect("x"))
    conversation.session.deadline = 3.0

    outcome = conversation.run(conversation.session.call(Call("x")))
    given = conversation.session.terms.timeout
    assert outcome == Failure(TimedOut("REQUEST_TIMEOUT", given, "x (request 1)", hints=HINTS))
    assert conversation.clock == 3.0


def test_pause_ends_at_the_deadline() -> None:
    conversation = connected(HANDSHAKE)
    conversation.session.deadline = 3.0

    conversation.run(conversation.session.sleep(10.0))
    assert conversation.clock == 3.0


def test_connecting_ends_at_the_deadline() -> None:
    conversation = starting(Expect("initialize"), era="handshake")
    conversation.session.deadline = 2.0

    outcome = conversation.run(open_session(conversation.session))
    given = conversation.session.terms.timeout
    assert outcome == Failure(TimedOut("CONNECTION_TIMEOUT", given, "initialize (request 1)", hints=HINTS))
    assert conversation.clock == 2.0


def test_opening_the_transport_ends_at_the_deadline() -> None:
    conversation = starting(FailToOpen(TimedOut("CONNECTION_TIMEOUT", 2.0, "the connection")), era="handshake")
    conversation.session.deadline = 2.0

    given = conversation.session.terms.timeout
    fault = TimedOut("CONNECTION_TIMEOUT", given, "the connection", hints=HINTS)
    assert conversation.run(open_session(conversation.session)) == Failure(fault)
