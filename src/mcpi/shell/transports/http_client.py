"""Shared parts of the HTTP transports: the client, errors as faults, and bodies with a size limit."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Invalid, InvalidResponse
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.record.http_message import HttpMessage
from mcpi.core.targets.target import Http, Sse
from mcpi.core.version import __version__
from mcpi.core.wire.urls import origin
from mcpi.core.wire.violations import MAX_QUOTED, quote
from mcpi.shell.transports.credentials import Credentials
from mcpi.shell.transports.http_clients.http_errors import (
    HttpError,
    InvalidRequestError,
    RedirectLimitError,
    TransferError,
)
from mcpi.shell.transports.http_clients.http_message_parts import HttpRequest, HttpResponse, RawHeaders
from mcpi.shell.transports.http_clients.routing_client import RoutingClient, resolve_url
from mcpi.shell.transports.http_faults import error_message
from mcpi.shell.transports.traffic import TrafficListener

EXCERPT_SIZE = 4096
EXCERPT_TIMEOUT = 1.0
"""Seconds to wait for a body that is only quoted."""
CLOSE_TIMEOUT = 0.5
"""Seconds that ending a session may take."""
DELETE_RESPONSE_TIMEOUT = 0.02
"""Seconds to wait for the response to DELETE if the end of the session need not be awaited."""
ORDER_TIMEOUT = 1.0
"""Seconds that a message waits for the server to accept the previous notification."""
MAX_REDIRECTS = 5
_SEE_OTHER = 303
_VARIABLES = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}
"""The environment variables that name proxies and certificates."""


@frozen
class HttpSettings:
    """The parts of a connection that its HTTP transport needs."""

    tap: TrafficListener
    limit: int
    """The largest message, in bytes."""
    credentials: Credentials
    environment: Mapping[str, str]


NotePartial = Callable[[str], None]
"""A function that keeps a description of the part of a response that has arrived."""
REQUEST_ERRORS = (HttpError, UnicodeError)
"""The errors that a request may raise; UnicodeError is raised for text that cannot be encoded."""


class BodyTooLong(Exception):  # noqa: N818 - it names the state of the body
    """A body, or an event in it, exceeds the size limit."""


class BodyTruncated(Exception):  # noqa: N818 - it names the state of the body
    """The connection was lost before the end of a body."""

    def __init__(self, status: int, error_message: str, begun: bytes) -> None:
        """Keep the part of the body that was received, as evidence."""
        super().__init__(f"HTTP status {status}, and the body was cut off: {error_message}")
        self.begun = begun


def make_client(target: Http | Sse, environment: Mapping[str, str]) -> Result[RoutingClient]:
    """Return a client without redirects or timeouts; fail if the proxy or certificate settings are invalid."""
    own = merge_headers(target, {"user-agent": f"mcpi/{__version__}"})
    headers = [*own.items(), *((header.name.encode(), _bytes(header.value)) for header in target.headers)]
    try:
        return Success(RoutingClient(headers, environment, secure=target.url.lower().startswith("https")))
    except (OSError, ImportError, ValueError, HttpError) as error:
        present = [name for name in environment if name.upper() in _VARIABLES]
        message = (
            "a SOCKS proxy requires the package socksio" if isinstance(error, ImportError) else error_message(error)
        )
        problem = f"invalid proxy or certificate settings: {message}"
        return Failure(Invalid("INVALID_ARGUMENT", "the environment", problem, (f"check {', '.join(present)}",)))


def encode_headers(headers: Mapping[str, str] | Mapping[str, str | bytes]) -> dict[bytes, bytes]:
    """Encode headers as bytes; non-ASCII values are sent as UTF-8."""
    return {name.encode(): _bytes(value) for name, value in headers.items()}


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode(errors="surrogateescape")


def merge_headers(target: Http | Sse, headers: Mapping[str, str] | Mapping[str, str | bytes]) -> dict[bytes, bytes]:
    """Encode mcpi's headers, except those that the user sets: a test of a server may need other values."""
    named = {header.name.lower() for header in target.headers}
    return encode_headers({name: value for name, value in headers.items() if name.lower() not in named})


@asynccontextmanager
async def send_request(
    client: RoutingClient, request: HttpRequest, log: Callable[[HttpMessage], None], credentials: Credentials
) -> AsyncIterator[HttpResponse]:
    """Send a request, follow redirects within the origin, and yield the response."""
    url = request.url
    for _ in range(MAX_REDIRECTS + 1):
        headers = {**request.headers, **encode_headers(credentials.headers(request.verb, url, request.content or b""))}
        async with logged_exchange(client, evolve(request, url=url, headers=headers), log) as response:
            credentials.keep_response(response.headers)
            redirect = redirect_target(response, url)
            if redirect is None:
                yield response
                return
            url = redirect
    raise RedirectLimitError(f"{request.url} redirects more than {MAX_REDIRECTS} times")


def redirect_target(response: HttpResponse, url: str) -> str | None:
    """Return the target of a redirect within the origin, or None; credentials are sent to no other origin."""
    location = response.headers.get("location")
    if not response.is_redirect or location is None or response.status == _SEE_OTHER:
        return None
    try:
        target = resolve_url(url, location)
    except InvalidRequestError as error:
        raise InvalidRequestError(f"it redirects to {location!r}, which is not a valid URL") from error
    return target if origin(target) == origin(url) else None


