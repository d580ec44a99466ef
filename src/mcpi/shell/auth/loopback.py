"""A loopback HTTP listener for the redirect from an authorization server."""

import asyncio
from urllib.parse import urlsplit, urlunsplit

from mcpi.core.auth.endpoint_urls import is_loopback
from mcpi.core.outcome.faults import Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success

CALLBACK_PATH = "/callback"
DEFAULT_REDIRECT_URI = f"http://127.0.0.1:0{CALLBACK_PATH}"
_MAX_HEAD = 1 << 16
_TIMEOUT = 10.0
_PAGE = "<!doctype html><meta charset=utf-8><title>mcpi</title><p>{}</p>\n"


class CallbackListener:
    """An HTTP server that accepts the redirected request of a browser, and reports its URL."""

    def __init__(self) -> None:
        """Start without a listening socket."""
        self._server: asyncio.Server | None = None
        self._redirect_uri = ""
        self._redirected: asyncio.Future[str] | None = None

    async def start(self, redirect_uri: str) -> Result[str]:
        """Listen, and return the redirect URI; a URI that is not HTTP on loopback is returned without listening."""
        if redirect_uri and not (is_loopback(redirect_uri) and urlsplit(redirect_uri).scheme == "http"):
            return Success(redirect_uri)
        if self._server is None:
            parts = urlsplit(redirect_uri or DEFAULT_REDIRECT_URI)
            try:
                # RFC 8252 section 7.3: use the loopback IP address, as a name may resolve elsewhere.
                host = "::1" if parts.hostname == "::1" else "127.0.0.1"
                self._server = await asyncio.start_server(self._handle, host, parts.port or 0, limit=_MAX_HEAD)
            except OSError as error:
                problem = f"nobody can listen at {urlunsplit(parts)}: {error.strerror}"
                return Failure(Unauthorized(problem, hints=("name another --redirect-uri",)))
            port = self._server.sockets[0].getsockname()[1]
            name = f"[{parts.hostname}]" if parts.hostname == "::1" else parts.hostname
            self._redirect_uri = f"http://{name}:{port}{parts.path or CALLBACK_PATH}"
        return Success(self._redirect_uri)

    def next_redirect(self) -> "asyncio.Future[str]":
        """Return a future for the URL of the next redirect."""
        self._redirected = asyncio.get_running_loop().create_future()
        return self._redirected

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_TIMEOUT):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                verb, _, rest = head.partition(" ")
                target = rest.partition(" ")[0]
                is_callback = verb == "GET" and target.partition("?")[0] == urlsplit(self._redirect_uri).path
                message = "Done; this window can be closed." if is_callback else "There is nothing here."
                await _respond(writer, "200 OK" if is_callback else "404 Not Found", _PAGE.format(message))
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            is_callback, target = False, ""
        finally:
            writer.close()
        if is_callback and self._redirected is not None and not self._redirected.done():
            self._redirected.set_result(f"{self._redirect_uri}?{target.partition('?')[2]}")

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()


async def _respond(writer: asyncio.StreamWriter, status: str, page: str) -> None:
    body = page.encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
