"""What both HTTP transports need: a client, its errors as faults, bodies that end somewhere."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import httpx2

from mcpi.core.faults import Broken, Fault, Unreachable
from mcpi.core.target import Http, Sse, origin
from mcpi.core.version import __version__
from mcpi.core.wire.violations import quote

EXCERPT = 4096
GLANCE = 1.0
"""Seconds that the beginning of a body has to come, where it is only quoted."""
REDIRECTS = 5
_HINT = "is the server running, and is that its address?"


class BodyTooLong(Exception):  # noqa: N818 - it is a state of the body
    """A body went beyond the limit."""


class BodyCut(Exception):  # noqa: N818 - it is a state of the body
    """A body ended before its end."""

    def __init__(self, status: int, reason: str, begun: bytes) -> None:
        """What had come until then is evidence."""
        super().__init__(f"HTTP status {status}, and the body was cut: {reason}")
        self.begun = begun


def client(target: Http | Sse) -> httpx2.AsyncClient:
    """A client that follows nothing by itself and waits as long as we do."""
    given = {"user-agent": f"mcpi/{__version__}"} | {header.name: header.value for header in target.headers}
    headers = encoded(given)
    secure = target.url.lower().startswith("https")
    # Reading the certificates costs more than a whole exchange; for http:// nothing would look at them.
    verify: ssl.SSLContext | bool = True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
    return httpx2.AsyncClient(headers=headers, verify=verify, timeout=None, limits=limits)


def encoded(headers: Mapping[str, str]) -> dict[bytes, bytes]:
    """The headers as bytes: a value beyond ASCII goes out as it came."""
    return {name.encode(): value.encode(errors="surrogateescape") for name, value in headers.items()}


@asynccontextmanager
async def answer(
    ask: Callable[[str], httpx2.Request], client: httpx2.AsyncClient, url: str, told: Callable[[str], None]
) -> AsyncIterator[httpx2.Response]:
    """The answer to a request, after the redirects that stay within the origin."""
    place = url
    for _ in range(REDIRECTS):
        request = ask(place)
        told(f"{request.method} {place}")
        response = await client.send(request, stream=True)
        try:
            told(described(response))
            elsewhere = redirected(response, place)
            if elsewhere is None:
                yield response
                return
        finally:
            await response.aclose()
        place = elsewhere
    raise httpx2.TooManyRedirects(f"{url} redirects more than {REDIRECTS} times")


def fault_of(error: httpx2.HTTPError | httpx2.InvalidURL | ssl.SSLError, url: str, doing: str) -> Fault:
    """The foreign exception as a fault."""
    cause = _tls_cause(error)
    if cause is not None:
        hint = "a certificate of your own goes into SSL_CERT_FILE"
        return Unreachable("TLS_FAILED", f"no secure connection to {url}: {cause}", hints=(hint,))
    told = _reason(error)
    match error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return Unreachable("CONNECTION_REFUSED", f"no connection to {url}: {told}", hints=(_HINT,))
        case httpx2.ProxyError():
            return Unreachable("CONNECTION_REFUSED", f"the proxy for {url} refused: {told}")
        case httpx2.DecodingError():
            return Broken("INVALID_RESPONSE", f"the answer of {url} to {doing} cannot be decoded: {told}")
        case httpx2.LocalProtocolError() | httpx2.InvalidURL() | httpx2.UnsupportedProtocol():
            return Broken("INVALID_RESPONSE", f"{doing} cannot be sent to {url}: {told}")
        case _:
            return Unreachable("CONNECTION_LOST", f"the connection to {url} was lost during {doing}: {told}")


def _reason(error: BaseException) -> str:
    """What the system said, rather than what the library made of it."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.strerror:
            return os.strerror(inner.errno) if inner.errno else inner.strerror
        inner = inner.__cause__ or inner.__context__
    return str(error) or type(error).__name__


def _tls_cause(error: BaseException | None) -> str | None:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ssl.SSLError):
            return getattr(error, "verify_message", "") or error.reason or str(error)
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


async def chunks(response: httpx2.Response, limit: int) -> AsyncIterator[bytes]:
    """The body as it comes, up to the limit."""
    size = 0
    async for chunk in response.aiter_bytes():
        size += len(chunk)
        if size > limit:
            raise BodyTooLong
        yield chunk


async def whole(response: httpx2.Response, limit: int) -> bytes:
    """The body."""
    return b"".join([chunk async for chunk in chunks(response, limit)])


async def excerpt(response: httpx2.Response) -> str:
    """The beginning of a body that is only quoted."""
    parts: list[bytes] = []
    try:
        async for chunk in chunks(response, EXCERPT):
            parts.append(chunk)  # noqa: PERF401 - what came before the limit or the cut is the excerpt
    except (BodyTooLong, httpx2.HTTPError):
        pass
    return shown(b"".join(parts))


def shown(body: bytes) -> str:
    """The beginning of a body, as a message quotes it."""
    return quote(body[:EXCERPT].decode(errors="replace"))


def redirected(response: httpx2.Response, url: str) -> str | None:
    """Where a redirect leads, if it stays within the origin; credentials go nowhere else."""
    location = response.headers.get("location")
    if not response.is_redirect or location is None or response.status_code == httpx2.codes.SEE_OTHER:
        return None
    target = str(httpx2.URL(url).join(location))
    return target if origin(target) == origin(url) else None


def too_long(url: str, limit: int) -> Broken:
    """The fault of a body or event without an end in sight."""
    return Broken("INVALID_RESPONSE", f"{url} sent a message of more than {limit} bytes")
