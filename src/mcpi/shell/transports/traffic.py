"""The interface of traffic listeners: the transcript, stderr under --verbose, and the trace file."""

from typing import Protocol

from mcpi.core.session.effects import SendMessage
from mcpi.core.wire.peer import Received


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

    def info(self, text: str, at: float) -> None:
        """Record an action of the transport."""
        ...
