"""What stands between the handshake and the first request."""

from attrs import evolve

from mcpi.core.acts import Acts, Await, Inbound, Listen, Now
from mcpi.core.server import Server
from mcpi.core.session import Session
from mcpi.core.steps import Call

ASKING, HEEDING = 0.5, 0.1
"""Seconds in which a server asks for what was announced, and makes use of the answer, unless it does not care."""


def settle_in(session: Session, server: Server) -> Acts[None]:
    """What the handshake era wants to hear before the first request."""
    if server.era == "modern":
        return
    yield from session.notify("notifications/initialized")
    if session.terms.stream:
        yield Listen()
    announced = [one for one in session.desk.handlers.values() if one.responder.announce and one.given]
    for handler in announced:
        yield from session.notify(handler.responder.announce)
    if announced:
        yield from _heeded(session, tuple(handler.responder.method for handler in announced))
    if session.terms.log_level is not None and server.declares("logging"):
        session.server = evolve(server, implicit=(*server.implicit, "logging/setLevel"))
        yield from session.call(Call("logging/setLevel", {"level": session.terms.log_level}, tolerant=True))


def _heeded(session: Session, methods: tuple[str, ...]) -> Acts[None]:
    """What was announced may matter for the first request: a server that asks for it at once gets it before."""
    at: float = yield Now()
    until = at + ASKING
    while at < until and session.lost is None and not all(map(session.desk.asked, methods)):
        inbound: Inbound = yield Await(until)
        yield from session.absorb(inbound)
        at = inbound.at
    if any(map(session.desk.asked, methods)):
        yield from session.sleep(HEEDING)
