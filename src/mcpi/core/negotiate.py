"""How we and a server agree on an era and a version."""

from typing import TypeAlias

from mcpi.core.acts import Acts, Await, Expired, Listen, Now, Open, Shut
from mcpi.core.exact import Exact, Printable
from mcpi.core.faults import Broken, Exited, Fault, HttpFailed, RpcError, TimedOut, Unreachable, retryable
from mcpi.core.lifecycle import backoff
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.server import EMPTY, HANDSHAKE_VERSIONS, MODERN_VERSIONS, Client, Server
from mcpi.core.session import Session
from mcpi.core.steps import Call
from mcpi.core.values import as_list, as_object, as_text
from mcpi.core.wire import http, modern
from mcpi.core.wire.jsonrpc import Id

HEAD_START = 0.3
"""Seconds that server/discover has for itself before initialize goes out too."""
UNSUPPORTED_VERSION = -32022
_ABOUT_THE_ERA = frozenset(range(400, 500)) - {401, 403, 407, 408, 425, 429}

Met: TypeAlias = Acts[Outcome[Server]]


def open_session(session: Session) -> Met:
    """The server as it introduces itself, after as many attempts as are allowed."""
    if session.server is not None and session.lost is None:
        return Success(session.server)
    if session.lost is not None:
        return Failure(session.lost)
    session.advance("connect")
    attempt = 0
    while True:
        outcome = yield from _connect(session)
        match outcome:
            case Success(server):
                session.server = server
                session.advance("handshake_complete")
                session.times.met = yield Now()
                yield from _settle_in(session, server)
                return outcome
            case Failure(fault):
                session.advance("timeout" if isinstance(fault, TimedOut) else "transport_error")
        if attempt >= session.terms.retries or not worth_another(fault):
            session.advance("give_up")
            session.lost = fault
            return outcome
        yield Shut()
        session.restart()
        yield from session.sleep(backoff(attempt))
        session.advance("reconnect")
        attempt += 1


def worth_another(fault: Fault) -> bool:
    """Whether another attempt to connect may end better."""
    return retryable(fault) or isinstance(fault, Exited)


def _connect(session: Session) -> Met:
    start: float = yield Now()
    opened: Outcome[float] = yield Open(session.terms.connect)
    if isinstance(opened, Failure):
        return opened
    session.times.start, session.times.opened = start, opened.unwrap()
    until = start + session.terms.connect
    match session.terms.era:
        case "handshake":
            return (yield from _handshake(session, until, "asked for with --era handshake"))
        case "modern":
            return (yield from _modern(session, until, "asked for with --era modern"))
        case _:
            return (yield from _auto(session, until))


def _settle_in(session: Session, server: Server) -> Acts[None]:
    """What the handshake era wants to hear before the first request."""
    if server.era == "modern":
        return
    yield from session.notify("notifications/initialized")
    if session.terms.stream:
        yield Listen(server.version)
    for handler in session.desk.handlers.values():
        if handler.responder.announce and handler.given:
            yield from session.notify(handler.responder.announce)
    if session.terms.log_level is not None and server.declares("logging"):
        yield from session.call(Call("logging/setLevel", {"level": session.terms.log_level}, tolerant=True))


def _wait(session: Session, numbers: tuple[Id, ...], until: float) -> Acts[Id | None]:
    """Which of the requests was answered first; none by that time, or none any more."""
    session.waited |= set(numbers)
    while session.lost is None:
        for number in numbers:
            if number in session.replies:
                return number
        inbound = yield Await(until)
        if isinstance(inbound, Expired):
            return None
        yield from session.absorb(inbound)
    return None


def _silent(session: Session, what: str, number: Id) -> Failure[Fault]:
    """Why there is no answer: the connection was lost, or nobody spoke in time."""
    if session.lost is not None:
        return Failure(session.lost)
    hints = ("a server that starts slowly may need a longer --connect-timeout",)
    waited, seen = session.terms.connect, session.last_seen
    return Failure(TimedOut("CONNECTION_TIMEOUT", waited, f"{what} (request {number})", seen, hints))


def _initialize_params(client: Client, version: str) -> dict[str, Printable]:
    info = {"name": client.name, "version": client.version}
    return {"protocolVersion": version, "capabilities": client.capabilities, "clientInfo": info}


def _offer(session: Session) -> str:
    version = session.terms.version
    return version if version and version not in MODERN_VERSIONS else HANDSHAKE_VERSIONS[0]


def _send_initialize(session: Session) -> Acts[Id]:
    number, _ = yield from session.post("initialize", _initialize_params(session.terms.client, _offer(session)))
    return number


def _handshake(session: Session, until: float, way: str) -> Met:
    number = yield from _send_initialize(session)
    if (yield from _wait(session, (number,), until)) is None:
        return _silent(session, "initialize", number)
    return _greeted(session, session.replies.pop(number), way)


def _greeted(session: Session, outcome: Outcome[Exact], way: str) -> Outcome[Server]:
    """What the answer to initialize says."""
    match outcome:
        case Failure(RpcError() as error):
            problem = f"the server refused initialize with error {error.number}: {error.message}"
            return Failure(Broken("HANDSHAKE_FAILED", problem, (error.error.text,)))
        case Failure():
            return outcome
        case Success(result):
            return _server(session, result, way)


