"""Read the results of initialize and server/discover, and finish the handshake."""

from collections.abc import Mapping

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import as_list, as_object, as_text
from mcpi.core.outcome.faults import (
    Exited,
    Fault,
    HttpFailed,
    InvalidResponse,
    RpcError,
    TimedOut,
    Unauthorized,
    Unreachable,
)
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.steps import Call
from mcpi.core.session.effects import AwaitMessage, Effects, Inbound, Now, OpenServerStream
from mcpi.core.session.session import LOGS_SHOWN, Session
from mcpi.core.wire import modern
from mcpi.core.wire.server_info import EMPTY, NegotiatedServer
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS, era_of
from mcpi.core.wire.violations import Violation, quote

UNSUPPORTED_VERSION = -32022
_ERA_STATUSES = frozenset({*range(400, 500), 500, 501}) - {401, 403, 407, 408, 425, 429}
"""HTTP statuses that a server of the other era may respond with."""


def read_initialize(outcome: Result[Exact], way: str, transport: str) -> Result[NegotiatedServer]:
    """Build the NegotiatedServer from the outcome of initialize."""
    match outcome:
        case Failure(RpcError() as error):
            return negotiation_failure("initialize", error)
        case Failure():
            return outcome
        case Success(result):
            return _parse_initialize(result, way, transport)


def _parse_initialize(result: Exact, way: str, transport: str) -> Result[NegotiatedServer]:
    members, parts = as_object(result.value), result.members()
    version = members.get("protocolVersion")
    if not isinstance(version, str) or version not in HANDSHAKE_VERSIONS:
        found = f"version {parts['protocolVersion'].text}" if "protocolVersion" in parts else "no version"
        problem = f"the server answered initialize with {found}; mcpi supports {', '.join(HANDSHAKE_VERSIONS)}"
        return Failure(InvalidResponse("PROTOCOL_VERSION_MISMATCH", problem, (quote(result.text),)))
    info, capabilities = _object_member(parts, "serverInfo"), _object_member(parts, "capabilities")
    instructions = as_text(members.get("instructions"))
    return Success(NegotiatedServer("handshake", version, info, capabilities, instructions, way, result, transport))


def read_discover(outcome: Result[Exact], version: str, way: str, transport: str) -> Result[NegotiatedServer]:
    """Build the NegotiatedServer from the outcome of server/discover."""
    match outcome:
        case Failure(RpcError() as error):
            return negotiation_failure("server/discover", error)
        case Failure():
            return outcome
        case Success(result):
            return _parse_discover(result, version, way, transport)


def _parse_discover(result: Exact, version: str, way: str, transport: str) -> Result[NegotiatedServer]:
    offered = supported_versions(Success(result))
    common = [one for one in (version, *MODERN_VERSIONS) if one in offered and era_of(one) == "modern"]
    if not common:
        problem = f"the server supports {', '.join(offered) or 'no version'}; mcpi requested {version}"
        return Failure(InvalidResponse("PROTOCOL_VERSION_MISMATCH", problem, (quote(result.text),)))
    parts = result.members()
    info = _object_member(parts.get("_meta", EMPTY).members(), f"{modern.PREFIX}serverInfo")
    instructions = as_text(as_object(result.value).get("instructions"))
    capabilities = _object_member(parts, "capabilities")
    return Success(NegotiatedServer("modern", common[0], info, capabilities, instructions, way, result, transport))


def _object_member(parts: Mapping[str, Exact], name: str) -> Exact:
    """Return the part if it is an object, otherwise an empty object."""
    part = parts.get(name, EMPTY)
    return part if isinstance(part.value, dict) else EMPTY


def unexpected_members(server: NegotiatedServer) -> tuple[Violation, ...]:
    """Return a violation for each part of the server's description that is not an object."""
    parts = server.result.members()
    wrong = [
        name for name in ("serverInfo", "capabilities") if _object_member(parts, name) is not parts.get(name, EMPTY)
    ]
    return tuple(
        Violation("schema", f"{name} in the server's response is not an object", quote(parts[name].text))
        for name in wrong
    )


