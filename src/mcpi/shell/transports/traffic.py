"""The interface of traffic listeners: the transcript, stderr under --verbose, and the trace file."""

from typing import TYPE_CHECKING, Protocol

from mcpi.core.record.http_message import HttpMessage
from mcpi.core.session.effects import SendMessage
from mcpi.core.wire.peer import Received

if TYPE_CHECKING:
    from mcpi.core.auth.metadata import Attempt


class TrafficListener(Protocol):
    """A listener for all traffic of a connection."""

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """Record a message that was sent."""
        ...

    def received(self, received: Received, at: float) -> None:
        """Record a message that was received."""
        ...

    def stderr(self, line: str, at: float) -> None:
        """Record a line that the server wrote to stderr."""
        ...

    def http(self, message: HttpMessage, at: float) -> None:
        """Record an HTTP request or response, without its body."""
        ...

    def attempted(self, attempt: "Attempt") -> None:
        """Record a request to an authorization server."""
        ...

    def info(self, text: str, at: float) -> None:
        """Record an action of the transport."""
        ...
