"""WebSockets to the inspectors of Node.js processes: what the core's conversation asks for is done here."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from mcpi.core.debugger.debug_effects import GeneratedFile, LoadSourceMap
from mcpi.core.debugger.debug_session import CloseTarget, DebugEffects, DebugSession, HitSeen, SendToTarget
from mcpi.core.jsontext.values import JsonObject
from mcpi.shell.debugger import source_map_files

NUDGE = 0.1
"""Seconds after which a program should have stopped at its first line; later ones are twice as long, up to one."""
_QUICKACK = getattr(socket, "TCP_QUICKACK", None)


class _QuickSocket(ClientConnection):
    """Acknowledges at once what Node.js sends."""

    def data_received(self, data: bytes) -> None:
        """More bytes."""
        # Node.js leaves Nagle's algorithm on, which waits for our acknowledgement, which waits for more to do: 40 ms
        # for each command without this. The option lasts for one packet only.
        if _QUICKACK is not None:
            self.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)
        super().data_received(data)


class Sockets:
    """One connection for each inspector that our own child names."""

    def __init__(
        self, debugging: DebugSession, folder: Path, told: Callable[[JsonObject], Awaitable[None]] | None = None
    ) -> None:
        """Each hit is told at once; there is news whenever it may be over."""
        self.debugging = debugging
        self._folder = folder
        self._told = told
        self.news: asyncio.Event = asyncio.Event()
        self._connections: dict[int, ClientConnection] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._predicted: tuple[GeneratedFile, ...] | None = None

    def printed(self, line: str) -> None:
        """The child wrote a line on stderr."""
        named = self.debugging.stderr_line(line)
        if named is not None:
            task = asyncio.get_running_loop().create_task(self._converse(*named))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self.news.set()

    async def _converse(self, number: int, url: str) -> None:
        try:
            # Node.js drops a connection that pings it. A value has any size, and a burst of hits any length.
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
        nudging = asyncio.get_running_loop().create_task(self._nudge(number))
        try:
            await self._do(self.debugging.connected(number, self._survey()))
            while True:
                raw = await connection.recv(decode=True)
                await self._do(self.debugging.receive(number, raw))
                if self.debugging.finished or self.debugging.flushed:
                    self.news.set()
        except (ConnectionClosed, ValueError, RecursionError):
            pass  # it has ended, or says what nobody can read
        finally:
            nudging.cancel()
            connection.transport.abort()
            self._closed(number)

    async def _nudge(self, number: int) -> None:
        """A program that does not run is let go again, as often as it takes."""
        pause = NUDGE
        while True:
            await asyncio.sleep(pause)
            await self._do(self.debugging.resend_run(number))
            pause = min(2 * pause, 1.0)

    def _closed(self, number: int) -> None:
        self._connections.pop(number, None)
        self.debugging.closed(number)
        self.news.set()

    def _survey(self) -> tuple[GeneratedFile, ...]:
        if self._predicted is None:
            self._predicted = source_map_files.survey(self._folder, self.debugging.aim.path)
        return self._predicted

    async def _do(self, deeds: DebugEffects) -> None:
        reply: str | None = None
        while True:
            try:
                deed = deeds.send(reply)
            except StopIteration:
                return
            reply = None
            match deed:
                case SendToTarget(number, text):
                    await self._send(number, text)
                case LoadSourceMap(path):
                    reply = source_map_files.text(Path(path))
                case HitSeen(result):
                    if self._told is not None:
                        await self._told(result)
                case CloseTarget(number):
                    await self._connections[number].close()

    async def _send(self, number: int, text: str) -> None:
        connection = self._connections.get(number)
        if connection is not None:
            with contextlib.suppress(ConnectionClosed):
                await connection.send(text)

    async def settle(self, patience: float) -> None:
        """All hits that have happened are told, unless the program does not let us know in time."""
        await self._do(self.debugging.flush())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while not self.debugging.flushed:
                    self.news.clear()
                    await self.news.wait()

    async def close(self) -> None:
        """Nothing is connected any more."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
