"""Envelope: one JSON document for success and failure, with everything recorded during the run."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome import explain, faults
from mcpi.core.outcome.explain import retryable
from mcpi.core.outcome.faults import Exited, Fault, Invalid, RpcError
from mcpi.core.plans.plan import PlanResult
from mcpi.core.text.timestamps import milliseconds
from mcpi.core.version import DOCS
from mcpi.core.wire.server_info import NegotiatedServer

if TYPE_CHECKING:
    from mcpi.core.record.transcript import Transcript
    from mcpi.core.session.session import Session

VERSION = 1
HELP = f"{DOCS}/errors.md"


@frozen
class ConnectionFacts:
    """Connection details that the envelope contains."""

    transport: str | None = None
    server: NegotiatedServer | None = None
    client_capabilities: Mapping[str, Json] | None = None
    connect: float | None = None
    handshake: float | None = None
    request: float | None = None
    close: float | None = None
    exit_code: int | None = None
    signal: str | None = None


@frozen
class RunInfo:
    """Method and duration of a run, and additional fields of a script's step."""

    method: str | None = None
    duration: float = 0.0
    step_fields: Mapping[str, Printable] = field(factory=dict)


def envelope(
    work: RunInfo, ended: PlanResult, seen: "Transcript | None", known: ConnectionFacts
) -> dict[str, Printable]:
    """Build the document that --structured prints."""
    attempts = seen.attempts if seen else []
    return {
        "structuredVersion": VERSION,
        "success": ended.fault is None,
        **work.step_fields,
        "method": work.method,
        "durationMs": milliseconds(work.duration),
        "result": ended.result,
        "error": None if ended.fault is None else error_json(ended.fault),
        "logs": seen.logs if seen else [],
        "notifications": seen.notifications if seen else [],
        "serverRequests": seen.requests if seen else [],
        "violations": seen.violations if seen else [],
        "implicit": seen.implicit if seen else [],
        "stderr": list(seen.stderr.items) if seen else [],
        **({"debug": {"results": seen.debug_results, **seen.debug}} if seen and seen.debug is not None else {}),
        **({"dropped": dict(seen.dropped)} if seen and seen.dropped else {}),
        "connection": connection_json(known, attempts) if known.transport is not None or attempts else None,
    }


def error_json(fault: Fault) -> dict[str, Printable]:
    """Build the `error` object."""
    about: dict[str, Printable] = {
        "category": faults.category(fault),
        "code": faults.code(fault),
        "message": explain.sentence(fault),
        "retryable": retryable(fault),
        "helpUrl": f"{HELP}#{faults.help_anchor(fault)}",
    }
    rpc = fault.error if isinstance(fault, RpcError) else fault.rpc if isinstance(fault, Invalid) else None
    if rpc is not None:
        about["rpc"] = rpc
    return {**about, "hints": list(fault.hints), "details": explain.details(fault)}


def connection_facts(session: "Session", now: float) -> ConnectionFacts:
    """Collect the connection details of a session."""
    times, lost = session.times, session.connection_fault
    return ConnectionFacts(
        transport=session.terms.transport if times.start is not None else None,
        server=session.server,
        client_capabilities=session.terms.client.capabilities_for("modern" if session.modern else "handshake"),
        connect=_elapsed(times.start, times.opened),
        handshake=_elapsed(times.opened, times.negotiated),
        request=_elapsed(times.negotiated, now),
        exit_code=lost.exit_code if isinstance(lost, Exited) else None,
        signal=lost.signal if isinstance(lost, Exited) else None,
    )


def _elapsed(start: float | None, end: float | None) -> float | None:
    return None if start is None or end is None else end - start


def connection_json(known: ConnectionFacts, attempts: Sequence[Printable] = ()) -> dict[str, Printable]:
    """Build the `connection` object: negotiated protocol, authorization, timings and exit status."""
    server = known.server
    timings = {"connectMs": known.connect, "handshakeMs": known.handshake}
    timings |= {"requestMs": known.request, "closeMs": known.close}
    return {
        "transport": known.transport,
        "era": server.era if server else None,
        "protocolVersion": server.version if server else None,
        "negotiation": server.negotiation if server else None,
        "serverInfo": server.info if server else None,
        "serverCapabilities": server.capabilities if server else None,
        "clientCapabilities": known.client_capabilities,
        "attempts": list(attempts),
        "timings": {name: None if value is None else milliseconds(value) for name, value in timings.items()},
        "exitCode": known.exit_code,
        "signal": known.signal,
    }
