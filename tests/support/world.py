"""An isolated environment for a test: an in-memory server, a fake clock, and captured output."""

import asyncio
import heapq
import io
import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from attrs import define, field

from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Unreachable
from mcpi.core.outcome.result import Result, Success
from mcpi.core.session.effects import ConnectionLost, SendMessage
from mcpi.core.targets.target import Target
from mcpi.shell.connection.ports import Ports
from mcpi.shell.context import Context
from mcpi.shell.main import main
from mcpi.shell.transports.inbox import Inbox

START_TIME = 1_800_000_000.0
IDLE_TURNS = 50
"""Turns of the event loop without a new timer after which the loop counts as idle."""
Server = Callable[[str, Any], "JsonObject | list[JsonObject] | None"]
"""Function that maps a method and its parameters to the response messages, without their ids."""


@define
class _Timer:
    """A timer that can be cancelled."""

    callback: Callable[[], object] | None

    def cancel(self) -> None:
        """Drop the callback."""
        self.callback = None


class FakeClock:
    """A clock that jumps to the next timer when no other work is left."""

    def __init__(self) -> None:
        self.time = 100.0
        self._turns = 0
        self._order = count()
        self._timers: list[tuple[float, int, _Timer]] = []

    def now(self) -> float:
        """Seconds since the clock was created, plus 100."""
        return self.time

    def wall(self) -> float:
        """A time in January 2027, plus the seconds elapsed."""
        return START_TIME + self.time - 100.0

    def call_later(self, delay: float, callback: Callable[..., object], *args: object) -> _Timer:
        """Call back after the delay, as soon as the event loop is idle."""
        timer = _Timer(lambda: callback(*args))
        heapq.heappush(self._timers, (self.time + delay, next(self._order), timer))
        if not self._turns:
            asyncio.get_running_loop().call_soon(self._turn)
        self._turns = IDLE_TURNS
        return timer

    def _turn(self) -> None:
        """Run everything that is ready before advancing the time."""
        self._turns -= 1
        if not self._turns:
            self._advance()
            self._turns = IDLE_TURNS if self._timers else 0
        if self._turns:
            asyncio.get_running_loop().call_soon(self._turn)

    def _advance(self) -> None:
        while self._timers:
            at, _, timer = heapq.heappop(self._timers)
            if timer.callback is not None:
                self.time = max(self.time, at)
                timer.callback()
                return


class MemoryTransport:
    """A transport to a function that responds to each request."""

    not_open = "nothing"

    def __init__(self, server: Server, inbox: Inbox) -> None:
        self.sent: list[JsonObject] = []
        self.closed = False
        self._server = server
        self._inbox = inbox

    async def open(self) -> Result[float]:
        """Connect immediately."""
        self._loop = asyncio.get_running_loop()
        return Success(self._inbox.now())

    def send(self, outgoing: SendMessage) -> bool:
        """Respond on the next turn of the event loop, like a server."""
        message: JsonObject = json.loads(outgoing.data)
        self.sent.append(message)
        replies = self._server(str(message.get("method")), message.get("params"))
        for reply in replies if isinstance(replies, list) else [replies] if replies is not None else []:
            if reply.get("close"):
                lost = ConnectionLost(Unreachable("CONNECTION_LOST", "the server in memory is gone"), self._inbox.now())
                asyncio.get_running_loop().call_soon(self._inbox.put, lost)
                continue
            answer = {"jsonrpc": "2.0", **({} if "method" in reply else {"id": message.get("id")}), **reply}
            asyncio.get_running_loop().call_soon(self._inbox.receive, json.dumps(answer).encode())
        return True

    def push(self, message: JsonObject) -> None:
        """Send an unsolicited message, from any thread."""
        self._loop.call_soon_threadsafe(self._inbox.receive, json.dumps({"jsonrpc": "2.0", **message}).encode())

    def disconnect(self) -> None:
        """Close the connection, from any thread."""
        lost = ConnectionLost(Unreachable("CONNECTION_LOST", "the server in memory is gone"), self._inbox.now())
        self._loop.call_soon_threadsafe(self._inbox.put, lost)

    def open_server_stream(self) -> None:
        """Do nothing: all messages use one channel."""

    def resume(self) -> None:
        """Do nothing: reading is never paused."""

    def poll(self) -> None:
        """Do nothing: there is no input to poll."""

    def flush_incomplete(self) -> None:
        """Do nothing: messages are always complete."""

    async def close(self, *, stay: bool) -> None:  # noqa: ARG002 - the protocol of transports
        """Mark the transport as closed."""
        self.closed = True


@define
class World:
    """Everything that a command can access, and its effects."""

    server: Server
    environment: Mapping[str, str] = field(factory=dict)
    stdin: bytes = b""
    clock: FakeClock = field(factory=FakeClock)
    stdout: io.StringIO = field(factory=io.StringIO)
    stderr: io.StringIO = field(factory=io.StringIO)
    transports: list[MemoryTransport] = field(factory=list)

    def connect(self, _: Target | None, inbox: Inbox, __: Ports) -> MemoryTransport:
        """Create the transport for any target."""
        self.transports.append(MemoryTransport(self.server, inbox))
        return self.transports[-1]

    def run(self, *argv: str) -> int:
        """Run a command line, and return its exit code."""
        environment = {"MCPI_PLUGINS": "off", **self.environment}
        stdin = io.BytesIO(self.stdin)
        return main(Context(argv, environment, stdin, self.stdout, self.stderr, self.clock, transport=self.connect))

    @property
    def json(self) -> Any:
        """The printed JSON."""
        return json.loads(self.stdout.getvalue())

    @property
    def methods(self) -> list[str]:
        """The methods sent, over all connections."""
        return [str(message["method"]) for transport in self.transports for message in transport.sent]
