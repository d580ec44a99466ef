"""A loopback HTTP listener for the redirect from an authorization server."""

import asyncio
from hmac import compare_digest
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit, urlunsplit

from mcpi.core.auth.endpoint_urls import is_loopback
from mcpi.core.outcome.faults import Unauthorized
from mcpi.core.outcome.result import Failure, Result, Success

CALLBACK_PATH = "/callback"
DEFAULT_REDIRECT_URI = f"http://127.0.0.1:0{CALLBACK_PATH}"
_MAX_HEAD = 1 << 16
_TIMEOUT = 10.0
MAX_CONNECTIONS = 32
"""Maximum number of open connections; further ones are closed at once."""
_PAGE = "<!doctype html><meta charset=utf-8><title>mcpi</title><p>{}</p>\n"


class _Page(NamedTuple):
    """The pages for the browser."""

    status: str
    message: str


_DONE = _Page("200 OK", "Done; this window can be closed.")
_REFUSED = _Page("200 OK", "The authorization server reported an error; this window can be closed.")
_NOT_FOUND = _Page("404 Not Found", "Not found.")
_NOT_GET = _Page("405 Method Not Allowed", "Only GET is allowed here.")
_WRONG_STATE = _Page("400 Bad Request", "This response belongs to another login and was ignored.")
_TOO_LATE = _Page("409 Conflict", "No login is waiting for a response.")


class CallbackListener:
    """An HTTP server that accepts the redirected request of a browser, and reports its URL."""

    def __init__(self) -> None:
        """Start without a listening socket."""
        self._server: asyncio.Server | None = None
        self._redirect_uri = ""
        self._state = ""
        self._redirected: asyncio.Future[str] | None = None
        self._connections = 0

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
                problem = f"cannot listen on {urlunsplit(parts)}: {error.strerror}"
                return Failure(Unauthorized(problem, hints=("use another --redirect-uri",)))
            port = self._server.sockets[0].getsockname()[1]
            name = f"[{parts.hostname}]" if parts.hostname == "::1" else parts.hostname
            self._redirect_uri = f"http://{name}:{port}{parts.path or CALLBACK_PATH}"
        return Success(self._redirect_uri)

    def next_redirect(self, state: str) -> "asyncio.Future[str]":
        """Return a future for the URL of the redirect with this state; other requests get an error page."""
        self._state = state
        self._redirected = asyncio.get_running_loop().create_future()
        return self._redirected

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        redirected: asyncio.Future[str] | None = None
        query = ""
        try:
            if self._connections > MAX_CONNECTIONS:
                return
            async with asyncio.timeout(_TIMEOUT):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                verb, _, rest = head.partition(" ")
                path, _, query = rest.partition(" ")[0].partition("?")
                page = self._page(verb, path, query)
                if page in {_DONE, _REFUSED}:
                    # Accept only the first response, even while its page is still being written.
                    redirected, self._redirected = self._redirected, None
                await _respond(writer, page)
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self._connections -= 1
            writer.close()
            if redirected is not None and not redirected.done():
                redirected.set_result(f"{self._redirect_uri}?{query}")

    def _page(self, verb: str, path: str, query: str) -> _Page:
        if path != urlsplit(self._redirect_uri).path:
            return _NOT_FOUND
        if verb != "GET":
            return _NOT_GET
        if self._redirected is None or self._redirected.done():
            return _TOO_LATE
        given = parse_qs(query, keep_blank_values=True)
        # RFC 6749 section 10.12: the state protects against cross-site request forgery.
        states = given.get("state", [])
        if len(states) != 1 or not compare_digest(states[0].encode(), self._state.encode()):
            return _WRONG_STATE
        return _REFUSED if "error" in given else _DONE

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()


async def _respond(writer: asyncio.StreamWriter, page: _Page) -> None:
    body = _PAGE.format(page.message).encode()
    head = (
        f"HTTP/1.1 {page.status}\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\n"
        f"cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n"
    )
    allowed = "allow: GET\r\n" if page is _NOT_GET else ""
    writer.write(f"{head}{allowed}\r\n".encode() + body)
    await writer.drain()
