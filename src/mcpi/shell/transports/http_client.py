"""What both HTTP transports need: a client, its errors as faults, bodies that end somewhere."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager

import httpx2

from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Fault, Invalid, InvalidResponse, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.targets.target import Http, Sse
from mcpi.core.version import __version__
from mcpi.core.wire import http_headers
from mcpi.core.wire.urls import origin
from mcpi.core.wire.violations import quote
from mcpi.shell.transports.credentials import Credentials
from mcpi.shell.transports.traffic import TrafficListener

EXCERPT = 4096
GLANCE = 1.0
"""Seconds that a body has to come which is only quoted."""
FAREWELL = 0.5
"""Seconds that the end of a session may take."""
REDIRECTS = 5
_SETTINGS = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}
"""The variables that the library looks at."""
_HINT = "is the server running, and is that its address?"
_LOST = ("Server disconnected", "peer closed connection")
"""How a protocol error begins that is no more than an end too early."""


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


ERRORS = (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError)
"""What an exchange may end with; the last comes of text that has no bytes."""


class BodyTooLong(Exception):  # noqa: N818 - it is a state of the body
    """A body, or an event in it, went beyond the limit."""


class BodyCut(Exception):  # noqa: N818 - it is a state of the body
    """A body ended before its end."""

    def __init__(self, status: int, reason: str, begun: bytes) -> None:
        """What had come by then is the evidence."""
        super().__init__(f"HTTP status {status}, and the body was cut: {reason}")
        self.begun = begun


def make_client(target: Http | Sse, environment: Mapping[str, str]) -> Result[httpx2.AsyncClient]:
    """A client that follows nothing by itself and waits as long as we do; the environment may stand in its way."""
    try:
        return Success(_client(target))
    except (OSError, ImportError, ValueError, httpx2.InvalidURL) as error:
        given = [name for name in environment if name.upper() in _SETTINGS]
        told = "a SOCKS proxy needs the package socksio" if isinstance(error, ImportError) else reason(error)
        problem = f"the settings for proxies and certificates cannot be used: {told}"
        return Failure(Invalid("INVALID_ARGUMENT", "the environment", problem, (f"look at {', '.join(given)}",)))


def _client(target: Http | Sse) -> httpx2.AsyncClient:
    own = dressed(target, {"user-agent": f"mcpi/{__version__}"})
    headers = [*own.items(), *((header.name.encode(), _bytes(header.value)) for header in target.headers)]
    secure = target.url.lower().startswith("https")
    # Reading the certificates costs more than a whole exchange; for http:// nothing would look at them.
    verify: ssl.SSLContext | bool = True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
    return httpx2.AsyncClient(headers=headers, verify=verify, timeout=None, limits=limits)


def encoded(headers: Mapping[str, str] | Mapping[str, str | bytes]) -> dict[bytes, bytes]:
    """The headers as bytes: what is beyond ASCII goes out as UTF-8."""
    return {name.encode(): _bytes(value) for name, value in headers.items()}


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode(errors="surrogateescape")


def dressed(target: Http | Sse, headers: Mapping[str, str] | Mapping[str, str | bytes]) -> dict[bytes, bytes]:
    """Our headers, but for those that the user names himself: who diagnoses a server may want to send it another."""
    named = {header.name.lower() for header in target.headers}
    return encoded({name: value for name, value in headers.items() if name.lower() not in named})


@asynccontextmanager
async def answer(
    sender: httpx2.AsyncClient, asked: HttpRequest, told: Callable[[str], None], credentials: Credentials
) -> AsyncIterator[httpx2.Response]:
    """The answer, after the redirects that stay within the origin."""
    url = asked.url
    for _ in range(REDIRECTS):
        told(f"{asked.verb} {url}")
        headers = {**asked.headers, **encoded(credentials.headers(asked.verb, url, asked.content or b""))}
        async with sender.stream(asked.verb, url, content=asked.content, headers=headers) as response:
            told(described(response))
            credentials.learn(response.headers)
            elsewhere = redirected(response, url)
            if elsewhere is None:
                yield response
                return
            url = elsewhere
    raise httpx2.TooManyRedirects(f"{asked.url} redirects more than {REDIRECTS} times")


def redirected(response: httpx2.Response, url: str) -> str | None:
    """Where a redirect leads, if it stays within the origin; credentials go nowhere else."""
    location = response.headers.get("location")
    if not response.is_redirect or location is None or response.status_code == httpx2.codes.SEE_OTHER:
        return None
    target = str(httpx2.URL(url).join(location))
    return target if origin(target) == origin(url) else None


def described(response: httpx2.Response) -> str:
    """The status and the headers that help."""
    useful = {name: response.headers[name] for name in http_headers.DIAGNOSTIC_HEADERS if name in response.headers}
    return f"HTTP {response.status_code} {response.reason_phrase} {useful}"


def kind_of(response: httpx2.Response) -> str:
    """The content type without its parameters."""
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower()


def no_stream(response: httpx2.Response) -> str:
    """Why the answer is no stream of events; nothing if it is one."""
    if not response.is_success:
        return f"HTTP status {response.status_code}"
    kind = kind_of(response)
    return "" if kind == "text/event-stream" else f"content type {kind or 'none'}"


def fault_of(error: httpx2.HTTPError | httpx2.InvalidURL | UnicodeError | ssl.SSLError, url: str, doing: str) -> Fault:
    """The foreign exception as a fault."""
    cause = _tls_cause(error)
    if cause is not None:
        plain = "WRONG_VERSION_NUMBER" in cause
        hint = "does it speak http:// there?" if plain else "a certificate of your own goes into SSL_CERT_FILE"
        return Unreachable("TLS_FAILED", f"no secure connection to {url}: {cause}", hints=(hint,))
    told = reason(error)
    match error:
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return Unreachable("CONNECTION_REFUSED", f"no connection to {url}: {told}", hints=(_HINT,))
        case httpx2.ProxyError():
            return Unreachable("CONNECTION_REFUSED", f"the proxy for {url} refused: {told}")
        case httpx2.DecodingError():
            return InvalidResponse("INVALID_RESPONSE", f"the answer of {url} to {doing} cannot be decoded: {told}")
        case httpx2.TooManyRedirects():
            return InvalidResponse("INVALID_RESPONSE", f"{told}, here for {doing}")
        case httpx2.LocalProtocolError() | httpx2.InvalidURL() | httpx2.UnsupportedProtocol() | UnicodeError():
            return InvalidResponse("INVALID_RESPONSE", f"{doing} cannot be sent to {url}: {told}")
        case httpx2.RemoteProtocolError() if not told.startswith(_LOST):
            return InvalidResponse("INVALID_RESPONSE", f"what {url} answered to {doing} is not HTTP: {told}")
        case _:
            return Unreachable("CONNECTION_LOST", f"the connection to {url} was lost during {doing}: {told}")


def crash(task: asyncio.Task[None], url: str) -> Fault | None:
    """What became of a task that did not tell it itself."""
    error = None if task.cancelled() else task.exception()
    # What the exception says, and its traceback more so, may hold a secret.
    told = f"mcpi itself failed in an exchange with {url} ({type(error).__name__})"
    return None if error is None else InvalidResponse("INVALID_RESPONSE", f"{told}, please report it")


def reason(error: BaseException) -> str:
    """What the system said, rather than what the library made of it."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError) and inner.strerror:
            # Errors of name resolution have negative numbers, which only they can spell.
            return os.strerror(inner.errno) if inner.errno and inner.errno > 0 else inner.strerror
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
    parts: list[bytes] = []
    try:
        async for chunk in chunks(response, limit):
            parts.append(chunk)  # noqa: PERF401 - what came before a cut is evidence
    except httpx2.TransportError as error:
        raise BodyCut(response.status_code, reason(error), b"".join(parts)[:EXCERPT]) from error
    return b"".join(parts)


async def excerpt(response: httpx2.Response) -> str:
    """The beginning of a body that is only quoted."""
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(GLANCE):
            async for chunk in chunks(response, EXCERPT):
                parts.append(chunk)  # noqa: PERF401 - what came before the limit or the cut is the excerpt
    except (TimeoutError, BodyTooLong, httpx2.HTTPError):
        pass
    return shown(b"".join(parts))


def shown(body: bytes) -> str:
    """The beginning of a body, as a message quotes it."""
    return quote(body[:EXCERPT].decode(errors="replace"))


def too_long(url: str, limit: int) -> InvalidResponse:
    """The fault of a body or event without an end in sight."""
    return InvalidResponse("INVALID_RESPONSE", f"{url} sent a message of more than {limit} bytes")


async def let_go(tasks: "Collection[asyncio.Task[None]]", last: "asyncio.Task[None] | None") -> None:
    """What is under way is ended, after the last notification has left: it may say that a call is given up."""
    if last is not None:
        await asyncio.wait([last], timeout=FAREWELL)
    for task in list(tasks):
        task.cancel()
    if tasks:
        await asyncio.wait(list(tasks), timeout=FAREWELL)
