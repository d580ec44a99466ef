"""WebSockets to the inspectors of Node.js processes, driven by a debug session."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from mcpi.core.debugger.inspector.debug_effects import LoadSourceMap
from mcpi.core.debugger.program.debug_session import CloseTarget, DebugEffects, DebugSession, HitSeen, SendToTarget
from mcpi.core.jsontext.values import JsonObject
from mcpi.shell.debugger import source_map_files

FIRST_RETRY_DELAY = 0.1
"""Seconds until the run command is first repeated; each further pause is twice as long, up to one second."""
DETACH_TIMEOUT = 0.2
"""Seconds to wait until the debugger is disabled."""
_DETACH, _DETACHED = '{"id":2147483647,"method":"Debugger.disable"}', '{"id":2147483647,'
_QUICKACK = getattr(socket, "TCP_QUICKACK", None)


class _QuickSocket(ClientConnection):
    """A connection that acknowledges data from Node.js at once."""

    def data_received(self, data: bytes) -> None:
        """Process received bytes, after requesting an immediate acknowledgement."""
        # Node.js leaves Nagle's algorithm on, which waits for our delayed acknowledgement: without this option, each
        # command takes 40 ms. The option lasts for one packet only.
        if _QUICKACK is not None:
            self.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)
        super().data_received(data)


class InspectorSockets:
    """The connections to all inspectors that a child process announces."""

    def __init__(self, debugging: DebugSession, on_hit: Callable[[JsonObject], Awaitable[None]] | None = None) -> None:
        """Start without connections; `on_hit` is called with each hit, `changed` is set if the session may be over."""
        self.debugging = debugging
        self._on_hit = on_hit
        self.changed: asyncio.Event = asyncio.Event()
        self._connections: dict[int, ClientConnection] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._detaching: set[int] = set()

    def process_line(self, line: str) -> None:
        """Process a line of the child's stderr; connect to an inspector that it announces."""
        inspector = self.debugging.stderr_line(line)
        if inspector is not None:
            self.connect(*inspector)
        self.changed.set()

    def connect(self, number: int, url: str) -> None:
        """Connect to an inspector."""
        task = asyncio.get_running_loop().create_task(self._run_connection(number, url))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run_connection(self, number: int, url: str) -> None:
        try:
            # Node.js closes a connection that sends pings. The size of a value and the number of hits are unlimited.
            connection = await connect(
                url,
                ping_interval=None,
                max_size=None,
                compression=None,
                proxy=None,
                max_queue=None,
                open_timeout=None,
                close_timeout=0.2,
                create_connection=_QuickSocket,
            )
        except (OSError, InvalidHandshake, InvalidURI, EOFError, ValueError):
            self._closed(number)
            return
        self._connections[number] = connection
        nudge_task = asyncio.get_running_loop().create_task(self._nudge(number))
        try:
            await self._perform(self.debugging.connected(number))
            while True:
                raw = await connection.recv(decode=True)
                if raw.startswith(_DETACHED):
                    self._detaching.discard(number)
                    self.changed.set()
                await self._perform(self.debugging.receive(number, raw))
                if self.debugging.finished or self.debugging.flushed:
                    self.changed.set()
        except (ConnectionClosed, ValueError, RecursionError):
            pass  # the process ended, or sent invalid data
        finally:
            nudge_task.cancel()
            connection.transport.abort()
            self._closed(number)

    async def _nudge(self, number: int) -> None:
        """Repeat the run command until the program has started."""
        pause = FIRST_RETRY_DELAY
        while True:
            await asyncio.sleep(pause)
            await self._perform(self.debugging.resend_run(number))
            pause = min(2 * pause, 1.0)

    def _closed(self, number: int) -> None:
        self._connections.pop(number, None)
        self._detaching.discard(number)
        self.debugging.closed(number)
        self.changed.set()

    async def _perform(self, effects: DebugEffects) -> None:
        reply: str | None = None
        while True:
            try:
                effect = effects.send(reply)
            except StopIteration:
                return
            reply = None
            match effect:
                case SendToTarget(number, text):
                    await self._send(number, text)
                case LoadSourceMap(path):
                    reply = source_map_files.read_map(Path(path))
                case HitSeen(result):
                    if self._on_hit is not None:
                        await self._on_hit(result)
                case CloseTarget(number):
                    await self._connections[number].close()

    async def _send(self, number: int, text: str) -> None:
        connection = self._connections.get(number)
        if connection is not None:
            with contextlib.suppress(ConnectionClosed):
                await connection.send(text)

    async def flush(self, seconds: float) -> None:
        """Wait until all hits up to now are reported, or until the timeout."""
        await self._perform(self.debugging.flush())
        await self._wait_while(lambda: not self.debugging.flushed, seconds)

    async def settle(self, seconds: float) -> None:
        """Wait for the promises of all hits; after the timeout, report the other hits as pending."""
        await self._wait_while(lambda: self.debugging.awaiting, seconds)
        await self._perform(self.debugging.stop_awaiting())

    async def detach(self) -> None:
        """Disable the debugger in programs that keep running, and close all connections.

        Node.js 20 may crash if a connection closes while a breakpoint's condition is evaluated.
        """
        self._detaching = set(self._connections)
        for number in list(self._detaching):
            await self._send(number, _DETACH)
        await self._wait_while(lambda: bool(self._detaching), DETACH_TIMEOUT)
        await self.close()

    async def _wait_while(self, waits: Callable[[], bool], seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while waits():
                    self.changed.clear()
                    await self.changed.wait()

    async def close(self) -> None:
        """Close all connections."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
