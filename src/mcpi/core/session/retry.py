"""Retry decisions: connection attempts, Retry-After, and requests that failed for lack of a token."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import evolve

from mcpi.core.outcome.explain import retryable
from mcpi.core.outcome.faults import (
    Exited,
    Fault,
    HttpFailed,
    Interrupted,
    TimedOut,
    Unreachable,
    code,
)
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.session.effects import Authorize, Effects, Now, OpenServerStream
from mcpi.core.session.terms import Terms
from mcpi.core.wire.jsonrpc import Id

if TYPE_CHECKING:
    from mcpi.core.session.session import Session


STARTING = "if the server is still starting, add --retry 5"
MAX_AUTHORIZATIONS = 3
"""Maximum number of times one request is sent again after authorization."""
LIMIT_HINTS: Mapping[str, str] = {
    "--connect-timeout": "for slow servers, use a longer --connect-timeout",
    "--timeout": "for slow responses, use a longer --timeout",
    "--max-total-timeout": "for slow responses, use a longer --max-total-timeout",
    "--follow": "with --follow, --timeout limits the whole run; use a longer one",
}
"""The hints about limits that expire, by flag."""


def limit_hint(session: "Session", flag: str) -> str:
    """Return the hint about the limit that the flag sets."""
    return session.terms.limit_hints.get(flag, LIMIT_HINTS[flag])


def with_given_limit(session: "Session", fault: Fault) -> Fault:
    """Return the fault of a failed connection; if a deadline shortened its timeout, with the --timeout of the run."""
    if not isinstance(fault, TimedOut) or fault.limit >= session.terms.connect_timeout:
        return fault
    return evolve(fault, limit=session.terms.timeout, hints=(limit_hint(session, "--follow"),))


def authorize_again(session: "Session", number: Id, fault: Fault) -> Effects[Result[None]]:
    """Get a token if the request can be retried with one; the time spent does not count towards timeouts."""
    # MCP 2026-07-28, step-up: "no more than a few times and treat this as a permanent authorization failure".
    tried = session.authorization_attempts.get(number, 0)
    if not (session.terms.authorize and isinstance(fault, HttpFailed)) or tried >= MAX_AUTHORIZATIONS:
        return Failure(fault)
    from mcpi.core.wire.challenge import is_authorizable  # noqa: PLC0415 - most servers require no authorization

    if not is_authorizable(fault):
        return Failure(fault)
    if session.server is None and session.authorization_fault is not None:
        # While connecting, two requests may be pending: the user should not have to log in twice.
        return Failure(session.authorization_fault)
    session.authorization_attempts[number] = tried + 1
    before: float = yield Now()
    outcome: Result[None] = yield Authorize(fault)
    after: float = yield Now()
    session.excluded_seconds += after - before
    session.authorization_fault = outcome.failure() if isinstance(outcome, Failure) else None
    return outcome


def send_again(session: "Session", number: Id, fault: Fault) -> Effects[Fault | None]:
    """Authorize and send the request again; return the fault if that is not possible."""
    match (yield from authorize_again(session, number, fault)):
        case Success():
            server = session.server
            if server is not None and server.era == "handshake" and session.terms.open_server_stream:
                # The server rejected the stream for unsolicited messages as well.
                yield OpenServerStream()
            session.last_activity[number] = yield session.sent_messages[number]
            return None
        case Failure(reason):
            return reason


MAX_RETRY_AFTER = 60.0
"""Maximum number of seconds to wait for Retry-After."""


def retry_after(fault: Fault) -> float:
    """Seconds in the Retry-After header, up to MAX_RETRY_AFTER; 0 without the header."""
    value = fault.headers.get("retry-after", "") if isinstance(fault, HttpFailed) else ""
    return min(float(value), MAX_RETRY_AFTER) if value.isascii() and value.isdigit() else 0.0


def backoff(terms: Terms, attempt: int) -> float:
    """Seconds before the retry with that number; the first retry is 0."""
    return terms.backoff[min(attempt, len(terms.backoff) - 1)] if terms.backoff else 0.0


DEFAULT_RECONNECT_DELAY = 1.0
"""Seconds before an event stream is reopened, unless the server sets another time."""
MIN_RECONNECT_DELAY, MAX_RECONNECT_DELAY = 0.1, 60.0
RECONNECT_GROWTH = 1.25
RECONNECT_JITTER = 0.25


def reconnect_delay(retry: float | None, empty_streams: int, chance: float) -> float:
    """Seconds before an event stream is reopened, after `empty_streams` streams in a row without new events.

    `chance` is a random number from 0 to 1, so that clients that lost their streams together do not reconnect together.
    """
    # HTML standard, section 9.2: "User agents may also wait longer" than the reconnection time.
    first = max(DEFAULT_RECONNECT_DELAY if retry is None else retry, MIN_RECONNECT_DELAY)
    spread = 1 + RECONNECT_JITTER * chance if empty_streams else 1.0
    # Limit the exponent, so that the power does not overflow.
    return min(first * RECONNECT_GROWTH ** min(empty_streams, 32) * spread, MAX_RECONNECT_DELAY)


def pause(terms: Terms, attempt: int, fault: Fault) -> float:
    """Seconds before the retry with that number, or those that the server asked for."""
    return max(backoff(terms, attempt), retry_after(fault))


def with_retries(terms: Terms, fault: Fault, retries: int) -> Fault:
    """Add the number of retries to the fault of the last attempt to connect if it is retryable, or suggest retries."""
    if not retries and isinstance(fault, Unreachable) and fault.code == "CONNECTION_REFUSED":
        return evolve(fault, hints=(*fault.hints, STARTING))
    if not retries or not is_retryable_connect(terms, fault):
        return fault
    return evolve(fault, hints=(f"gave up after {retries} {'retry' if retries == 1 else 'retries'}", *fault.hints))


def is_retryable_connect(terms: Terms, fault: Fault) -> bool:
    """Tell whether another attempt to connect may succeed; codes in the terms replace the default rule."""
    if terms.retryable_codes is not None:
        return code(fault) in terms.retryable_codes
    return (retryable(fault) or isinstance(fault, Exited)) and not isinstance(fault, Interrupted)
