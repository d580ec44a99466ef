"""A request that was refused for want of a token goes out once more when there is one."""

from itertools import accumulate, count, takewhile

import pytest

from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import (
    Exited,
    Fault,
    HttpFailed,
    Interrupted,
    Invalid,
    InvalidResponse,
    RpcError,
    TimedOut,
    Unauthorized,
    Unreachable,
)
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Call
from mcpi.core.session.effects import Authorize
from mcpi.core.session.negotiate import open_session
from mcpi.core.session.retry import (
    MAX_AUTHORIZATIONS,
    backoff,
    is_retryable_connect,
    reconnect_delay,
    retry_after,
    retryable,
)
from mcpi.core.session.terms import Terms
from mcpi.core.wire.server_info import ClientInfo, NegotiatedServer
from support.conversation import Conversation, Deed, Hears, Refuses, StaysShut, answer, met, talk
from support.replay import exact

DENIED = HttpFailed(401, "https://mcp.example/mcp")
FORBIDDEN = HttpFailed(403, "https://mcp.example/mcp")
NOBODY = Unauthorized("nobody")
OLD = NegotiatedServer("handshake", "2025-11-25", transport="http")
NEW = NegotiatedServer("modern", "2026-07-28", transport="http")
TWICE: tuple[Deed, ...] = (Hears("x"), Refuses(1, DENIED), Hears("x"), answer(1, {}))


def allowing(conversation: Conversation, *outcomes: Result[None], seconds: float = 0.0) -> Conversation:
    """An authorization that ends in these ways, and takes its time."""
    conversation.authorizations.extend(outcomes)
    conversation.authorizing = seconds
    return conversation


def test_a_request_goes_out_again_as_it_was() -> None:
    conversation = allowing(met(NEW, *TWICE, authorize=True), Success(None))

    assert conversation.run(conversation.session.call(Call("x"))) == Success(exact({}))
    assert conversation.authorized == [Authorize(DENIED)]
    first, second = conversation.transmitted
    assert first == second


def test_an_authorization_that_fails_is_the_answer() -> None:
    conversation = allowing(met(NEW, *TWICE[:2], authorize=True), Failure(NOBODY))

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(NOBODY)
    assert len(conversation.transmitted) == 1


def test_without_the_wish_nobody_is_asked() -> None:
    conversation = met(NEW, *TWICE[:2])

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(DENIED)
    assert conversation.authorized == []


def test_a_token_does_not_help_against_everything() -> None:
    conversation = met(NEW, Hears("x"), Refuses(1, FORBIDDEN), authorize=True)

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(FORBIDDEN)
    assert conversation.authorized == []


def test_a_lost_connection_is_no_refusal() -> None:
    gone = Unreachable("CONNECTION_LOST", "gone")
    conversation = met(NEW, Hears("x"), Refuses(1, gone), authorize=True)

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(gone)


def test_a_server_that_is_never_content_is_left() -> None:
    deeds = (Hears("x"), Refuses(1, DENIED)) * (MAX_AUTHORIZATIONS + 1)
    conversation = allowing(met(NEW, *deeds, authorize=True), *(Success(None),) * MAX_AUTHORIZATIONS)

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(DENIED)
    assert len(conversation.authorized) == MAX_AUTHORIZATIONS


def test_the_stream_that_was_refused_is_opened_again() -> None:
    conversation = allowing(met(OLD, *TWICE, authorize=True), Success(None))
    conversation.run(conversation.session.call(Call("x")))

    assert [entry for _, entry in conversation.log] == ["x", "authorize", "listen", "x"]


def test_a_stream_that_nobody_wants_is_not_opened() -> None:
    conversation = allowing(met(OLD, *TWICE, authorize=True, open_server_stream=False), Success(None))
    conversation.run(conversation.session.call(Call("x")))

    assert [entry for _, entry in conversation.log] == ["x", "authorize", "x"]


def test_the_time_that_an_authorization_takes_is_nobody_s_patience() -> None:
    deeds = (Hears("initialize"), Refuses(1, DENIED), Hears("initialize"))
    greeting: Printable = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "serverInfo": {"name": "s", "version": "1"},
    }
    conversation = allowing(
        talk(*deeds, answer(1, greeting), era="handshake", transport="http", connect_timeout=5.0, authorize=True),
        Success(None),
        seconds=60.0,
    )
    outcome = conversation.run(open_session(conversation.session))

    assert isinstance(outcome, Success)
    assert conversation.clock >= 60


def test_a_connection_that_was_refused_is_opened_again() -> None:
    conversation = allowing(
        talk(StaysShut(DENIED), era="modern", transport="http", discover=False, authorize=True), Success(None)
    )

    assert isinstance(conversation.run(open_session(conversation.session)), Success)
    assert [entry for _, entry in conversation.log] == ["open in vain", "authorize", "shut", "open"]


