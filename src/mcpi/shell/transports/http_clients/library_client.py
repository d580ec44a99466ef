"""An HTTP client for all URLs, proxies and TLS: httpx2, with its errors converted."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from mcpi.shell.transports.http_clients.cookie_store import CookieStore
from mcpi.shell.transports.http_clients.first_bytes import FirstBytes
from mcpi.shell.transports.http_clients.http_errors import (
    ContentDecodingError,
    HttpConnectError,
    HttpError,
    HttpProxyError,
    InvalidRequestError,
    NotHttpError,
    TransferError,
)
from mcpi.shell.transports.http_clients.http_message_parts import HttpRequest, HttpResponse, RawHeaders

_ERRORS: tuple[tuple[tuple[type[Exception], ...], type[HttpError]], ...] = (
    ((httpx2.ConnectError, httpx2.ConnectTimeout), HttpConnectError),
    ((httpx2.ProxyError,), HttpProxyError),
    ((httpx2.DecodingError,), ContentDecodingError),
    ((httpx2.LocalProtocolError, httpx2.InvalidURL, httpx2.UnsupportedProtocol), InvalidRequestError),
    ((httpx2.RemoteProtocolError,), NotHttpError),
    ((httpx2.TransportError,), TransferError),
    ((httpx2.HTTPError,), HttpError),
)
_CONNECTED = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})
"""The events that report a new connection on which the next bytes are HTTP."""


class LibraryClient:
    """A client of httpx2 without redirects or timeouts."""

    def __init__(self, headers: RawHeaders, cookies: CookieStore, *, secure: bool) -> None:
        """Read the settings for proxies and certificates; `headers` are sent with each request."""
        # Loading the certificates takes longer than a whole request, and http:// does not need them.
        verify: ssl.SSLContext | bool = True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
        with _converted_errors():
            self._client = httpx2.AsyncClient(
                headers=list(headers), verify=verify, timeout=None, limits=limits, cookies=cookies.jar
            )

    async def send(self, request: HttpRequest, log_headers: Callable[[RawHeaders], None]) -> HttpResponse:
        """Send a request; return the response, whose body is not read yet."""
        with _converted_errors():
            built = self._client.build_request(
                request.verb,
                request.url,
                content=request.content,
                headers=request.headers,
                extensions={"trace": _tracing(request.on_sent)},
            )
            log_headers(built.headers.raw)
            response = await self._client.send(built, stream=True)
        return HttpResponse(
            response.http_version,
            response.status_code,
            response.reason_phrase,
            response.headers.raw,
            dict(response.headers),
            _chunks(response),
            response.aclose,
        )

    async def close(self) -> None:
        """Close all connections."""
        with _converted_errors():
            await self._client.aclose()


def _tracing(on_sent: Callable[[], None] | None) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
    """Return a trace function that checks new connections, and reports when the request has been written."""

    async def trace(event: str, info: Mapping[str, Any]) -> None:
        if event in _CONNECTED:
            _check_first_bytes(info["return_value"])
        elif on_sent is not None and event.endswith(".send_request_body.complete"):
            on_sent()

    return trace


def _check_first_bytes(stream: Any) -> None:  # noqa: ANN401 - the library passes it without a type
    """Check what the connection receives before the library does, which waits for an empty line."""
    read, first_bytes = stream.read, FirstBytes()

    async def checked(max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - as the library calls it
        data: bytes = await read(max_bytes, timeout)
        first_bytes.check(data)
        return data

    stream.read = checked


async def _chunks(response: httpx2.Response) -> AsyncIterator[bytes]:
    with _converted_errors():
        async for chunk in response.aiter_bytes():
            yield chunk


@contextmanager
def _converted_errors() -> Iterator[None]:
    try:
        yield
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        convert = next(ours for theirs, ours in _ERRORS if isinstance(error, theirs))
        raise convert(str(error) or "the connection was closed unexpectedly") from error
    except ssl.SSLError as error:
        # The library does not convert the errors of an established TLS connection.
        raise TransferError(str(error)) from error


def join_url(url: str, reference: str) -> str:
    """Resolve a reference against a URL; raise InvalidRequestError if it is invalid."""
    with _converted_errors():
        return str(httpx2.URL(url).join(reference))


def decoded_host(url: str) -> str:
    """Return the host of a URL, decoded."""
    return httpx2.URL(url).host