@asynccontextmanager
async def logged_exchange(
    client: RoutingClient, request: HttpRequest, log: Callable[[HttpMessage], None]
) -> AsyncIterator[HttpResponse]:
    """Send one request and yield the response; both are logged."""
    response = await client.send(
        request, lambda headers: log(HttpMessage(">", f"{request.verb} {request.url}", _pairs(headers)))
    )
    try:
        status = f"{response.version} {response.status} {response.reason}".rstrip()
        log(HttpMessage("<", status, _pairs(response.raw_headers)))
        yield response
    finally:
        await response.close()


def _pairs(headers: RawHeaders) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode(errors="replace"), value.decode(errors="replace")) for name, value in headers)


def content_type(response: HttpResponse) -> str:
    """Return the content type without its parameters."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def not_a_stream_reason(response: HttpResponse) -> str:
    """Return the reason why a response is not an event stream, or an empty string if it is one."""
    if not response.is_success:
        return f"HTTP status {response.status}"
    kind = content_type(response)
    return "" if kind == "text/event-stream" else f"content type {kind or 'none'}"


async def read_chunks(response: HttpResponse, limit: int, note_partial: NotePartial) -> AsyncIterator[bytes]:
    """Yield the chunks of a body; raise BodyTooLong beyond the limit."""
    size, head = 0, b""
    note_partial(f"HTTP status {response.status} and no body")
    async for chunk in response.chunks:
        size += len(chunk)
        if size > limit:
            raise BodyTooLong
        head += chunk[: MAX_QUOTED - len(head)]
        note_partial(
            f"HTTP status {response.status} and {size} bytes of a body: {head.decode(errors='replace').strip()}"
        )
        yield chunk


def note_stream(response: HttpResponse, note_partial: NotePartial) -> None:
    """Note that an event stream has begun."""
    note_partial(f"HTTP status {response.status} and an event stream without an event")


async def read_body(response: HttpResponse, limit: int, note_partial: NotePartial) -> bytes:
    """Read the whole body."""
    parts: list[bytes] = []
    try:
        async for chunk in read_chunks(response, limit, note_partial):
            parts.append(chunk)  # noqa: PERF401 - the part before a lost connection is evidence
    except TransferError as error:
        raise BodyTruncated(response.status, error_message(error), b"".join(parts)[:EXCERPT_SIZE]) from error
    return b"".join(parts)


async def read_excerpt(response: HttpResponse, note_partial: NotePartial) -> str:
    """Read the beginning of a body, to quote it in an error message."""
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(EXCERPT_TIMEOUT):
            async for chunk in read_chunks(response, EXCERPT_SIZE, note_partial):
                parts.append(chunk)  # noqa: PERF401 - the part before the limit or an error is the excerpt
    except (TimeoutError, BodyTooLong, HttpError):
        pass
    return format_excerpt(b"".join(parts))


def format_excerpt(body: bytes) -> str:
    """Format the beginning of a body for an error message."""
    return quote(body[:EXCERPT_SIZE].decode(errors="replace"))


def too_long_fault(url: str, limit: int) -> InvalidResponse:
    """Return the fault for a body or event that exceeds the size limit."""
    return InvalidResponse("INVALID_RESPONSE", f"{url} sent a message of more than {limit} bytes")


class NotificationOrder:
    """Keeps messages behind the notification before them; one that the server never accepts delays a message once."""

    def __init__(self) -> None:
        """Start without a notification."""
        self.last: asyncio.Task[None] | None = None
        """The task that sends the last notification."""

    async def wait(self, before: "asyncio.Task[None] | None") -> None:
        """Wait until the notification is accepted, but not longer than ORDER_TIMEOUT."""
        if before is None:
            return
        _, pending = await asyncio.wait([before], timeout=ORDER_TIMEOUT)
        if pending and self.last is before:
            self.last = None


async def cancel_tasks(tasks: "Collection[asyncio.Task[None]]", last: "asyncio.Task[None] | None") -> None:
    """Cancel all tasks after the last notification, which may cancel a request, is sent."""
    if last is not None:
        await asyncio.wait([last], timeout=CLOSE_TIMEOUT)
    for task in list(tasks):
        task.cancel()
    if tasks:
        await asyncio.wait(list(tasks), timeout=CLOSE_TIMEOUT)


async def end_session(client: RoutingClient, url: str, headers: Mapping[bytes, bytes], *, stay: bool) -> None:
    """Send DELETE; without `stay`, do not wait for a slow response."""
    sent = asyncio.Event()
    task = asyncio.get_running_loop().create_task(_delete(client, url, headers, sent))
    try:
        await sent.wait()
        await asyncio.wait([task], timeout=None if stay else DELETE_RESPONSE_TIMEOUT)
        if task.done():
            task.result()
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _delete(client: RoutingClient, url: str, headers: Mapping[bytes, bytes], sent: asyncio.Event) -> None:
    try:
        response = await client.send(HttpRequest("DELETE", url, headers, on_sent=sent.set), lambda _: None)
        await response.close()
    finally:
        sent.set()
