"""Settings of a connection, the requests that follow from them, and the times at which its stages were reached."""

from collections.abc import Mapping

from attrs import define, evolve, field

from mcpi.core.flags.options import DEFAULT_TOTAL_TIMEOUT
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Params, Printable
from mcpi.core.plans.steps import Call
from mcpi.core.session.effects import SendMessage
from mcpi.core.wire import http_headers, modern
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.peer import encode_request
from mcpi.core.wire.server_info import ClientInfo, NegotiatedServer


def total_timeout(most: float, timeout: float) -> float:
    """Total timeout of one response; a longer `timeout` raises the default, but not an explicit limit."""
    return max(most, timeout) if most == DEFAULT_TOTAL_TIMEOUT else most


@frozen
class Terms:
    """Settings of a connection."""

    client: ClientInfo
    era: str = "auto"
    version: str | None = None
    timeout: float = 30.0
    max_total_timeout: float = DEFAULT_TOTAL_TIMEOUT
    """Total timeout of one response in seconds; see `total_timeout`."""
    connect_timeout: float = 30.0
    retries: int = 0
    meta: Mapping[str, Printable] = field(factory=dict)
    log_level: str | None = None
    transport: str = "stdio"
    discover: bool = True
    """True to send server/discover to a modern server first."""
    open_server_stream: bool = True
    """True to open the stream for unsolicited messages of an HTTP server of the handshake era."""
    progress_resets_timeout: bool = True
    """True if progress notifications reset the response timeout."""
    limit_hints: Mapping[str, str] = field(factory=dict)
    """Hints about limits that expire, by flag, which replace the usual ones."""
    backoff: tuple[float, ...] = (1.0, 2.0, 4.0)
    """Seconds before each retry of connecting; the last value applies to all further retries."""
    retryable_codes: frozenset[str] | None = None
    """Error codes after which connecting is retried; None for the default rule."""
    headers: Mapping[str, str] = field(factory=dict)
    """Additional HTTP headers of requests."""
    authorize: bool = False
    """True to get a token when the server requires one."""

    @property
    def total_timeout(self) -> float:
        """Total timeout of one response, given the response timeout."""
        return total_timeout(self.max_total_timeout, self.timeout)

    def extended(self, log_level: str | None, extension: str | None) -> "Terms":
        """Return the terms with a log level or an extension added."""
        client = self.client if extension is None else self.client.with_extension(extension)
        return evolve(self, client=client, log_level=log_level or self.log_level)


def request_meta(terms: Terms, server: NegotiatedServer | None, token: Id) -> dict[str, Printable]:
    """Build the `_meta` of a request: the progress token, the members of the era, and the user's metadata."""
    meta: dict[str, Printable] = {} if token is None else {"progressToken": token}
    if server is not None and server.era == "modern":
        meta |= modern.request_meta(terms.client, server.version, sent_log_level(terms, server))
    return {**meta, **terms.meta} if terms.meta else meta


def sent_log_level(terms: Terms, server: NegotiatedServer | None) -> str | None:
    """Return the log level that requests of the modern era carry."""
    if server is None or server.era != "modern":
        return None
    return terms.log_level if server.declares("logging") or not server.was_asked_for_capabilities else None


def message_headers(
    terms: Terms, server: NegotiatedServer | None, method: str, params: Params | None
) -> Mapping[str, str]:
    """Build the HTTP headers that the protocol version requires for a message."""
    if terms.transport == "stdio" or server is None:
        return {}
    return http_headers.headers(method, params, server.version, modern=server.era == "modern")


@define
class ComposedRequest:
    """A request that is ready to be sent, and the state that it was composed for."""

    step: Call
    terms: Terms
    server: NegotiatedServer | None
    message: SendMessage
    token: Id
    """The progress token."""

    def fits(self, step: Call, number: int, terms: Terms, server: NegotiatedServer | None) -> bool:
        """Tell whether the request can be sent as it is."""
        is_same = self.step is step and self.terms is terms and self.server is server
        return is_same and self.message.request_id == number


def compose(step: Call, number: int, terms: Terms, server: NegotiatedServer | None) -> ComposedRequest:
    """Compose a plan's request with the metadata and headers of the era."""
    meta = request_meta(terms, server, number if step.with_progress else None)
    params = modern.with_meta(step.params, meta)
    headers = {**message_headers(terms, server, step.method, params), **terms.headers, **step.headers}
    message = SendMessage(encode_request(number, step.method, params), "request", step.method, number, headers)
    return ComposedRequest(step, terms, server, message, modern.progress_token(params))


@define
class StageTimes:
    """Times at which the connection's stages were reached."""

    start: float | None = None
    opened: float | None = None
    negotiated: float | None = None
    ready: float | None = None
    """When the first request could be sent."""
