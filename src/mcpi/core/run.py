"""One invocation from its first step to its end."""

from mcpi.core.acts import Acts
from mcpi.core.ended import Begun, Ended
from mcpi.core.faults import Fault
from mcpi.core.interpret import interpret
from mcpi.core.invocation import Invocation
from mcpi.core.method import gate
from mcpi.core.options import TimeOptions
from mcpi.core.respond import declared
from mcpi.core.server import HANDSHAKE_VERSIONS, MODERN_VERSIONS, Client, Server
from mcpi.core.session import Session
from mcpi.core.target import Sse, transport_of
from mcpi.core.terms import Terms
from mcpi.core.values import JsonObject, as_object
from mcpi.core.wire.violations import Violation

PATIENCE = 30.0


def terms(invocation: Invocation, version: str) -> Terms:
    """How the invocation wants to talk."""
    talk, time = invocation.talk, invocation.time
    method = invocation.method
    return Terms(
        client=Client(_capabilities(invocation), version=version),
        era="handshake" if isinstance(invocation.target, Sse) else talk.era,
        version=talk.protocol_version,
        patience=patience(time),
        total=max(time.max_total_timeout, patience(time)),
        connect=time.connect_timeout,
        retries=time.retry,
        meta={pair.key: pair.value for pair in talk.metadata},
        log_level="debug" if _shows_logs(invocation) else None,
        transport=transport_of(invocation.target) if invocation.target is not None else "stdio",
        discover=method is None or bool(method.needs) or not method.wire,
        stream=method is None or not method.name.endswith("/list"),
    )


def name(invocation: Invocation) -> str:
    """The method's name."""
    return invocation.method.name if invocation.method is not None else ""


def patience(time: TimeOptions) -> float:
    """How long to wait for an answer."""
    return PATIENCE if time.timeout is None else time.timeout


def _shows_logs(invocation: Invocation) -> bool:
    return invocation.output.structured or invocation.output.verbose


def _capabilities(invocation: Invocation) -> JsonObject:
    exact = invocation.talk.client_capabilities
    if exact is not None:
        return as_object(exact.value)
    version = invocation.talk.protocol_version
    latest = MODERN_VERSIONS[0] if invocation.talk.era == "modern" else HANDSHAKE_VERSIONS[0]
    return declared(invocation.handlers, version or latest)


def once(invocation: Invocation, begun: Begun, session: Session) -> Acts[Ended]:
    """The invocation's method, carried out."""

    def admit(server: Server) -> Fault | Violation | None:
        assert invocation.method is not None
        return None if invocation.talk.force else gate(invocation.method, server)

    return interpret(begun, session, admit)
