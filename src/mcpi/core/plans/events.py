"""Events on a connection, other than the response that a caller is waiting for."""

from typing import TypeAlias

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Result
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.violations import Violation


@frozen
class NotificationReceived:
    """A notification from the server."""

    method: str
    params: Exact | None
    at: float


@frozen
class ServerRequestReceived:
    """A request from the server, and the response it got."""

    method: str
    params: Exact | None
    response: Printable
    at: float
    handled: bool = True


@frozen
class ResponseReceived:
    """The response to a request whose sender did not wait for it."""

    request_id: Id
    outcome: Result[Exact]
    at: float


@frozen
class ViolationSeen:
    """A protocol violation by the server."""

    violation: Violation
    at: float
    on_stdout: bool = False
    """True if the server wrote it to its standard output."""


@frozen
class TransportNote:
    """A transport event worth recording, such as a reopened stream."""

    event: str
    facts: Printable
    at: float


@frozen
class ImplicitRequest:
    """A request, or a part of one, that mcpi sent on its own."""

    method: str
    params: Printable
    reason: str
    at: float


@frozen
class ConnectionClosed:
    """The end of the connection."""

    fault: Fault
    at: float


@frozen
class DeadlineReached:
    """The end of a wait without an event."""

    at: float


def params_size(event: "Event") -> int:
    """Number of characters in the event's params."""
    params: Exact | None = getattr(event, "params", None)
    return 0 if params is None else len(params.text)


Event: TypeAlias = (
    NotificationReceived
    | ServerRequestReceived
    | ResponseReceived
    | ViolationSeen
    | TransportNote
    | ImplicitRequest
    | ConnectionClosed
    | DeadlineReached
)
