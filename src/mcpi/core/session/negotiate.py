"""How we and a server agree on an era and a version."""

from typing import TypeAlias

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.outcome.faults import (
    Exited,
    Fault,
    HttpFailed,
    Interrupted,
    TimedOut,
    Unauthorized,
    Unreachable,
)
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import TransportNote, ViolationSeen
from mcpi.core.session import handshake, retry
from mcpi.core.session.effects import AwaitMessage, CloseTransport, Effects, Inbound, Now, OpenTransport
from mcpi.core.session.handshake import finish_handshake
from mcpi.core.session.retry import backoff, is_retryable_connect, retry_after
from mcpi.core.session.session import Session
from mcpi.core.wire import http_headers, modern
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.server_info import ClientInfo, Server
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS, era_of

HEAD_START = 0.3
"""Seconds that server/discover has for itself before initialize goes out too."""
_ABOUT_THE_ERA = frozenset({*range(400, 500), 500, 501}) - {401, 403, 407, 408, 425, 429}

Met: TypeAlias = Effects[Result[Server]]


def open_session(session: Session) -> Met:
    """The server as it introduces itself, after as many attempts as are allowed."""
    if session.lost is not None:
        return Failure(session.lost)
    if session.server is not None:
        return Success(session.server)
    session.advance("connect")
    return (yield from _attempts(session, session.terms.retries, 0))


def reopen_session(session: Session, attempts: int) -> Met:
    """The server as it introduces itself on a new connection, after the old one was lost."""
    interrupted = yield from _rest(session, backoff(0))
    if interrupted is not None:
        session.advance("give_up")
        session.lost = interrupted
        return Failure(interrupted)
    session.advance("reconnect")
    return (yield from _attempts(session, attempts, 1))


def _attempts(session: Session, retries: int, attempt: int) -> Met:
    while True:
        outcome = yield from _connect(session)
        match outcome:
            case Success(server):
                session.server = server
                session.peer.batches = server.version == "2025-03-26"
                session.advance("handshake_complete")
                met: float = yield Now()
                session.times.met = met
                for violation in handshake.unexpected_members(server):
                    session.note(ViolationSeen(violation, met))
                if session.terms.version not in {None, server.version}:
                    versions = {"asked": session.terms.version, "spoken": server.version}
                    session.note(TransportNote("another-version", versions, met))
                yield from finish_handshake(session, server)
                return outcome
            case Failure(fault):
                session.advance("timeout" if isinstance(fault, TimedOut) else "transport_error")
        if attempt < retries and is_retryable_connect(fault):
            interrupted = yield from _rest(session, max(backoff(attempt), retry_after(fault)))
            attempt += 1
            if interrupted is None:
                session.advance("reconnect")
                continue
            fault = interrupted
        session.advance("give_up")
        session.lost = fault
        return Failure(fault)


def _rest(session: Session, seconds: float) -> Effects[Fault | None]:
    """The pause before another attempt; the fault that ended it early."""
    yield CloseTransport()
    session.restart()
    yield from session.sleep(seconds)
    ended = session.lost if isinstance(session.lost, Interrupted) else None
    # What straggled in meanwhile was the old connection's.
    session.restart()
    return ended


def _connect(session: Session) -> Met:
    start: float = yield Now()
    opened = yield from _opened(session)
    if isinstance(opened, Failure):
        return opened
    session.times.start, session.times.opened = start, opened.unwrap()
    until, asked_for = start + session.terms.connect, session.terms.version
    match session.terms.era:
        case "handshake":
            version = asked_for or HANDSHAKE_VERSIONS[0]
            sse = session.terms.transport == "sse"
            way = "SSE knows only the handshake" if sse else "asked for with --era handshake"
            return (yield from _handshake(session, until, way, version))
        case "modern":
            version = asked_for or MODERN_VERSIONS[0]
            return (yield from _modern(session, until, "asked for with --era modern", version))
        case _ if asked_for is not None:
            era = era_of(asked_for)
            return (yield from _at(session, until, f"version {asked_for} is of the {era} era", asked_for))
        case _:
            met = yield from _auto(session, until)
            return (yield from _spared(session, until)) if _offended(session, met) else met


