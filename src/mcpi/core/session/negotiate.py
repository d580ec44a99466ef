"""Negotiate the era and the protocol version with a server."""

from typing import TypeAlias

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.outcome.faults import Exited, Fault, Interrupted, TimedOut
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import TransportNote, ViolationSeen
from mcpi.core.session import handshake, retry
from mcpi.core.session.effects import AwaitMessage, CloseTransport, Effects, Inbound, Now, OpenTransport
from mcpi.core.session.handshake import finish_handshake
from mcpi.core.session.retry import backoff, is_retryable_connect, pause, with_retries
from mcpi.core.session.session import Session
from mcpi.core.wire import http_headers, modern
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.server_info import ClientInfo, NegotiatedServer
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS, allows_batches, era_of

HEAD_START = 0.3
"""Seconds to wait for the response to server/discover before initialize is sent too."""

Negotiation: TypeAlias = Effects[Result[NegotiatedServer]]


def open_session(session: Session) -> Negotiation:
    """Connect to the server and negotiate, with as many attempts as allowed."""
    if session.connection_fault is not None:
        return Failure(session.connection_fault)
    if session.server is not None:
        return Success(session.server)
    session.advance("connect")
    return (yield from _attempts(session, session.terms.retries, 0))


def reopen_session(session: Session, attempts: int) -> Negotiation:
    """Connect again after the connection was lost."""
    interrupted = yield from pause_before_retry(session, backoff(session.terms, 0))
    if interrupted is not None:
        session.advance("give_up", interrupted)
        return Failure(interrupted)
    session.advance("reconnect")
    return (yield from _attempts(session, attempts, 1))


def _attempts(session: Session, retries: int, attempt: int) -> Negotiation:
    while True:
        outcome = yield from _connect(session)
        match outcome:
            case Success(server):
                session.server = server
                session.peer.allows_batches = allows_batches(server.version)
                session.advance("handshake_complete")
                session.times.negotiated = now = yield Now()
                for violation in handshake.unexpected_members(server):
                    session.record_event(ViolationSeen(violation, now))
                if session.terms.version not in {None, server.version}:
                    versions = {"requested": session.terms.version, "used": server.version}
                    session.record_event(TransportNote("another-version", versions, now))
                yield from finish_handshake(session, server)
                session.last_received.forget_responses()
                session.times.ready = yield Now()
                return outcome
            case Failure(fault):
                session.advance("timeout" if isinstance(fault, TimedOut) else "transport_error", fault)
        if attempt < retries and is_retryable_connect(session.terms, fault):
            interrupted = yield from pause_before_retry(session, pause(session.terms, attempt, fault))
            attempt += 1
            if interrupted is None:
                session.advance("reconnect")
                continue
            fault = interrupted
        session.connection_fault = fault = with_retries(session.terms, fault, attempt)
        session.advance("give_up", fault)
        return Failure(fault)


def pause_before_retry(session: Session, seconds: float) -> Effects[Fault | None]:
    """Close the connection, and wait before another attempt; return the fault if the wait was interrupted."""
    yield CloseTransport()
    session.restart()
    yield from session.sleep(seconds)
    ended = session.connection_fault if isinstance(session.connection_fault, Interrupted) else None
    # Discard the messages of the old connection that arrived meanwhile.
    session.restart()
    session.connection_fault = ended
    return ended


def _connect(session: Session) -> Negotiation:
    start: float = yield Now()
    within = session.connect_limit(start)
    opened = yield from _open_transport(session, within)
    if isinstance(opened, Failure):
        return opened
    session.times.start, session.times.opened = start, opened.unwrap()
    until, requested = start + within, session.terms.version
    match session.terms.era:
        case "handshake":
            version = requested or HANDSHAKE_VERSIONS[0]
            sse = session.terms.transport == "sse"
            way = "SSE supports only the handshake era" if sse else "set by --era handshake"
            return (yield from _initialize(session, until, way, version))
        case "modern":
            version = requested or MODERN_VERSIONS[0]
            return (yield from _discover(session, until, "set by --era modern", version))
        case _ if requested is not None:
            way = f"version {requested} belongs to the {era_of(requested)} era"
            return (yield from _negotiate_version(session, until, way, requested))
        case _:
            outcome = yield from _detect_era(session, until)
            exited = _exited_on_discover(session, outcome)
            return (yield from _restart_with_initialize(session, until)) if exited else outcome