def negotiation_failure(method: str, error: RpcError) -> Failure[Fault]:
    """Build the fault for an error response to initialize or server/discover."""
    problem = f"the server rejected {method} with error {error.number}: {error.message}"
    mismatch = error.number == UNSUPPORTED_VERSION
    return Failure(
        InvalidResponse("PROTOCOL_VERSION_MISMATCH" if mismatch else "HANDSHAKE_FAILED", problem, (error.error.text,))
    )


def supported_versions(outcome: Result[Exact]) -> tuple[str, ...]:
    """Return the supported versions, from the result of server/discover or from its unsupported-version error."""
    match outcome:
        case Success(result):
            named = as_object(result.value).get("supportedVersions")
        case Failure(RpcError(number=number, error=error)) if number == UNSUPPORTED_VERSION:
            named = as_object(as_object(error.value).get("data")).get("supported")
        case Failure():
            named = None
    return tuple(one for one in as_list(named) if isinstance(one, str))


def newest_common_version(named: tuple[str, ...], tried: tuple[str, ...]) -> str | None:
    """Return the newest version that both sides support and that was not tried yet."""
    ours = (*MODERN_VERSIONS, *HANDSHAKE_VERSIONS)
    return next((one for one in ours if one in named and one not in tried), None)


def brief_reason(outcome: Result[Exact]) -> str:
    """Describe in a few words why server/discover did not determine the era."""
    match outcome:
        case Success():
            return "no version in the response"
        case Failure(RpcError(number=number, message=message)):
            return f"error {number}: {message}"
        case Failure(HttpFailed(status=status)):
            return f"HTTP status {status}"
        case Failure():
            return "invalid response"


def is_final(outcome: Result[Exact], authorization_fault: Fault | None = None) -> bool:
    """Tell whether the failure is unrelated to the era, such as a lost connection or a failed authorization."""
    match outcome:
        case Failure(fault) if fault is authorization_fault:
            return True
        case Failure(HttpFailed(status=status)):
            return status not in _ERA_STATUSES
        case Failure(fault):
            return isinstance(fault, Unreachable | Exited | TimedOut | Unauthorized)
        case Success():
            return False


ANNOUNCEMENT_WAIT, ANNOUNCEMENT_GRACE = 0.5, 0.1
"""Seconds to wait for a request about announced data, and for the server to process the response."""


def finish_handshake(session: Session, server: NegotiatedServer) -> Effects[None]:
    """Send the messages of the handshake era that precede the first request."""
    if server.era == "modern":
        return
    yield from session.notify("notifications/initialized")
    if session.terms.open_server_stream:
        yield OpenServerStream()
    announced = [
        one for one in session.server_requests.handlers.values() if one.responder.announce and one.is_configured
    ]
    for handler in announced:
        yield from session.notify(handler.responder.announce)
    if announced:
        yield from _await_requests(session, tuple(handler.responder.method for handler in announced))
    if session.terms.log_level is not None and server.declares("logging"):
        yield from session.call(Call("logging/setLevel", {"level": session.terms.log_level}, reason=LOGS_SHOWN))


def _await_requests(session: Session, methods: tuple[str, ...]) -> Effects[None]:
    """Wait briefly for requests about announced data, so that the server can use it in the first request."""
    at: float = yield Now()
    until = at + ANNOUNCEMENT_WAIT
    while (
        at < until and session.connection_fault is None and not all(map(session.server_requests.was_requested, methods))
    ):
        inbound: Inbound = yield AwaitMessage(until)
        yield from session.absorb(inbound)
        at = inbound.at
    if any(map(session.server_requests.was_requested, methods)):
        yield from session.sleep(ANNOUNCEMENT_GRACE)