def _offended(session: Session, met: Result[Server]) -> bool:
    """Whether the server left without a word, and its first question was one that old servers do not know."""
    fault = met.failure() if isinstance(met, Failure) else None
    return isinstance(fault, Exited) and fault.heard and session.peer.outstanding.keys() == session.methods.keys()


def _spared(session: Session, until: float) -> Met:
    """The server is started again, and hears nothing before initialize: some end at any other first word."""
    yield CloseTransport()
    session.restart()
    opened = yield from _opened(session)
    if isinstance(opened, Failure):
        return opened
    way = "the server ended when it was asked server/discover, and was started again"
    return (yield from _handshake(session, until, way, HANDSHAKE_VERSIONS[0]))


def _opened(session: Session) -> Effects[Result[float]]:
    """When the connection was there; a server that wants a token to open it is asked again with one."""
    while True:
        opened: Result[float] = yield OpenTransport(session.terms.connect)
        if isinstance(opened, Success):
            return opened
        allowed = yield from retry.authorize_again(session, None, opened.failure())
        if isinstance(allowed, Failure):
            return allowed
        yield CloseTransport()


def _wait(session: Session, numbers: tuple[Id, ...], until: float) -> Effects[Id | None]:
    """Which of the requests was answered first; none by that time, or none any more."""
    session.waited |= set(numbers)
    while True:
        for number in numbers:
            if number in session.replies:
                return number
        if session.lost is not None:
            return None
        inbound: Inbound = yield AwaitMessage(until + session.paused)
        yield from session.absorb(inbound)
        if inbound.at >= until + session.paused and session.replies.keys().isdisjoint(numbers):
            return None


def _silent(session: Session, *numbers: Id) -> Effects[Failure[Fault]]:
    """Why there is no answer: the connection was lost, or nobody spoke in time."""
    if session.lost is not None:
        return Failure(session.lost)
    waited, seen = session.terms.connect, session.last_seen
    for number in numbers:
        # MCP 2026-07-28, cancellation: over HTTP closing the connection, which is what comes next, is the signal.
        if session.terms.transport == "stdio":
            yield from session.withdraw(number, waited)
    what = " and ".join(f"{session.methods[number]} (request {number})" for number in numbers)
    hints = ("a server that starts slowly may need a longer --connect-timeout",)
    return Failure(TimedOut("CONNECTION_TIMEOUT", waited, what, seen, hints))


def _at(session: Session, until: float, way: str, version: str) -> Met:
    """The introduction at one version, as its era has it."""
    if era_of(version) == "handshake":
        return (yield from _handshake(session, until, way, version))
    return (yield from _modern(session, until, way, version))


def _initialize_params(client: ClientInfo, version: str) -> dict[str, Printable]:
    info = {"name": client.name, "version": client.version}
    return {"protocolVersion": version, "capabilities": client.capabilities, "clientInfo": info}


def _send_initialize(session: Session, version: str) -> Effects[Id]:
    number, _ = yield from session.post("initialize", _initialize_params(session.terms.client, version))
    return number


def _handshake(session: Session, until: float, way: str, version: str) -> Met:
    number = yield from _send_initialize(session, version)
    if (yield from _wait(session, (number,), until)) is None:
        return (yield from _silent(session, number))
    return handshake.read_initialize(session.replies.pop(number), way, session.terms.transport)


def _ask_modern(session: Session, version: str) -> Effects[Id]:
    params = {"_meta": modern.envelope(session.terms.client, version, None)}
    stdio = session.terms.transport == "stdio"
    headers = {} if stdio else http_headers.headers("server/discover", params, version, modern=True)
    number, _ = yield from session.post("server/discover", params, headers)
    return number


def _modern(session: Session, until: float, way: str, version: str) -> Met:
    if not session.terms.discover:
        return Success(Server("modern", version, way=way, asked=False, transport=session.terms.transport))
    tried: tuple[str, ...] = HANDSHAKE_VERSIONS
    while True:
        number = yield from _ask_modern(session, version)
        if (yield from _wait(session, (number,), until)) is None:
            return (yield from _silent(session, number))
        outcome, tried = session.replies.pop(number), (*tried, version)
        better = handshake.best(handshake.versions(outcome), tried) if isinstance(outcome, Failure) else None
        if better is None:
            return (yield from _discovered(session, outcome, version, way))
        # MCP 2026-07-28, versioning: "The client SHOULD select a mutually supported version [...] and retry".
        way, version = f"{way}; the server does not speak {version} and named {better}", better