def _exited_on_discover(session: Session, outcome: Result[NegotiatedServer]) -> bool:
    """Tell whether the server exited without any response after reading server/discover, which old servers lack."""
    fault = outcome.failure() if isinstance(outcome, Failure) else None
    return (
        isinstance(fault, Exited) and fault.had_read_input and session.peer.outstanding.keys() == session.methods.keys()
    )


def _restart_with_initialize(session: Session, until: float) -> Negotiation:
    """Restart the server and send initialize first: some servers exit on any other first request."""
    yield CloseTransport()
    session.restart()
    opened = yield from _open_transport(session, max(until - (yield Now()), 0.0))
    if isinstance(opened, Failure):
        return opened
    way = "the server exited after server/discover and was restarted"
    return (yield from _initialize(session, until, way, HANDSHAKE_VERSIONS[0]))


def _open_transport(session: Session, within: float) -> Effects[Result[float]]:
    """Open the transport and return the time; if the server requires a token, get one and try again."""
    while True:
        opened: Result[float] = yield OpenTransport(within)
        if isinstance(opened, Success):
            return opened
        allowed = yield from retry.authorize_again(session, None, opened.failure())
        if isinstance(allowed, Failure):
            return Failure(retry.with_given_limit(session, allowed.failure()))
        yield CloseTransport()


def _wait(session: Session, numbers: tuple[Id, ...], until: float) -> Effects[Id | None]:
    """Wait for the first response to any of the requests; return None on a timeout or a lost connection."""
    session.awaited |= set(numbers)
    while True:
        for number in numbers:
            if number in session.outcomes:
                return number
        if session.connection_fault is not None:
            return None
        inbound: Inbound = yield AwaitMessage(until + session.excluded_seconds)
        yield from session.absorb(inbound)
        if inbound.at >= until + session.excluded_seconds and session.outcomes.keys().isdisjoint(numbers):
            return None


def _no_response(session: Session, *numbers: Id) -> Effects[Failure[Fault]]:
    """Return the failure of unanswered requests: the lost connection, or a timeout that cancels them."""
    if session.connection_fault is not None:
        return Failure(session.connection_fault)
    waited, seen = session.connect_limit(session.times.start or 0.0), str(session.last_received)
    for number in numbers:
        # MCP 2026-07-28, cancellation: over HTTP, closing the connection (which follows) is the signal.
        if session.terms.transport == "stdio":
            yield from session.cancel(number, waited)
    what = " and ".join(f"{session.methods[number]} (request {number})" for number in numbers)
    fault = TimedOut("CONNECTION_TIMEOUT", waited, what, seen, (retry.limit_hint(session, "--connect-timeout"),))
    return Failure(retry.with_given_limit(session, fault))


def _negotiate_version(session: Session, until: float, way: str, version: str) -> Negotiation:
    """Negotiate one version with the request of its era."""
    if era_of(version) == "handshake":
        return (yield from _initialize(session, until, way, version))
    return (yield from _discover(session, until, way, version))


def _initialize_params(client: ClientInfo, version: str) -> dict[str, Printable]:
    info = {"name": client.name, "version": client.version}
    return {"protocolVersion": version, "capabilities": client.capabilities, "clientInfo": info}


def _send_initialize(session: Session, version: str) -> Effects[Id]:
    number, _ = yield from session.post("initialize", _initialize_params(session.terms.client, version))
    return number


def _initialize(session: Session, until: float, way: str, version: str) -> Negotiation:
    number = yield from _send_initialize(session, version)
    if (yield from _wait(session, (number,), until)) is None:
        return (yield from _no_response(session, number))
    return handshake.read_initialize(session.outcomes.pop(number), way, session.terms.transport)


def _send_discover(session: Session, version: str) -> Effects[Id]:
    params = {"_meta": modern.request_meta(session.terms.client, version, None)}
    stdio = session.terms.transport == "stdio"
    headers = {} if stdio else http_headers.headers("server/discover", params, version, modern=True)
    number, _ = yield from session.post("server/discover", params, headers)
    return number