def _server(session: Session, result: Exact, way: str) -> Outcome[Server]:
    members = as_object(result.value)
    version = members.get("protocolVersion")
    if not isinstance(version, str) or version not in HANDSHAKE_VERSIONS:
        said = f"version {version!r}" if "protocolVersion" in members else "no version"
        problem = f"the server answered initialize with {said}; mcpi speaks {', '.join(HANDSHAKE_VERSIONS)}"
        return Failure(Broken("PROTOCOL_VERSION_MISMATCH", problem, (result.text[:300],)))
    parts = result.members()
    info, capabilities = parts.get("serverInfo", EMPTY), parts.get("capabilities", EMPTY)
    instructions = as_text(members.get("instructions"))
    transport = session.terms.transport
    return Success(Server("handshake", version, info, capabilities, instructions, way, result, transport=transport))


def _ask_modern(session: Session, version: str) -> Acts[Id]:
    params = {"_meta": modern.envelope(session.terms.client, version, None)}
    headers = http.headers("server/discover", params, version, modern=True)
    number, _ = yield from session.post("server/discover", params, headers)
    return number


def _version(session: Session) -> str:
    version = session.terms.version
    return version if version and version not in HANDSHAKE_VERSIONS else MODERN_VERSIONS[0]


def _modern(session: Session, until: float, way: str) -> Met:
    version = _version(session)
    if not session.terms.discover:
        return Success(Server("modern", version, way=way, asked=False, transport=session.terms.transport))
    number = yield from _ask_modern(session, version)
    if (yield from _wait(session, (number,), until)) is None:
        return _silent(session, "server/discover", number)
    match session.replies.pop(number):
        case Success(result):
            return discovered(session, result, way)
        case Failure(RpcError() as error):
            problem = f"the server refused server/discover with error {error.number}: {error.message}"
            mismatch = error.number == UNSUPPORTED_VERSION
            return Failure(
                Broken("PROTOCOL_VERSION_MISMATCH" if mismatch else "HANDSHAKE_FAILED", problem, (error.error.text,))
            )
        case Failure() as failed:
            return failed


def discovered(session: Session, result: Exact, way: str) -> Outcome[Server]:
    """What the answer to server/discover says."""
    members = as_object(result.value)
    offered = [version for version in as_list(members.get("supportedVersions")) if isinstance(version, str)]
    mutual = [version for version in (_version(session), *MODERN_VERSIONS) if version in offered]
    if not mutual:
        problem = f"the server speaks {', '.join(offered) or 'no version'}; mcpi asked for {_version(session)}"
        return Failure(Broken("PROTOCOL_VERSION_MISMATCH", problem, (result.text[:300],)))
    meta = result.members().get("_meta", EMPTY)
    info = meta.members().get(f"{modern.PREFIX}serverInfo", EMPTY)
    capabilities = result.members().get("capabilities", EMPTY)
    text = as_text(members.get("instructions"))
    return Success(Server("modern", mutual[0], info, capabilities, text, way, result, session.terms.transport))


def _auto(session: Session, until: float) -> Met:
    """As happy eyeballs does with addresses: both ways are tried, the newer with a head start."""
    if session.terms.version in HANDSHAKE_VERSIONS:
        return (yield from _handshake(session, until, f"version {session.terms.version} is of the handshake era"))
    if session.terms.version is not None:
        return (yield from _modern(session, until, f"version {session.terms.version} is of the modern era"))
    asked = yield from _ask_modern(session, MODERN_VERSIONS[0])
    now: float = yield Now()
    early = yield from _wait(session, (asked,), min(now + HEAD_START, until))
    if early is not None:
        return (yield from _judge(session, session.replies.pop(asked), until))
    if session.lost is not None:
        return Failure(session.lost)
    return (yield from _race(session, asked, until))


def _race(session: Session, asked: Id, until: float) -> Met:
    """Both questions are out; a good answer to the newer one wins, else the older one's does."""
    greeted = yield from _send_initialize(session)
    first = yield from _wait(session, (asked, greeted), until)
    if first == asked:
        verdict = _verdict(session, session.replies.pop(asked))
        if isinstance(verdict, Success):
            session.peer.give_up(greeted)
            return verdict
        if (yield from _wait(session, (greeted,), until)) is None:
            return _silent(session, "initialize", greeted)
    elif first is None:
        return _silent(session, "server/discover and initialize", greeted)
    session.peer.give_up(asked)
    way = f"server/discover was not answered within {HEAD_START:g} s, initialize was"
    return _greeted(session, session.replies.pop(greeted), way)


def _verdict(session: Session, outcome: Outcome[Exact]) -> Outcome[Server]:
    match outcome:
        case Success(result):
            return discovered(session, result, "server/discover was answered")
        case Failure() as failed:
            return failed


def _judge(session: Session, outcome: Outcome[Exact], until: float) -> Met:
    """An early answer to server/discover: it settles the era, or initialize is tried at once."""
    verdict = _verdict(session, outcome)
    match verdict:
        case Success():
            return verdict
        case Failure(fault):
            if isinstance(fault, Unreachable | Exited | TimedOut) or _is_final(fault):
                return verdict
    return (yield from _handshake(session, until, f"server/discover was refused ({_short(fault)})"))


def _is_final(fault: Fault) -> bool:
    """A status that says nothing about the era."""
    return isinstance(fault, HttpFailed) and fault.status not in _ABOUT_THE_ERA


def _short(fault: Fault) -> str:
    match fault:
        case RpcError():
            return f"error {fault.number}: {fault.message}"
        case HttpFailed():
            return f"HTTP status {fault.status}"
        case _:
            return "unreadable"
