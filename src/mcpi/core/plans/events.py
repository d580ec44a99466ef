"""What can happen on a connection while nobody waits for an answer in particular."""

from typing import TypeAlias

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Result
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.violations import Violation


@frozen
class NotificationReceived:
    """The server told something."""

    method: str
    params: Exact | None
    at: float


@frozen
class ServerAsked:
    """The server asked something, and this is what it got."""

    method: str
    params: Exact | None
    response: Printable
    at: float
    handled: bool = True


@frozen
class ServerAnswered:
    """The answer to a request that nobody waited for."""

    number: Id
    outcome: Result[Exact]
    at: float


@frozen
class ViolationSeen:
    """The server broke a rule."""

    violation: Violation
    at: float


@frozen
class TransportNote:
    """The transport did something worth knowing, such as opening a stream again."""

    event: str
    facts: Printable
    at: float


@frozen
class ConnectionClosed:
    """The server is gone."""

    fault: Fault
    at: float


@frozen
class DeadlineReached:
    """Nothing happened for as long as was asked."""

    at: float


def weight(event: "Event") -> int:
    """How many characters of the server's it holds."""
    params: Exact | None = getattr(event, "params", None)
    return 0 if params is None else len(params.text)


Event: TypeAlias = (
    NotificationReceived
    | ServerAsked
    | ServerAnswered
    | ViolationSeen
    | TransportNote
    | ConnectionClosed
    | DeadlineReached
)
