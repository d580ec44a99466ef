"""One HTTP/1.1 connection without TLS: h11 over an asyncio transport."""

import asyncio
import selectors
from collections.abc import AsyncIterator

import h11

from mcpi.shell.transports.http_clients.first_bytes import FirstBytes
from mcpi.shell.transports.http_clients.http_errors import (
    HttpConnectError,
    InvalidRequestError,
    NotHttpError,
    TransferError,
)
from mcpi.shell.transports.http_clients.plain_urls import PlainUrl

MAX_HEADER_BYTES = 100 << 10
"""Maximum size of the head of a response, and of a line of a chunked body."""
MAX_BUFFERED = 1 << 18
"""Number of unread bytes above which the connection stops reading."""
KEEP_ALIVE = 5.0
"""Seconds after which an idle connection is not used again."""
HAPPY_EYEBALLS = 0.25
"""Seconds after which the next address of a host is tried too (RFC 8305)."""


class PlainConnection(asyncio.Protocol):
    """A connection that performs one exchange after the other."""

    def __init__(self) -> None:
        """Set up without connecting."""
        self._loop = asyncio.get_running_loop()
        self._http = h11.Connection(our_role=h11.CLIENT, max_incomplete_event_size=MAX_HEADER_BYTES)
        self._received = bytearray()
        self._first_bytes = FirstBytes()
        self._error: Exception | None = None
        self._is_ended = self._is_paused = False
        self._readable: asyncio.Future[None] | None = None
        self._writable: asyncio.Future[None] | None = None
        self._idle_since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Buffer the data and wake the reader."""
        self._received += data
        if len(self._received) > MAX_BUFFERED and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        """Keep the connection open for writing: the server may still be reading the request."""
        self._is_ended = True
        self._wake()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Wake the reader and the writer."""
        self._is_ended, self._error = True, exc
        self._wake()
        self.resume_writing()

    def pause_writing(self) -> None:
        """Make the writer wait."""
        self._writable = self._loop.create_future()

    def resume_writing(self) -> None:
        """Wake the writer."""
        waiting, self._writable = self._writable, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def _wake(self) -> None:
        if self._readable is not None and not self._readable.done():
            self._readable.set_result(None)

    async def _read(self) -> bytes:
        """Return the next bytes, or nothing at the end."""
        while not self._received and not self._is_ended:
            self._readable = self._loop.create_future()
            await self._readable
        if not self._received and self._error is not None:
            raise TransferError(str(self._error)) from self._error
        data = bytes(self._received)
        self._received.clear()
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()
        return data

    async def _write(self, data: bytes) -> None:
        """Write the data; a server that stops reading may have sent its response already."""
        if not self._transport.is_closing():
            self._transport.write(data)
        if self._writable is not None:
            await self._writable

    async def write_request(self, verb: str, url: PlainUrl, headers: list[tuple[bytes, bytes]], content: bytes) -> None:
        """Send a request."""
        try:
            parts = [self._http.send(h11.Request(method=verb, target=url.target, headers=headers))]
            if content:
                parts.append(self._http.send(h11.Data(data=content)))
            parts.append(self._http.send(h11.EndOfMessage()))
        except h11.LocalProtocolError as error:
            raise InvalidRequestError(str(error)) from error
        await self._write(b"".join(part for part in parts if part))

    async def read_head(self) -> h11.Response:
        """Return the head of the response, after those that are only informational."""
        while True:
            event = await self._next_event()
            if isinstance(event, h11.Response):
                return event

    async def body(self) -> AsyncIterator[bytes]:
        """Yield the body of the response."""
        while isinstance(event := await self._next_event(), h11.Data):
            yield bytes(event.data)

    async def _next_event(self) -> object:
        while True:
            event = self._parsed_event()
            if event is not h11.NEED_DATA:
                return event
            data = await self._read()
            self._first_bytes.check(data)
            if not data and self._http.their_state is h11.SEND_RESPONSE:
                raise NotHttpError("Server disconnected without sending a response.")
            self._http.receive_data(data)

    def _parsed_event(self) -> object:
        try:
            return self._http.next_event()
        except h11.RemoteProtocolError as error:
            raise NotHttpError(str(error)) from error

    def release(self) -> bool:
        """End the exchange; return True if the connection can be used again; otherwise, close it."""
        try:
            if self._received and self._http.their_state is h11.SEND_BODY:
                self._http.receive_data(bytes(self._received))
                self._received.clear()
            # An unrequested body, such as an empty one, has not been read.
            while self._http.their_state is h11.SEND_BODY and self._http.next_event() is not h11.NEED_DATA:
                pass
        except h11.RemoteProtocolError:
            pass
        # Data after the end of the body would be read as the beginning of the next response.
        has_rest = bool(self._http.trailing_data[0])
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE and not has_rest:
            self._http.start_next_cycle()
            self._idle_since = self._loop.time()
            return True
        self.close()
        return False

    @property
    def is_usable(self) -> bool:
        """False if the idle connection was closed, received something unexpected, or is too old."""
        if self._is_ended or self._received or self._loop.time() - self._idle_since > KEEP_ALIVE:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(self._transport.get_extra_info("socket"), selectors.EVENT_READ)
            return not selector.select(0)

    def close(self) -> None:
        """Close the connection at once."""
        self._transport.abort()


async def connect(url: PlainUrl) -> PlainConnection:
    """Connect to the host, by whichever of its addresses answers first."""
    loop = asyncio.get_running_loop()
    # With a delay, asyncio of Python 3.11 leaks the socket if it is cancelled at the wrong moment.
    delay = None if url.is_address else HAPPY_EYEBALLS
    try:
        _, connection = await loop.create_connection(PlainConnection, url.host, url.port, happy_eyeballs_delay=delay)
    except OSError as error:
        if error.errno is None:
            raise HttpConnectError("All connection attempts failed") from error
        raise HttpConnectError(str(error)) from error
    return connection