def _discover(session: Session, until: float, way: str, version: str) -> Negotiation:
    if not session.terms.discover:
        return Success(
            NegotiatedServer(
                "modern", version, negotiation=way, was_asked_for_capabilities=False, transport=session.terms.transport
            )
        )
    tried: tuple[str, ...] = HANDSHAKE_VERSIONS
    while True:
        number = yield from _send_discover(session, version)
        if (yield from _wait(session, (number,), until)) is None:
            return (yield from _no_response(session, number))
        outcome, tried = session.outcomes.pop(number), (*tried, version)
        best_version = (
            handshake.newest_common_version(handshake.supported_versions(outcome), tried)
            if isinstance(outcome, Failure)
            else None
        )
        if best_version is None:
            return (yield from _read_discover(session, outcome, version, way))
        # MCP 2026-07-28, versioning: "The client SHOULD select a mutually supported version [...] and retry".
        way, version = f"{way}; the server does not support {version} and offered {best_version}", best_version


def _read_discover(session: Session, outcome: Result[Exact], version: str, way: str) -> Negotiation:
    verdict = handshake.read_discover(outcome, version, way, session.terms.transport)
    if isinstance(verdict, Success):
        at: float = yield Now()
        for violation in modern.check_result("server/discover", verdict.unwrap().result):
            session.record_event(ViolationSeen(violation, at))
    return verdict


def _detect_era(session: Session, until: float) -> Negotiation:
    """Detect the era as Happy Eyeballs chooses addresses: try both, the modern one with a head start."""
    discover_id = yield from _send_discover(session, MODERN_VERSIONS[0])
    answered = yield from _wait(session, (discover_id,), min((yield Now()) + HEAD_START, until))
    if answered is not None:
        return (yield from _after_early_response(session, session.outcomes.pop(discover_id), until))
    if session.connection_fault is not None:
        return Failure(session.connection_fault)
    return (yield from _race(session, discover_id, until))


def _after_early_response(session: Session, outcome: Result[Exact], until: float) -> Negotiation:
    """Determine the era from an early response to server/discover, or send initialize at once."""
    verdict = yield from _read_discover(session, outcome, MODERN_VERSIONS[0], "server/discover succeeded")
    if isinstance(verdict, Success) or handshake.is_final(outcome, session.authorization_fault):
        return verdict
    offered = handshake.supported_versions(outcome)
    best_version = handshake.newest_common_version(offered, (MODERN_VERSIONS[0],))
    if best_version is not None:
        return (
            yield from _negotiate_version(
                session, until, f"server/discover offered version {best_version}", best_version
            )
        )
    if offered:
        return verdict
    way = f"server/discover failed ({handshake.brief_reason(outcome)})"
    return (yield from _initialize(session, until, way, HANDSHAKE_VERSIONS[0]))


def _race(session: Session, discover_id: Id, until: float) -> Negotiation:
    """Send initialize while server/discover is pending; a valid result of server/discover wins over initialize."""
    initialize_id = yield from _send_initialize(session, HANDSHAKE_VERSIONS[0])
    first = yield from _wait(session, (discover_id, initialize_id), until)
    if first is None:
        return (yield from _no_response(session, discover_id, initialize_id))
    if first == initialize_id:
        return (yield from _initialize_came_first(session, discover_id, initialize_id, until))
    outcome = session.outcomes.pop(discover_id)
    verdict = yield from _read_discover(session, outcome, MODERN_VERSIONS[0], "server/discover succeeded")
    if isinstance(verdict, Success):
        session.abandon_probe(initialize_id)
        return verdict
    if (yield from _wait(session, (initialize_id,), until)) is None:
        return (yield from _no_response(session, initialize_id))
    way = f"server/discover failed ({handshake.brief_reason(outcome)}); initialize succeeded"
    return handshake.read_initialize(session.outcomes.pop(initialize_id), way, session.terms.transport)


def _initialize_came_first(session: Session, discover_id: Id, initialize_id: Id, until: float) -> Negotiation:
    """Use the result of initialize; after an error, wait for server/discover, as the server may be modern."""
    way = f"no response to server/discover within {HEAD_START:g} s; initialize succeeded"
    outcome = session.outcomes.pop(initialize_id)
    initialized = handshake.read_initialize(outcome, way, session.terms.transport)
    if isinstance(outcome, Failure) and (yield from _wait(session, (discover_id,), until)) is not None:
        late = session.outcomes.pop(discover_id)
        verdict = yield from _read_discover(session, late, MODERN_VERSIONS[0], "server/discover succeeded")
        if isinstance(verdict, Success):
            return verdict
    session.abandon_probe(discover_id)
    return initialized
