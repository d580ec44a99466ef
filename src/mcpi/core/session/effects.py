"""The interface between core and shell: effects that the core requests, and events that the shell reports."""

from collections.abc import Generator, Mapping
from typing import Any, Literal, TypeAlias, TypeVar

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Fault, HttpFailed
from mcpi.core.plans.responders import Reply
from mcpi.core.plans.steps import AskFunction, Emit, Validate
from mcpi.core.plans.world_steps import WorldStep
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.peer import Received

T = TypeVar("T")

MessageKind: TypeAlias = Literal["request", "notification", "response"]


@frozen
class OpenTransport:
    """Start the process or prepare the connection within the timeout; the reply is a Result with the time."""

    timeout: float


@frozen
class CloseTransport:
    """Close the connection, so that another one can be opened."""


@frozen
class SendMessage:
    """Send one message to the server; the reply is the time it was sent."""

    data: bytes
    kind: MessageKind
    method: str = ""
    request_id: Id = None
    headers: Mapping[str, str] = field(factory=dict)
    cancels: Id = None


@frozen
class OpenServerStream:
    """Open the stream for unsolicited messages of an HTTP server; other transports ignore it."""


@frozen
class Now:
    """Read the monotonic clock; the reply is in seconds."""


@frozen
class FlushDebugger:
    """Wait until all debugger results up to now have arrived."""


@frozen
class AwaitMessage:
    """Wait for the next event of the connection; the reply is TimerExpired at that time."""

    until: float | None = None


@frozen
class CollectMessages:
    """Wait for at least one event; the reply is all events that have arrived, or none at that time."""

    until: float | None = None


@frozen
class Authorize:
    """Get a token after an authorization failure; the reply is a Result, a success if the request can be retried."""

    fault: HttpFailed


@frozen
class RequestFailed:
    """A request for which the transport could not get a response."""

    request_id: Id
    fault: Fault
    at: float


@frozen
class ConnectionLost:
    """The end of the connection."""

    fault: Fault
    at: float


@frozen
class TransportEvent:
    """A transport event worth recording."""

    event: str
    facts: Printable
    at: float


@frozen
class FunctionAnswered:
    """The reply of a user function to a request from the server."""

    number: int
    reply: Reply
    at: float


@frozen
class TimerExpired:
    """The end of a timed wait."""

    at: float


@frozen
class MessagesProcessed:
    """Messages have arrived and were processed on behalf of another request."""

    at: float


Inbound: TypeAlias = (
    Received | RequestFailed | ConnectionLost | TransportEvent | FunctionAnswered | TimerExpired | MessagesProcessed
)
ExternalEffect: TypeAlias = Emit | Validate | AskFunction | WorldStep
"""Effects that do not involve the connection."""
Effect: TypeAlias = (
    OpenTransport
    | CloseTransport
    | SendMessage
    | OpenServerStream
    | Now
    | AwaitMessage
    | CollectMessages
    | Authorize
    | FlushDebugger
    | ExternalEffect
)
Effects: TypeAlias = Generator[Effect, Any, T]
