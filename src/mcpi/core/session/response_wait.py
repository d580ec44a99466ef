"""Wait for the response to a request, within its time limits."""

from math import inf
from typing import TYPE_CHECKING

from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import TimedOut
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.session.effects import AwaitMessage, ConnectionLost, Effects, Inbound
from mcpi.core.wire.jsonrpc import Id

if TYPE_CHECKING:
    from mcpi.core.session.session import Session


def wait_for_response(session: "Session", number: Id, sent: float) -> Effects[Result[Exact]]:
    """Wait for the response to a request; fail on a timeout or a lost connection."""
    session.awaited.add(number)
    cap = sent + session.terms.total_timeout - session.excluded_seconds
    until = _deadline(session, number, cap)
    wait, is_asked = _awaiting(until), session.questions.waiting
    while number not in session.outcomes:
        if session.connection_fault is not None:
            return Failure(session.connection_fault)
        inbound: Inbound = yield wait
        if not session.absorb_notification(inbound):
            yield from session.absorb(inbound)
        # A flood of other messages must not delay the timeout: each of them carries the current time.
        if inbound.at >= until or is_asked is not session.questions.waiting:
            until, is_asked = _deadline(session, number, cap), session.questions.waiting
            wait = _awaiting(until)
            if inbound.at >= until and not isinstance(inbound, ConnectionLost) and number not in session.outcomes:
                is_silent = until == session.last_activity[number] + session.terms.timeout
                is_silent = is_silent or until == session.deadline
                flag = "--timeout" if is_silent else "--max-total-timeout"
                return (yield from _time_out(session, number, inbound.at - sent, flag))
    session.last_activity.pop(number, None)
    session.awaited.discard(number)
    return session.outcomes.pop(number)


def _awaiting(until: float) -> AwaitMessage:
    return AwaitMessage(None if until == inf else until)


def _deadline(session: "Session", number: Id, cap: float) -> float:
    if session.questions.waiting:
        # The time that a user takes to answer the server does not count.
        return inf
    until = min(session.last_activity[number] + session.terms.timeout, cap + session.excluded_seconds)
    return until if session.deadline is None else min(until, session.deadline)


def _time_out(session: "Session", number: Id, waited: float, flag: str) -> Effects[Result[Exact]]:
    yield from session.cancel(number, waited)
    what = f"{session.methods[number]} (request {number})"
    hints = (f"an answer that takes its time may need a longer {flag}",)
    return Failure(TimedOut("REQUEST_TIMEOUT", round(waited, 3), what, session.last_message, hints))