def _discovered(session: Session, outcome: Result[Exact], version: str, way: str) -> Met:
    verdict = handshake.read_discover(outcome, version, way, session.terms.transport)
    if isinstance(verdict, Success):
        at: float = yield Now()
        for violation in modern.examine("server/discover", verdict.unwrap().answer):
            session.note(ViolationSeen(violation, at))
    return verdict


def _auto(session: Session, until: float) -> Met:
    """As happy eyeballs does with addresses: both ways are tried, the newer with a head start."""
    asked = yield from _ask_modern(session, MODERN_VERSIONS[0])
    now: float = yield Now()
    early = yield from _wait(session, (asked,), min(now + HEAD_START, until))
    if early is not None:
        return (yield from _judge(session, session.replies.pop(asked), until))
    if session.lost is not None:
        return Failure(session.lost)
    return (yield from _race(session, asked, until))


def _judge(session: Session, outcome: Result[Exact], until: float) -> Met:
    """An early answer to server/discover: it settles the era, or initialize is tried at once."""
    verdict = yield from _discovered(session, outcome, MODERN_VERSIONS[0], "server/discover was answered")
    if isinstance(verdict, Success) or _is_final(outcome):
        return verdict
    named = handshake.versions(outcome)
    better = handshake.best(named, (MODERN_VERSIONS[0],))
    if better is not None:
        return (yield from _at(session, until, f"server/discover was answered with version {better}", better))
    if named:
        return verdict
    way = f"server/discover was refused ({handshake.brief_reason(outcome)})"
    return (yield from _handshake(session, until, way, HANDSHAKE_VERSIONS[0]))


def _is_final(outcome: Result[Exact]) -> bool:
    """Whether the failure says nothing about the era: a lost connection, a status that is not about it, no token."""
    match outcome:
        case Failure(HttpFailed(status=status)):
            return status not in _ABOUT_THE_ERA
        case Failure(fault):
            return isinstance(fault, Unreachable | Exited | TimedOut | Unauthorized)
        case Success():
            return False


def _race(session: Session, asked: Id, until: float) -> Met:
    """Both questions are out; a good answer to the newer one wins, else the older one's does."""
    greeted = yield from _send_initialize(session, HANDSHAKE_VERSIONS[0])
    first = yield from _wait(session, (asked, greeted), until)
    if first is None:
        return (yield from _silent(session, asked, greeted))
    if first == greeted:
        return (yield from _greeted_first(session, asked, greeted, until))
    outcome = session.replies.pop(asked)
    verdict = yield from _discovered(session, outcome, MODERN_VERSIONS[0], "server/discover was answered")
    if isinstance(verdict, Success):
        session.peer.give_up(greeted)
        return verdict
    if (yield from _wait(session, (greeted,), until)) is None:
        return (yield from _silent(session, greeted))
    way = f"server/discover was refused ({handshake.brief_reason(outcome)}), initialize was answered"
    return handshake.read_initialize(session.replies.pop(greeted), way, session.terms.transport)


def _greeted_first(session: Session, asked: Id, greeted: Id, until: float) -> Met:
    """A result settles the era; an error may be a modern server's, which has yet to answer the other question."""
    way = f"server/discover was not answered within {HEAD_START:g} s, initialize was"
    outcome = session.replies.pop(greeted)
    greeting_verdict = handshake.read_initialize(outcome, way, session.terms.transport)
    if isinstance(outcome, Failure) and (yield from _wait(session, (asked,), until)) is not None:
        late = session.replies.pop(asked)
        verdict = yield from _discovered(session, late, MODERN_VERSIONS[0], "server/discover was answered")
        if isinstance(verdict, Success):
            return verdict
    session.peer.give_up(asked)
    return greeting_verdict
