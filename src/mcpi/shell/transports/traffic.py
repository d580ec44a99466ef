"""Whoever wants to see the traffic: the transcript, stderr under --verbose, the trace file."""

from typing import Protocol

from mcpi.core.session.effects import SendMessage
from mcpi.core.wire.peer import Received


class TrafficListener(Protocol):
    """Is told of everything that passes."""

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """A message went out."""
        ...

    def received(self, received: Received, at: float) -> None:
        """A message came in."""
        ...

    def stderr(self, line: str, at: float) -> None:
        """The server wrote a line on stderr."""
        ...

    def info(self, text: str, at: float) -> None:
        """The transport did something."""
        ...
