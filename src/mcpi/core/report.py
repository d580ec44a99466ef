"""The envelope: one document for success and failure, with all that was seen on the way."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from mcpi.core import explain, faults
from mcpi.core.ended import Ended
from mcpi.core.exact import Printable
from mcpi.core.faults import Fault, RpcError
from mcpi.core.server import Server
from mcpi.core.times import milliseconds
from mcpi.core.values import Json

if TYPE_CHECKING:
    from mcpi.core.transcript import Transcript

VERSION = 1
HELP = "https://github.com/mcpi-cli/mcpi/blob/main/docs/errors.md"


@frozen
class Facts:
    """What is known of the connection."""

    transport: str | None = None
    server: Server | None = None
    client_capabilities: Mapping[str, Json] | None = None
    connect: float | None = None
    handshake: float | None = None
    request: float | None = None
    close: float | None = None
    exit_code: int | None = None
    signal: str | None = None


def envelope(method: str | None, ended: Ended, seen: "Transcript | None", facts: Facts, duration: float) -> Printable:
    """The document that --structured prints."""
    return {
        "structuredVersion": VERSION,
        "success": ended.fault is None,
        "method": method,
        "durationMs": milliseconds(duration),
        "result": ended.result,
        "error": None if ended.fault is None else error(ended.fault),
        "logs": seen.logs if seen else [],
        "notifications": seen.notifications if seen else [],
        "serverRequests": seen.requests if seen else [],
        "violations": seen.violations if seen else [],
        "stderr": list(seen.stderr) if seen else [],
        **({"dropped": dict(seen.dropped)} if seen and seen.dropped else {}),
        "connection": None if facts.transport is None else connection(facts),
    }


def error(fault: Fault) -> dict[str, Printable]:
    """The fault as machines read it."""
    about: dict[str, Printable] = {
        "category": faults.category(fault),
        "code": faults.code(fault),
        "message": explain.sentence(fault),
        "retryable": faults.retryable(fault),
        "helpUrl": f"{HELP}#{faults.help_anchor(fault)}",
    }
    if isinstance(fault, RpcError):
        about["rpc"] = fault.error
    return {**about, "details": explain.details(fault)}


def connection(facts: Facts) -> dict[str, Printable]:
    """What both sides agreed on, and how long it took."""
    server = facts.server
    timings = {"connectMs": facts.connect, "handshakeMs": facts.handshake}
    timings |= {"requestMs": facts.request, "closeMs": facts.close}
    return {
        "transport": facts.transport,
        "era": server.era if server else None,
        "protocolVersion": server.version if server else None,
        "negotiation": server.way if server else None,
        "serverInfo": server.info if server else None,
        "serverCapabilities": server.capabilities if server else None,
        "clientCapabilities": facts.client_capabilities,
        "timings": {name: None if value is None else milliseconds(value) for name, value in timings.items()},
        "exitCode": facts.exit_code,
        "signal": facts.signal,
    }
