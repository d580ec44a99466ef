"""Separate the debugger messages of Node.js from the other traffic of a server."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from mcpi.core.debugger.program.node_launch import program_text
from mcpi.core.session.effects import SendMessage
from mcpi.core.wire.peer import Received
from mcpi.shell.transports.traffic import TrafficListener

if TYPE_CHECKING:
    from mcpi.core.auth.metadata import Attempt
    from mcpi.core.record.http_message import HttpMessage


class DebugFilter:
    """A traffic listener that drops the debugger messages of Node.js from stderr."""

    def __init__(self, recorder: TrafficListener, printed: Callable[[str], None]) -> None:
        """Pass all other traffic to the recorder; `printed` is called with each line of stderr."""
        self._recorder = recorder
        self._printed = printed

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """Record a message that was sent."""
        self._recorder.sent(outgoing, at)

    def received(self, received: Received, at: float) -> None:
        """Record a message that was received."""
        self._recorder.received(received, at)

    def stderr(self, line: str, at: float) -> None:
        """Record a line of stderr, which may contain the address of an inspector."""
        self._printed(line)
        text = program_text(line)
        if text is not None:
            self._recorder.stderr(text, at)

    def http(self, message: "HttpMessage", at: float) -> None:
        """Record an HTTP request or response."""
        self._recorder.http(message, at)

    def attempted(self, attempt: "Attempt") -> None:
        """Record a request to an authorization server."""
        self._recorder.attempted(attempt)

    def info(self, text: str, at: float) -> None:
        """Record an action of the transport."""
        self._recorder.info(text, at)
