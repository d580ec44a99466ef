"""A world of a test's own: a server in memory, a clock that stands still unless it is waited for, captured output."""

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

MORNING = 1_800_000_000.0
TURNS = 50
"""Turns of the event loop without a new timer after which nothing else is left to do."""
Server = Callable[[str, Any], "JsonObject | list[JsonObject] | None"]
"""From a method and its parameters to the messages that answer it, without their ids."""


@define
class _Due:
    """A timer that can be cancelled."""

    callback: Callable[[], object] | None

    def cancel(self) -> None:
        """Call nothing."""
        self.callback = None


class FakeClock:
    """A clock that jumps to the next timer when nothing else is left to do."""

    def __init__(self) -> None:
        self.time = 100.0
        self._turns = 0
        self._order = count()
        self._due: list[tuple[float, int, _Due]] = []

    def now(self) -> float:
        """Seconds since the clock was made, and a hundred."""
        return self.time

    def wall(self) -> float:
        """A morning in January 2027, and what has passed since."""
        return MORNING + self.time - 100.0

    def call_later(self, delay: float, callback: Callable[..., object], *args: object) -> _Due:
        """Call back when the time has come, which is as soon as the loop has nothing else to do."""
        due = _Due(lambda: callback(*args))
        heapq.heappush(self._due, (self.time + delay, next(self._order), due))
        if not self._turns:
            asyncio.get_running_loop().call_soon(self._turn)
        self._turns = TURNS
        return due

    def _turn(self) -> None:
        """Let everything that is ready run before the time goes on."""
        self._turns -= 1
        if not self._turns:
            self._advance()
            self._turns = TURNS if self._due else 0
        if self._turns:
            asyncio.get_running_loop().call_soon(self._turn)

    def _advance(self) -> None:
        while self._due:
            at, _, due = heapq.heappop(self._due)
            if due.callback is not None:
                self.time = max(self.time, at)
                due.callback()
                return


class MemoryTransport:
    """A transport to a function that answers each request."""

    opening = "nothing"

    def __init__(self, server: Server, inbox: Inbox) -> None:
        self.sent: list[JsonObject] = []
        self.closed = False
        self._server = server
        self._inbox = inbox

    async def open(self) -> Result[float]:
        """Connect at once."""
        self._loop = asyncio.get_running_loop()
        return Success(self._inbox.now())

    def send(self, outgoing: SendMessage) -> bool:
        """Answer on the next turn of the loop, as a server would."""
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

    def say(self, message: JsonObject) -> None:
        """Send a message unasked, from any thread."""
        self._loop.call_soon_threadsafe(self._inbox.receive, json.dumps({"jsonrpc": "2.0", **message}).encode())

    def die(self) -> None:
        """End the connection, from any thread."""
        lost = ConnectionLost(Unreachable("CONNECTION_LOST", "the server in memory is gone"), self._inbox.now())
        self._loop.call_soon_threadsafe(self._inbox.put, lost)

    def open_server_stream(self) -> None:
        """Everything comes the same way."""

    def resume(self) -> None:
        """Nothing was paused."""

    def poll(self) -> None:
        """Nothing to read."""

    def flush_incomplete(self) -> None:
        """Nothing is incomplete."""

    async def close(self, *, stay: bool) -> None:  # noqa: ARG002 - the protocol of transports
        """Remember it."""
        self.closed = True


@define
class World:
    """Everything that a command may touch, and what it did to it."""

    server: Server
    environment: Mapping[str, str] = field(factory=dict)
    stdin: bytes = b""
    clock: FakeClock = field(factory=FakeClock)
    stdout: io.StringIO = field(factory=io.StringIO)
    stderr: io.StringIO = field(factory=io.StringIO)
    transports: list[MemoryTransport] = field(factory=list)

    def connect(self, _: Target | None, inbox: Inbox, __: Ports) -> MemoryTransport:
        """Make the transport, whatever the target is."""
        self.transports.append(MemoryTransport(self.server, inbox))
        return self.transports[-1]

    def run(self, *argv: str) -> int:
        """The exit code of one command line."""
        environment = {"MCPI_PLUGINS": "off", **self.environment}
        stdin = io.BytesIO(self.stdin)
        return main(Context(argv, environment, stdin, self.stdout, self.stderr, self.clock, transport=self.connect))

    @property
    def json(self) -> Any:
        """What was printed."""
        return json.loads(self.stdout.getvalue())

    @property
    def methods(self) -> list[str]:
        """The methods that were sent, over all connections."""
        return [str(message["method"]) for transport in self.transports for message in transport.sent]
