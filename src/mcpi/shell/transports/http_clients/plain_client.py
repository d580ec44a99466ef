"""An HTTP client for plain URLs, with a pool of connections."""

from collections.abc import AsyncIterator, Callable

import h11

from mcpi.shell.transports.http_clients.cookie_store import CookieStore
from mcpi.shell.transports.http_clients.http_message_parts import HttpRequest, HttpResponse, RawHeaders, merge_raw
from mcpi.shell.transports.http_clients.plain_connection import PlainConnection, connect
from mcpi.shell.transports.http_clients.plain_urls import PlainUrl

MAX_IDLE = 20
"""Maximum number of idle connections."""
DEFAULT_HEADERS = ((b"Accept", b"*/*"), (b"Accept-Encoding", b"gzip, deflate"), (b"Connection", b"keep-alive"))
_WITH_BODY = ("POST", "PUT", "PATCH")


class PlainClient:
    """The connections to the hosts of plain URLs."""

    def __init__(self, headers: RawHeaders, cookies: CookieStore) -> None:
        """Set up without connecting; `headers` are sent with each request."""
        self._headers = _merged(DEFAULT_HEADERS, headers)
        self._cookies = cookies
        self._idle: dict[bytes, list[PlainConnection]] = {}
        self._busy: set[PlainConnection] = set()

    async def send(
        self, request: HttpRequest, url: PlainUrl, log_headers: Callable[[RawHeaders], None]
    ) -> HttpResponse:
        """Send a request; return the response, whose body is not read yet."""
        headers = self._request_headers(request, url)
        log_headers(headers)
        connection = self._idle_connection(url) or await connect(url)
        self._busy.add(connection)
        try:
            await connection.write_request(request.verb, url, headers, request.content or b"")
            if request.on_sent is not None:
                request.on_sent()
            head = await connection.read_head()
        except BaseException:
            self._release(connection, url)
            raise
        raw = head.headers.raw_items()
        self._cookies.keep(request.url, raw)
        return self._response(head, raw, connection, url)

    def _request_headers(self, request: HttpRequest, url: PlainUrl) -> list[tuple[bytes, bytes]]:
        headers = _merged(self._headers, tuple(request.headers.items()))
        names = {name.lower() for name, _ in headers}
        cookie = self._cookies.header(request.url) if b"cookie" not in names else None
        if cookie is not None:
            headers.append((b"Cookie", cookie))
        if request.content and not names & {b"content-length", b"transfer-encoding"}:
            headers.append((b"Content-Length", b"%d" % len(request.content)))
        elif request.verb in _WITH_BODY and not names & {b"content-length", b"transfer-encoding"}:
            headers.insert(0, (b"Content-Length", b"0"))
        return headers if b"host" in names else [(b"Host", url.authority), *headers]

    def _idle_connection(self, url: PlainUrl) -> PlainConnection | None:
        idle = self._idle.get(url.authority, [])
        while idle:
            connection = idle.pop()
            if connection.is_usable:
                return connection
            connection.close()
        return None

    def _response(
        self, head: h11.Response, raw: RawHeaders, connection: PlainConnection, url: PlainUrl
    ) -> HttpResponse:
        headers = merge_raw(raw)

        async def close() -> None:
            self._release(connection, url)

        return HttpResponse(
            f"HTTP/{head.http_version.decode('ascii')}",
            head.status_code,
            head.reason.decode("ascii", errors="ignore"),
            raw,
            headers,
            _decoded(connection.body(), headers.get("content-encoding", "")),
            close,
        )

    def _release(self, connection: PlainConnection, url: PlainUrl) -> None:
        """End an exchange, once; keep the connection if it can be used again."""
        if connection not in self._busy:
            return
        self._busy.remove(connection)
        if connection.release():
            idle = self._idle.setdefault(url.authority, [])
            idle.append(connection)
            if len(idle) > MAX_IDLE:
                idle.pop(0).close()

    def close(self) -> None:
        """Close all connections."""
        for connection in [*self._busy, *(one for idle in self._idle.values() for one in idle)]:
            connection.close()
        self._busy.clear()
        self._idle.clear()


def _merged(headers: RawHeaders, more: RawHeaders) -> list[tuple[bytes, bytes]]:
    """Return the headers and those that replace or follow them."""
    replaced = {name.lower() for name, _ in more}
    return [*((name, value) for name, value in headers if name.lower() not in replaced), *more]


def _decoded(chunks: AsyncIterator[bytes], content_encoding: str) -> AsyncIterator[bytes]:
    if not content_encoding:
        return chunks
    from mcpi.shell.transports.http_clients.content_decoding import decoded  # noqa: PLC0415 - most bodies are not compressed

    return decoded(chunks, content_encoding)
