"""Shared parts of the HTTP transports: the client, errors as faults, and bodies with a size limit."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager

import httpx2
from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Invalid, InvalidResponse
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.record.http_message import HttpMessage
from mcpi.core.targets.target import Http, Sse
from mcpi.core.version import __version__
from mcpi.core.wire.urls import origin
from mcpi.core.wire.violations import quote
from mcpi.shell.transports.credentials import Credentials
from mcpi.shell.transports.http_faults import error_message
from mcpi.shell.transports.traffic import TrafficListener

EXCERPT_SIZE = 4096
EXCERPT_TIMEOUT = 1.0
"""Seconds to wait for a body that is only quoted."""
CLOSE_TIMEOUT = 0.5
"""Seconds that ending a session may take."""
MAX_REDIRECTS = 5
_VARIABLES = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}
"""The environment variables that httpx2 reads."""


@frozen
class HttpSettings:
    """The parts of a connection that its HTTP transport needs."""

    tap: TrafficListener
    limit: int
    """The largest message, in bytes."""
    credentials: Credentials
    environment: Mapping[str, str]


@frozen
class HttpRequest:
    """One HTTP request."""

    verb: str
    url: str
    headers: Mapping[bytes, bytes]
    content: bytes | None = None


REQUEST_ERRORS = (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError)
"""The errors that a request may raise; UnicodeError is raised for text that cannot be encoded."""


class BodyTooLong(Exception):  # noqa: N818 - it names the state of the body
    """A body, or an event in it, exceeds the size limit."""


class BodyTruncated(Exception):  # noqa: N818 - it names the state of the body
    """The connection was lost before the end of a body."""

    def __init__(self, status: int, error_message: str, begun: bytes) -> None:
        """Keep the part of the body that was received, as evidence."""
        super().__init__(f"HTTP status {status}, and the body was cut: {error_message}")
        self.begun = begun


def make_client(target: Http | Sse, environment: Mapping[str, str]) -> Result[httpx2.AsyncClient]:
    """Return a client without redirects or timeouts; fail if the proxy or certificate settings are invalid."""
    try:
        return Success(_client(target))
    except (OSError, ImportError, ValueError, httpx2.InvalidURL) as error:
        present = [name for name in environment if name.upper() in _VARIABLES]
        message = "a SOCKS proxy needs the package socksio" if isinstance(error, ImportError) else error_message(error)
        problem = f"the settings for proxies and certificates cannot be used: {message}"
        return Failure(Invalid("INVALID_ARGUMENT", "the environment", problem, (f"look at {', '.join(present)}",)))


def _client(target: Http | Sse) -> httpx2.AsyncClient:
    own = merge_headers(target, {"user-agent": f"mcpi/{__version__}"})
    headers = [*own.items(), *((header.name.encode(), _bytes(header.value)) for header in target.headers)]
    secure = target.url.lower().startswith("https")
    # Loading the certificates takes longer than a whole request, and http:// does not need them.
    verify: ssl.SSLContext | bool = True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
    return httpx2.AsyncClient(headers=headers, verify=verify, timeout=None, limits=limits)


def encode_headers(headers: Mapping[str, str] | Mapping[str, str | bytes]) -> dict[bytes, bytes]:
    """Encode headers as bytes; non-ASCII values are sent as UTF-8."""
    return {name.encode(): _bytes(value) for name, value in headers.items()}


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode(errors="surrogateescape")


def merge_headers(target: Http | Sse, headers: Mapping[str, str] | Mapping[str, str | bytes]) -> dict[bytes, bytes]:
    """Encode our headers, except those that the user sets: a test of a server may need other values."""
    named = {header.name.lower() for header in target.headers}
    return encode_headers({name: value for name, value in headers.items() if name.lower() not in named})


@asynccontextmanager
async def send_request(
    client: httpx2.AsyncClient, request: HttpRequest, log: Callable[[HttpMessage], None], credentials: Credentials
) -> AsyncIterator[httpx2.Response]:
    """Send a request, follow redirects within the origin, and yield the response."""
    url = request.url
    for _ in range(MAX_REDIRECTS):
        headers = {**request.headers, **encode_headers(credentials.headers(request.verb, url, request.content or b""))}
        async with logged_exchange(client, evolve(request, url=url, headers=headers), log) as response:
            credentials.keep_response(response.headers)
            redirect = redirect_target(response, url)
            if redirect is None:
                yield response
                return
            url = redirect
    raise httpx2.TooManyRedirects(f"{request.url} redirects more than {MAX_REDIRECTS} times")


def redirect_target(response: httpx2.Response, url: str) -> str | None:
    """Return the target of a redirect within the origin, or None; credentials are sent to no other origin."""
    location = response.headers.get("location")
    if not response.is_redirect or location is None or response.status_code == httpx2.codes.SEE_OTHER:
        return None
    target = str(httpx2.URL(url).join(location))
    return target if origin(target) == origin(url) else None


@asynccontextmanager
async def logged_exchange(
    client: httpx2.AsyncClient, request: HttpRequest, log: Callable[[HttpMessage], None]
) -> AsyncIterator[httpx2.Response]:
    """Send one request and yield the response; both are logged."""
    built = client.build_request(request.verb, request.url, content=request.content, headers=request.headers)
    log(HttpMessage(">", f"{request.verb} {request.url}", _pairs(built.headers)))
    response = await client.send(built, stream=True)
    try:
        status = f"{response.http_version} {response.status_code} {response.reason_phrase}".rstrip()
        log(HttpMessage("<", status, _pairs(response.headers)))
        yield response
    finally:
        await response.aclose()


def _pairs(headers: httpx2.Headers) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode(errors="replace"), value.decode(errors="replace")) for name, value in headers.raw)


def content_type(response: httpx2.Response) -> str:
    """Return the content type without its parameters."""
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()


def not_a_stream_reason(response: httpx2.Response) -> str:
    """Return the reason why a response is not an event stream, or an empty string if it is one."""
    if not response.is_success:
        return f"HTTP status {response.status_code}"
    kind = content_type(response)
    return "" if kind == "text/event-stream" else f"content type {kind or 'none'}"


async def read_chunks(response: httpx2.Response, limit: int) -> AsyncIterator[bytes]:
    """Yield the chunks of a body; raise BodyTooLong beyond the limit."""
    size = 0
    async for chunk in response.aiter_bytes():
        size += len(chunk)
        if size > limit:
            raise BodyTooLong
        yield chunk


async def read_body(response: httpx2.Response, limit: int) -> bytes:
    """Read the whole body."""
    parts: list[bytes] = []
    try:
        async for chunk in read_chunks(response, limit):
            parts.append(chunk)  # noqa: PERF401 - the part before a lost connection is evidence
    except httpx2.TransportError as error:
        raise BodyTruncated(response.status_code, error_message(error), b"".join(parts)[:EXCERPT_SIZE]) from error
    return b"".join(parts)


async def read_excerpt(response: httpx2.Response) -> str:
    """Read the beginning of a body, to quote it in an error message."""
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(EXCERPT_TIMEOUT):
            async for chunk in read_chunks(response, EXCERPT_SIZE):
                parts.append(chunk)  # noqa: PERF401 - the part before the limit or an error is the excerpt
    except (TimeoutError, BodyTooLong, httpx2.HTTPError):
        pass
    return format_excerpt(b"".join(parts))


def format_excerpt(body: bytes) -> str:
    """Format the beginning of a body for an error message."""
    return quote(body[:EXCERPT_SIZE].decode(errors="replace"))


def too_long_fault(url: str, limit: int) -> InvalidResponse:
    """Return the fault for a body or event that exceeds the size limit."""
    return InvalidResponse("INVALID_RESPONSE", f"{url} sent a message of more than {limit} bytes")


async def cancel_tasks(tasks: "Collection[asyncio.Task[None]]", last: "asyncio.Task[None] | None") -> None:
    """Cancel all tasks, after the last notification is sent: it may cancel a request."""
    if last is not None:
        await asyncio.wait([last], timeout=CLOSE_TIMEOUT)
    for task in list(tasks):
        task.cancel()
    if tasks:
        await asyncio.wait(list(tasks), timeout=CLOSE_TIMEOUT)