def test_a_connection_that_is_refused_for_good_is_not_opened() -> None:
    conversation = allowing(
        talk(StaysShut(DENIED), era="modern", transport="http", discover=False, authorize=True), Failure(NOBODY)
    )

    assert conversation.run(open_session(conversation.session)) == Failure(NOBODY)


def test_who_gets_no_token_does_not_try_the_other_era() -> None:
    conversation = allowing(
        talk(Hears("server/discover"), Refuses(1, DENIED), transport="http", authorize=True), Failure(NOBODY)
    )

    assert conversation.run(open_session(conversation.session)) == Failure(NOBODY)
    assert [one.method for one in conversation.transmitted] == ["server/discover"]


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (HttpFailed(429, "u", headers={"retry-after": "7"}), 7.0),
        (HttpFailed(503, "u", headers={"retry-after": "7200"}), 60.0),
        (HttpFailed(503, "u", headers={"retry-after": "Thu, 19 Nov 2026 01:00:00 GMT"}), 0.0),
        (HttpFailed(503, "u", headers={"retry-after": "²"}), 0.0),
        (HttpFailed(503, "u"), 0.0),
        (InvalidResponse("HANDSHAKE_FAILED", ""), 0.0),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(fault: Fault, seconds: float) -> None:
    assert retry_after(fault) == seconds


@pytest.mark.parametrize(
    ("retry", "fruitless", "chance", "seconds"),
    [
        (None, 0, 0.5, 1.0),
        (0.0, 0, 0.5, 0.1),
        (0.5, 0, 1.0, 0.5),
        (0.0, 1, 0.0, 0.125),
        (0.0, 1, 1.0, 0.15625),
        (0.0, 3, 0.0, 0.1953125),
        (60.0, 1, 0.0, 60.0),
        (0.0, 10**9, 1.0, 60.0),
    ],
)
def test_a_stream_is_reopened_later_each_time_that_nothing_came(
    retry: float | None, fruitless: int, chance: float, seconds: float
) -> None:
    assert reconnect_delay(retry, fruitless, chance) == pytest.approx(seconds)


def test_a_server_that_closes_at_once_is_asked_less_than_fifteen_times_in_five_seconds() -> None:
    waits = accumulate(reconnect_delay(0.0, number, 0.0) for number in count(1))

    assert sum(1 for _ in takewhile(lambda waited: waited < 5.0, waits)) < 15


TERMS = Terms(ClientInfo({}))


def test_no_pauses_are_zero() -> None:
    assert backoff(Terms(ClientInfo({}), backoff=()), 2) == 0.0


def test_named_codes_replace_the_default_rule() -> None:
    terms = Terms(ClientInfo({}), retryable_codes=frozenset({"AUTHENTICATION_FAILED"}))

    assert [is_retryable_connect(terms, NOBODY), is_retryable_connect(terms, LOST)] == [True, False]


def test_the_pauses_grow_and_then_stay() -> None:
    assert [backoff(TERMS, attempt) for attempt in range(5)] == [1.0, 2.0, 4.0, 4.0, 4.0]


LOST = Unreachable("CONNECTION_LOST", "the pipe broke")


def http(status: int) -> HttpFailed:
    return HttpFailed(status, "http://localhost/mcp")


REFUSED_CONNECTION = Unreachable("CONNECTION_REFUSED", "nobody listens")


@pytest.mark.parametrize(
    ("fault", "worth"),
    [
        (REFUSED_CONNECTION, True),
        (LOST, True),
        (Exited("x", "", 1), True),
        (TimedOut("CONNECTION_TIMEOUT", 1.0, "initialize"), True),
        (http(503), True),
        (http(404), False),
        (Unreachable("TLS_FAILED", "no"), False),
        (InvalidResponse("HANDSHAKE_FAILED", "no"), False),
        (RpcError(-32603, "no", exact({})), False),
        (Invalid("INVALID_ARGUMENT", "--x", "no"), False),
        (Interrupted("SIGTERM"), False),
    ],
)
def test_another_attempt_is_worth_it_where_the_outcome_may_change(fault: Fault, worth: bool) -> None:  # noqa: FBT001 - a case
    assert is_retryable_connect(TERMS, fault) is worth


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_server_in_trouble_may_be_asked_again(status: int) -> None:
    assert retryable(HttpFailed(status, ""))


@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 405, 410, 501])
def test_a_server_that_has_decided_is_not_asked_again(status: int) -> None:
    assert not retryable(HttpFailed(status, ""))
