"""Somebody who listens on loopback for the browser that comes back from an authorization server."""

import asyncio
from urllib.parse import urlsplit, urlunsplit

from mcpi.core.auth.endpoint_urls import is_loopback
from mcpi.core.outcome.faults import Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success

PATH = "/callback"
DEFAULT = f"http://127.0.0.1:0{PATH}"
_LIMIT = 1 << 16
_PATIENCE = 10.0
_PAGE = "<!doctype html><meta charset=utf-8><title>mcpi</title><p>{}</p>\n"


class CallbackListener:
    """Takes the one request that a browser makes, and says where it was sent."""

    def __init__(self) -> None:
        """Nobody listens yet."""
        self._server: asyncio.Server | None = None
        self._uri = ""
        self._came: asyncio.Future[str] | None = None

    async def start(self, wanted: str) -> Result[str]:
        """The redirect URI; one that is not on loopback is somebody else's to listen to."""
        if wanted and not (is_loopback(wanted) and urlsplit(wanted).scheme == "http"):
            return Success(wanted)
        if self._server is None:
            parts = urlsplit(wanted or DEFAULT)
            try:
                # RFC 8252 section 7.3: loopback by address, for a name may lead elsewhere.
                host = "::1" if parts.hostname == "::1" else "127.0.0.1"
                self._server = await asyncio.start_server(self._answer, host, parts.port or 0, limit=_LIMIT)
            except OSError as error:
                problem = f"nobody can listen at {urlunsplit(parts)}: {error.strerror}"
                return Failure(Unauthorized(problem, hints=("name another --redirect-uri",)))
            port = self._server.sockets[0].getsockname()[1]
            name = f"[{parts.hostname}]" if parts.hostname == "::1" else parts.hostname
            self._uri = f"http://{name}:{port}{parts.path or PATH}"
        return Success(self._uri)

    def expect(self) -> "asyncio.Future[str]":
        """Where the next browser is sent."""
        self._came = asyncio.get_running_loop().create_future()
        return self._came

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                verb, _, rest = head.partition(" ")
                target = rest.partition(" ")[0]
                known = verb == "GET" and target.partition("?")[0] == urlsplit(self._uri).path
                told = "Done; this window can be closed." if known else "There is nothing here."
                await _respond(writer, "200 OK" if known else "404 Not Found", _PAGE.format(told))
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            known, target = False, ""
        finally:
            writer.close()
        if known and self._came is not None and not self._came.done():
            self._came.set_result(f"{self._uri}?{target.partition('?')[2]}")

    def close(self) -> None:
        """Nobody listens any more."""
        if self._server is not None:
            self._server.close()


async def _respond(writer: asyncio.StreamWriter, status: str, page: str) -> None:
    body = page.encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
