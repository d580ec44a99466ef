"""What the core asks of the shell, and what the shell reports back: the whole border between them."""

from collections.abc import Generator, Mapping
from typing import Any, Literal, TypeAlias, TypeVar

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Fault, HttpFailed
from mcpi.core.plans.steps import AskFunction, Debug, Emit, Validate
from mcpi.core.plans.world_steps import WorldStep
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.peer import Received

T = TypeVar("T")

MessageKind: TypeAlias = Literal["request", "notification", "response"]


@frozen
class OpenTransport:
    """Start the process or prepare the connection within so many seconds; the reply is an outcome with the time."""

    within: float


@frozen
class CloseTransport:
    """Close the connection, so that another may be opened."""


@frozen
class SendMessage:
    """One message to the server; the reply is the time it went out."""

    data: bytes
    kind: MessageKind
    method: str = ""
    number: Id = None
    headers: Mapping[str, str] = field(factory=dict)
    cancels: Id = None


@frozen
class OpenServerStream:
    """Open the stream on which an HTTP server speaks unasked; nothing to do elsewhere."""


@frozen
class Now:
    """What time it is; the reply is in seconds."""


@frozen
class FlushDebugger:
    """What a debugger saw up to now has arrived."""


@frozen
class AwaitMessage:
    """What the connection brings next, or Expired at that time."""

    until: float | None = None


@frozen
class CollectMessages:
    """All that the connection has brought, once there is something; nothing at that time."""

    until: float | None = None


@frozen
class Authorize:
    """What the server refused for want of a token; the reply is an outcome, good when it may be asked again."""

    fault: HttpFailed


@frozen
class RequestFailed:
    """A request that the transport could not get an answer to."""

    number: Id
    fault: Fault
    at: float


@frozen
class ConnectionLost:
    """The connection has ended."""

    fault: Fault
    at: float


@frozen
class TransportEvent:
    """The transport did something worth knowing."""

    event: str
    facts: Printable
    at: float


@frozen
class TimerExpired:
    """The time that was waited for has come."""

    at: float


Inbound: TypeAlias = Received | RequestFailed | ConnectionLost | TransportEvent | TimerExpired
OffConnection: TypeAlias = Emit | Validate | AskFunction | Debug | WorldStep
"""What has nothing to do with the connection."""
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
    | OffConnection
)
Effects: TypeAlias = Generator[Effect, Any, T]
