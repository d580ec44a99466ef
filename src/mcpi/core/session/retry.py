"""Decide whether and when to try again: connection attempts, Retry-After, and requests refused for want of a token."""

from typing import Protocol

from mcpi.core.outcome.faults import (
    Exited,
    Fault,
    HttpFailed,
    Interrupted,
    retryable,
)
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.session.effects import Authorize, Effects, Now, OpenServerStream, SendMessage
from mcpi.core.session.terms import Terms
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.server_info import Server

ROUNDS = 3
"""How often one request is sent again."""


class Refusable(Protocol):
    """What a session knows of its requests."""

    terms: Terms
    server: Server | None
    heard: dict[Id, float]
    sent: dict[Id, SendMessage]
    tries: dict[Id, int]
    paused: float


def authorize_again(session: Refusable, number: Id, fault: Fault) -> Effects[Result[None]]:
    """Whether the server may be asked again; the time that it takes is nobody's patience."""
    # MCP 2026-07-28, step-up: "no more than a few times and treat this as a permanent authorization failure".
    tried = session.tries.get(number, 0)
    if not (session.terms.authorize and isinstance(fault, HttpFailed)) or tried >= ROUNDS:
        return Failure(fault)
    from mcpi.core.wire.challenge import is_authorizable  # noqa: PLC0415 - most servers refuse nobody

    if not is_authorizable(fault):
        return Failure(fault)
    session.tries[number] = tried + 1
    before: float = yield Now()
    outcome: Result[None] = yield Authorize(fault)
    after: float = yield Now()
    session.paused += after - before
    return outcome


def send_again(session: Refusable, number: Id, fault: Fault) -> Effects[Fault | None]:
    """The request has gone out once more, or why it has not."""
    match (yield from authorize_again(session, number, fault)):
        case Success():
            server = session.server
            if server is not None and server.era == "handshake" and session.terms.stream:
                # The stream for what the server says unasked was refused as well.
                yield OpenServerStream()
            session.heard[number] = yield session.sent[number]
            return None
        case Failure(reason):
            return reason


LONGEST_PAUSE = 60.0
"""Seconds; a server that wants to be left alone for longer is asked by another run."""


def retry_after(fault: Fault) -> float:
    """The seconds after which the server wants to be asked again, as far as that can be waited for."""
    said = fault.headers.get("retry-after", "") if isinstance(fault, HttpFailed) else ""
    return min(float(said), LONGEST_PAUSE) if said.isascii() and said.isdigit() else 0.0


BACKOFF = (1.0, 2.0, 4.0)
"""Seconds before the attempts after the first; the last one serves for all further ones."""


def backoff(attempt: int) -> float:
    """How long to wait before that attempt, the first retry being 0."""
    return BACKOFF[min(attempt, len(BACKOFF) - 1)]


def is_retryable_connect(fault: Fault) -> bool:
    """Whether another attempt to connect may end better."""
    return (retryable(fault) or isinstance(fault, Exited)) and not isinstance(fault, Interrupted)
