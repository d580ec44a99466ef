"""A request that was refused for want of a token is sent again when there is one."""

from typing import Protocol

from mcpi.core.acts import Acts, Authorize, Listen, Now, Transmit
from mcpi.core.faults import Fault, HttpFailed
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.server import Server
from mcpi.core.terms import Terms
from mcpi.core.wire.jsonrpc import Id

ROUNDS = 3
"""How often one request is sent again."""


class Refusable(Protocol):
    """What a session knows of its requests."""

    terms: Terms
    server: Server | None
    heard: dict[Id, float]
    sent: dict[Id, Transmit]
    tries: dict[Id, int]
    paused: float


def authorized(session: Refusable, number: Id, fault: Fault) -> Acts[Outcome[None]]:
    """Whether the server may be asked again; the time that it takes is nobody's patience."""
    # MCP 2026-07-28, step-up: "no more than a few times and treat this as a permanent authorization failure".
    tried = session.tries.get(number, 0)
    if not (session.terms.authorize and isinstance(fault, HttpFailed)) or tried >= ROUNDS:
        return Failure(fault)
    from mcpi.core.challenge import is_authorizable  # noqa: PLC0415 - most servers refuse nobody

    if not is_authorizable(fault):
        return Failure(fault)
    session.tries[number] = tried + 1
    before: float = yield Now()
    outcome: Outcome[None] = yield Authorize(fault)
    after: float = yield Now()
    session.paused += after - before
    return outcome


def again(session: Refusable, number: Id, fault: Fault) -> Acts[Fault | None]:
    """The request has gone out once more, or why it has not."""
    match (yield from authorized(session, number, fault)):
        case Success():
            server = session.server
            if server is not None and server.era == "handshake" and session.terms.stream:
                # The stream for what the server says unasked was refused as well.
                yield Listen()
            session.heard[number] = yield session.sent[number]
            return None
        case Failure(reason):
            return reason
