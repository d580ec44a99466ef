"""Retries after authorization, reconnect delays and retryable failures."""

from itertools import accumulate, count, takewhile

import pytest
from attrs import evolve

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.outcome.explain import retryable
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
from mcpi.core.session.effects import Authorize, Effects
from mcpi.core.session.negotiate import open_session
from mcpi.core.session.retry import (
    MAX_AUTHORIZATIONS,
    backoff,
    is_retryable_connect,
    reconnect_delay,
    retry_after,
    with_retries,
)
from mcpi.core.session.terms import Terms
from mcpi.core.wire.server_info import ClientInfo
from support.constants import HANDSHAKE_HTTP, LOST, MODERN_HTTP
from support.conversation import (
    Conversation,
    Expect,
    FailRequest,
    FailToOpen,
    ServerAction,
    answer,
    connected,
    starting,
)
from support.replay import exact

DENIED = HttpFailed(401, "https://mcp.example/mcp")
FORBIDDEN = HttpFailed(403, "https://mcp.example/mcp")
NO_USER = Unauthorized("no user")
TWICE: tuple[ServerAction, ...] = (Expect("x"), FailRequest(1, DENIED), Expect("x"), answer(1, {}))


def authorize_with(conversation: Conversation, *outcomes: Result[None], seconds: float = 0.0) -> Conversation:
    """Give the conversation authorizations with these outcomes and this duration."""
    conversation.authorizations.extend(outcomes)
    conversation.authorization_delay = seconds
    return conversation


def test_request_is_repeated_unchanged_after_authorization() -> None:
    conversation = authorize_with(connected(MODERN_HTTP, *TWICE, authorize=True), Success(None))

    assert conversation.run(conversation.session.call(Call("x"))) == Success(exact({}))
    assert conversation.authorized == [Authorize(DENIED)]
    first, second = conversation.sent
    assert first == second


def test_failed_authorization_is_the_outcome() -> None:
    conversation = authorize_with(connected(MODERN_HTTP, *TWICE[:2], authorize=True), Failure(NO_USER))

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(NO_USER)
    assert len(conversation.sent) == 1


def test_authorization_is_not_attempted_unless_enabled() -> None:
    conversation = connected(MODERN_HTTP, *TWICE[:2])

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(DENIED)
    assert conversation.authorized == []


def test_plain_403_does_not_trigger_authorization() -> None:
    conversation = connected(MODERN_HTTP, Expect("x"), FailRequest(1, FORBIDDEN), authorize=True)

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(FORBIDDEN)
    assert conversation.authorized == []


def test_lost_connection_does_not_trigger_authorization() -> None:
    gone = Unreachable("CONNECTION_LOST", "gone")
    conversation = connected(MODERN_HTTP, Expect("x"), FailRequest(1, gone), authorize=True)

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(gone)


def test_number_of_authorizations_is_limited() -> None:
    actions = (Expect("x"), FailRequest(1, DENIED)) * (MAX_AUTHORIZATIONS + 1)
    conversation = authorize_with(
        connected(MODERN_HTTP, *actions, authorize=True), *(Success(None),) * MAX_AUTHORIZATIONS
    )

    assert conversation.run(conversation.session.call(Call("x"))) == Failure(DENIED)
    assert len(conversation.authorized) == MAX_AUTHORIZATIONS


def test_authorizations_are_counted_per_connection() -> None:
    actions = (*TWICE[:2] * MAX_AUTHORIZATIONS, Expect("x"), answer(1, {}), Expect("x"), FailRequest(1, DENIED))
    conversation = authorize_with(
        connected(HANDSHAKE_HTTP, *actions, Expect("x"), answer(1, {}), authorize=True, open_server_stream=False),
        *(Success(None),) * (MAX_AUTHORIZATIONS + 1),
    )

    def effects() -> Effects[Result[Exact]]:
        yield from conversation.session.call(Call("x"))
        # The ids of the requests of a new connection start again.
        conversation.session.restart()
        return (yield from conversation.session.call(Call("x")))

    assert conversation.run(effects()) == Success(exact({}))
    assert len(conversation.authorized) == MAX_AUTHORIZATIONS + 1


def test_server_stream_is_reopened_after_authorization() -> None:
    conversation = authorize_with(connected(HANDSHAKE_HTTP, *TWICE, authorize=True), Success(None))
    conversation.run(conversation.session.call(Call("x")))

    assert [entry for _, entry in conversation.log] == ["x", "authorize", "listen", "x"]


def test_disabled_server_stream_is_not_opened_after_authorization() -> None:
    conversation = authorize_with(
        connected(HANDSHAKE_HTTP, *TWICE, authorize=True, open_server_stream=False), Success(None)
    )
    conversation.run(conversation.session.call(Call("x")))

    assert [entry for _, entry in conversation.log] == ["x", "authorize", "x"]


