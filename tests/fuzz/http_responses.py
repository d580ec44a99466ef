"""Fuzz target of the plain HTTP client: a response made from a grammar, mutated, and sent in pieces."""

import asyncio
import gzip
import zlib
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from fuzz.mutate import mutated
from mcpi.shell.transports.http_clients.cookie_store import CookieStore
from mcpi.shell.transports.http_clients.http_errors import HttpError
from mcpi.shell.transports.http_clients.http_message_parts import HttpRequest
from mcpi.shell.transports.http_clients.plain_client import PlainClient
from mcpi.shell.transports.http_clients.plain_connection import PlainConnection
from mcpi.shell.transports.http_clients.plain_urls import PlainUrl

URL = PlainUrl("h", 80, b"h", b"/mcp")
STATUSES = ("200 OK", "202 Accepted", "204 No Content", "304 Not Modified", "404", "500 \xff", "100 Continue", "999 X")
BODIES = (b"", b"{}", b"data: {}\n\n", b"x" * 5000, b"\0\xff\r\n\r\n")
HEADERS = (
    b"Content-Type: application/json",
    b"Content-Type: text/event-stream; charset=\xff",
    b"Set-Cookie: a=b; Max-Age=-1; Domain=.h",
    b"Set-Cookie: \xe9=\xff",
    b"Connection: close",
    b"Connection: keep-alive, Upgrade",
    b"Mcp-Session-Id: \xc3\xa9",
    b"X-Long: " + b"y" * 3000,
    b"X-Empty:",
    b" folded: header",
    b"No colon",
)


def response(random: Random) -> bytes:
    """Return the bytes of a response, with any framing and encoding that the grammar allows."""
    body, headers = random.choice(BODIES), random.sample(HEADERS, random.randrange(4))
    match random.randrange(6):
        case 0:
            body = gzip.compress(body, mtime=0)
            headers.append(b"Content-Encoding: gzip")
        case 1:
            body = zlib.compress(body)[2:-4] if random.random() < 0.5 else zlib.compress(body)
            headers.append(b"Content-Encoding: deflate")
        case 2:
            headers.append(b"Content-Encoding: " + random.choice((b"br", b"gzip, gzip", b"identity", b"gzip")))
        case _:
            pass
    match random.randrange(4):
        case 0:
            headers.append(
                b"Content-Length: " + random.choice((b"%d" % len(body), b"%d" % (len(body) + 1), b"-1", b"1e9"))
            )
        case 1:
            sizes = [random.randrange(1, 4000) for _ in range(random.randrange(4))]
            body = b"".join(_chunk(body[at : at + size]) for size in sizes for at in (0,)) + b"0\r\n\r\n"
            headers.append(b"Transfer-Encoding: chunked")
        case _:
            pass
    status = random.choice(STATUSES).encode("latin-1")
    return b"\r\n".join((b"HTTP/1.1 " + status, *headers, b"", b"")) + body


def _chunk(data: bytes) -> bytes:
    return b"%x;ext=1\r\n%b\r\n" % (len(data), data) if data else b""


class MemoryTransport(asyncio.Transport):
    """A transport that discards what is written, and counts calls of abort."""

    def __init__(self) -> None:
        """Start open."""
        super().__init__()
        self.is_aborted = False

    def write(self, data: Any) -> None:
        """Discard the data."""

    def abort(self) -> None:
        """Close at once."""
        self.is_aborted = True

    def is_closing(self) -> bool:
        """Return whether it is closed."""
        return self.is_aborted

    def pause_reading(self) -> None:
        """Accept the request to pause."""

    def resume_reading(self) -> None:
        """Accept the request to resume."""


class OneConnection(PlainClient):
    """A client whose only connection is given."""

    def __init__(self, connection: PlainConnection) -> None:
        super().__init__((), CookieStore())
        self._only = connection

    def _idle_connection(self, _: PlainUrl) -> PlainConnection | None:
        return self._only


async def exchange(pieces: Iterable[bytes]) -> tuple[object, ...]:
    """Return the outcome of one exchange: the status and the body, or the type of the error."""
    transport, connection = MemoryTransport(), PlainConnection()
    connection.connection_made(transport)
    for piece in pieces:
        connection.data_received(piece)
    connection.eof_received()
    client = OneConnection(connection)
    try:
        response = await client.send(HttpRequest("POST", "http://h/mcp", {}, b"{}"), URL, lambda _: None)
        try:
            body = b"".join([chunk async for chunk in response.chunks])
        finally:
            await response.close()
    except HttpError as error:
        client.close()
        return (type(error).__name__,)
    client.close()
    return response.status, body


def check(data: bytes, cuts: Sequence[int]) -> None:
    """Check that the pieces of a response give the same outcome as the whole."""
    marks = sorted(cuts)
    pieces = [data[start:end] for start, end in zip([0, *marks], [*marks, len(data)], strict=True)]
    whole, cut = asyncio.run(_outcomes(data, [piece for piece in pieces if piece]))
    assert whole == cut, (whole, cut, data[:500])


async def _outcomes(data: bytes, pieces: list[bytes]) -> tuple[object, object]:
    async with asyncio.timeout(10):
        return await exchange([data]), await exchange(pieces)


def http_response(random: Random) -> None:
    """One response from the grammar, usually mutated."""
    data = response(random)
    if random.random() < 0.8:
        data = mutated(random, data)
    check(data, [random.randrange(len(data) + 1) for _ in range(random.randrange(6))])