def test_authorization_time_does_not_count_towards_the_connect_timeout() -> None:
    actions = (Expect("initialize"), FailRequest(1, DENIED), Expect("initialize"))
    greeting: Printable = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "serverInfo": {"name": "s", "version": "1"},
    }
    conversation = authorize_with(
        starting(*actions, answer(1, greeting), era="handshake", transport="http", connect_timeout=5.0, authorize=True),
        Success(None),
        seconds=60.0,
    )
    outcome = conversation.run(open_session(conversation.session))

    assert isinstance(outcome, Success)
    assert conversation.clock >= 60


def test_refused_connection_is_reopened_after_authorization() -> None:
    conversation = authorize_with(
        starting(FailToOpen(DENIED), era="modern", transport="http", discover=False, authorize=True), Success(None)
    )

    assert isinstance(conversation.run(open_session(conversation.session)), Success)
    assert [entry for _, entry in conversation.log] == ["open failed", "authorize", "close", "open"]


def test_failed_authorization_ends_connecting() -> None:
    conversation = authorize_with(
        starting(FailToOpen(DENIED), era="modern", transport="http", discover=False, authorize=True), Failure(NO_USER)
    )

    assert conversation.run(open_session(conversation.session)) == Failure(NO_USER)


@pytest.mark.parametrize(
    "fault", [NO_USER, HttpFailed(404, "https://as.example/token")], ids=["user", "token endpoint"]
)
def test_failed_authorization_does_not_lead_to_initialize(fault: Fault) -> None:
    conversation = authorize_with(
        starting(Expect("server/discover"), FailRequest(1, DENIED), transport="http", authorize=True), Failure(fault)
    )

    assert conversation.run(open_session(conversation.session)) == Failure(fault)
    assert [one.method for one in conversation.sent] == ["server/discover"]


def test_authorization_that_failed_is_not_repeated_for_the_other_era() -> None:
    actions = (Expect("server/discover"), Expect("initialize"), FailRequest(1, DENIED), FailRequest(2, DENIED))
    conversation = authorize_with(starting(*actions, transport="http", authorize=True), Failure(NO_USER))

    assert conversation.run(open_session(conversation.session)) == Failure(NO_USER)
    assert len(conversation.authorized) == 1


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
def test_retry_after_header_is_parsed_and_limited(fault: Fault, seconds: float) -> None:
    assert retry_after(fault) == seconds


@pytest.mark.parametrize(
    ("retry", "failed_attempts", "chance", "seconds"),
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
def test_reconnect_delay_grows_with_fruitless_attempts(
    retry: float | None, failed_attempts: int, chance: float, seconds: float
) -> None:
    assert reconnect_delay(retry, failed_attempts, chance) == pytest.approx(seconds)


def test_reconnects_are_fewer_than_fifteen_in_five_seconds() -> None:
    waits = accumulate(reconnect_delay(0.0, number, 0.0) for number in count(1))

    assert sum(1 for _ in takewhile(lambda waited: waited < 5.0, waits)) < 15


TERMS = Terms(ClientInfo({}))


def test_empty_backoff_means_no_delay() -> None:
    assert backoff(Terms(ClientInfo({}), backoff=()), 2) == 0.0


def test_configured_codes_replace_the_default_rule() -> None:
    terms = Terms(ClientInfo({}), retryable_codes=frozenset({"AUTHENTICATION_FAILED"}))

    assert [is_retryable_connect(terms, NO_USER), is_retryable_connect(terms, LOST)] == [True, False]


def test_backoff_grows_up_to_a_maximum() -> None:
    assert [backoff(TERMS, attempt) for attempt in range(5)] == [1.0, 2.0, 4.0, 4.0, 4.0]


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
def test_transient_connect_failures_are_retryable(fault: Fault, worth: bool) -> None:  # noqa: FBT001 - a case
    assert is_retryable_connect(TERMS, fault) is worth


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_transient_http_statuses_are_retryable(status: int) -> None:
    assert retryable(HttpFailed(status, ""))


@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 405, 410, 501])
def test_permanent_http_statuses_are_not_retryable(status: int) -> None:
    assert not retryable(HttpFailed(status, ""))


def test_failure_to_connect_has_the_number_of_retries() -> None:
    shut = Unreachable("CONNECTION_REFUSED", "no", hints=("start it",))

    assert with_retries(TERMS, shut, 0) == evolve(
        shut, hints=("start it", "if the server is still starting, add --retry 5")
    )
    assert with_retries(TERMS, HttpFailed(500, ""), 0) == HttpFailed(500, "")
    assert with_retries(TERMS, shut, 1) == evolve(shut, hints=("gave up after 1 retry", "start it"))
    assert with_retries(TERMS, shut, 2) == evolve(shut, hints=("gave up after 2 retries", "start it"))
    assert with_retries(TERMS, Interrupted("SIGINT"), 1) == Interrupted("SIGINT")
    assert with_retries(TERMS, HttpFailed(404, ""), 1) == HttpFailed(404, "")
