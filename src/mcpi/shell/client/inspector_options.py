"""Options of an Inspector: protocol, timeouts, and limits."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from attrs import field

from mcpi.core.client.argument_types import check_fields
from mcpi.core.client.entries import Implementation
from mcpi.core.client.request_queue import DEFAULT_HISTORY
from mcpi.core.flags.options import DEFAULT_TOTAL_TIMEOUT, AuthOptions
from mcpi.core.flags.types import PrivateKey, Secret
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import as_object
from mcpi.core.plans.responders import Handlers, client_info_of
from mcpi.core.session.session import Session
from mcpi.core.session.terms import Terms
from mcpi.core.version import __version__
from mcpi.core.wire.server_info import ClientInfo
from mcpi.shell.client.event_loops import Caller
from mcpi.shell.client.observation.message_history import MessageHistory
from mcpi.shell.client.pending_requests import HandlerOptions
from mcpi.shell.connection.ports import Performer, Ports
from mcpi.shell.context import Context

DISCONNECT_TIMEOUT = 3.0
"""Seconds that `disconnect` waits for an interrupted connection attempt, which may itself be waiting for the caller."""
RETRYABLE_ERRORS = ("CONNECTION_REFUSED", "CONNECTION_LOST", "CONNECTION_TIMEOUT")
"""Default error codes after which a connection attempt is retried."""


@frozen(kw_only=True)
class OAuth:
    """Options for obtaining a token if the server requires one."""

    show_url: Callable[[str], object] | None = None
    """Function that shows the authorization URL to the user, for example with `webbrowser.open`."""
    store: str | None = None
    """File that keeps tokens and registrations between runs; only its owner can read it."""
    grant: Literal["authorization_code", "client_credentials", "jwt-bearer", "token-exchange"] | None = None
    """Grant type; chosen automatically by default."""
    client_id: str | None = None
    """ID of a registered client; by default, the client registers itself."""
    client_secret: str | None = None
    """Secret of the registered client."""
    private_key: str | None = None
    """Private key of the registered client, in PEM format."""
    client_name: str = "mcpi"
    """Name under which the client registers itself."""
    client_metadata_url: str | None = None
    """URL of the client's metadata document, for servers that accept it as the client ID."""
    redirect_uri: str | None = None
    """Redirect URI; by default, a free port of the loopback interface."""
    scope: str | None = None
    """Scopes to request, separated by spaces; by default, those that the server names."""
    user_timeout: float = 300.0
    """Seconds to wait for the user to log in."""

    def __attrs_post_init__(self) -> None:
        """Check the types."""
        check_fields(self)

    def flags(self) -> AuthOptions:
        """Convert the options to those of the command line."""
        return AuthOptions(
            auth_open=None if self.show_url is None else "show_url",
            auth_store=self.store,
            client_metadata_url=self.client_metadata_url,
            client_name=self.client_name,
            redirect_uri=self.redirect_uri,
            oauth_grant=self.grant,
            oauth_client_id=self.client_id,
            oauth_client_secret=None if self.client_secret is None else Secret(self.client_secret),
            oauth_private_key=None if self.private_key is None else PrivateKey(self.private_key),
            oauth_scope=self.scope,
        )


@frozen(kw_only=True)
class InspectorOptions:
    """Options of an Inspector; all times are in seconds."""

    era: Literal["auto", "handshake", "modern"] = "auto"
    """Protocol era; auto-detected by default."""
    protocol_version: str | None = None
    """Protocol version to request; negotiated by default."""
    client_info: Implementation | None = None
    """Name and version of the client to send to the server; mcpi's own by default."""
    capabilities: Mapping[str, Printable] | None = None
    """Client capabilities to declare; by default, those of the handlers."""
    timeout: float = 60.0
    """Response timeout; progress notifications reset it."""
    progress_resets_timeout: bool = True
    """Reset the response timeout on each progress notification."""
    connect_timeout: float = 30.0
    """Timeout of one attempt to connect, including the handshake."""
    max_total_timeout: float = DEFAULT_TOTAL_TIMEOUT
    """Total timeout of one response, regardless of progress (default: 300, or `timeout` if that is longer)."""
    ping_interval: float | None = 30.0
    """Seconds without a message after which a ping is sent (handshake era only); None for no pings."""
    retries: int = 3
    """Maximum number of retries after connecting fails, and of attempts to reconnect (at least one attempt)."""
    retry_backoff: tuple[float, ...] = (1.0, 2.0, 4.0)
    """Seconds before each retry; the last value applies to all further retries."""
    retryable_errors: tuple[str, ...] = RETRYABLE_ERRORS
    """Error codes after which connecting is retried."""
    reconnect: bool = True
    """Reopen a lost connection; unfinished requests fail."""
    max_concurrent: int = 1
    """Maximum number of requests that run at the same time; the others wait in the queue."""
    headers: Mapping[str, str] = field(factory=dict)
    """Additional HTTP headers; `Inspector.set_headers` changes them."""
    auth: OAuth | None = None
    """How to obtain a token when the server requires one; None to fail instead."""
    handlers: HandlerOptions = HandlerOptions()
    """Options of the handlers that answer the server's requests."""
    metadata: Mapping[str, Printable] = field(factory=dict)
    """Additional members of `_meta` in requests."""
    log_level: str | None = None
    """Level of log messages to request from the server."""
    fetch: bool = False
    """Fetch all lists after connecting."""
    refetch_lists: bool = True
    """Fetch a list again when the server reports a change, if it has been fetched before."""
    reread_resources: bool = True
    """Read a subscribed resource again when the server reports a change."""
    force: bool = False
    """Send requests even if the server did not declare the capability that they require."""
    debug: bool = False
    """Start the server, which must run on Node.js, with the debugger enabled; required for `Inspector.breakpoint`."""
    validate: bool = False
    """Validate all messages against the schema of the negotiated version, and results against the output schemas of the
    tools; report violations."""
    max_messages: int = 1000
    """Maximum number of messages to keep in `Inspector.messages`."""
    max_stderr: int = 1000
    """Maximum number of lines to keep in `Inspector.stderr`."""
    max_history: int = DEFAULT_HISTORY
    """Maximum number of finished requests to keep in `Inspector.history`."""
    max_message_bytes: int = 128 << 20
    """Maximum size of a message from the server, in bytes."""

    def __attrs_post_init__(self) -> None:
        """Check the types."""
        check_fields(self)
        if self.max_concurrent < 1:
            raise ValueError(f"InspectorOptions: max_concurrent: expected an integer from 1, got {self.max_concurrent}")


def make_history(context: Context, options: InspectorOptions, session: Session) -> MessageHistory:
    """Create the memory of a session, with schema validation if the option is set."""
    checker = None
    if options.validate:
        from mcpi.shell.connection.protocol_schema import SchemaChecker  # noqa: PLC0415 - the models are slow to import and rarely needed

        checker = SchemaChecker(session)
    return MessageHistory(context.epoch(), options.max_messages, options.max_stderr, checker)


def session_terms(options: InspectorOptions, handlers: Handlers, transport: str) -> Terms:
    """Convert the options to the terms of a session."""
    return Terms(
        client=client_info(options, handlers),
        era="handshake" if transport == "sse" else options.era,
        version=options.protocol_version,
        timeout=options.timeout,
        max_total_timeout=options.max_total_timeout,
        connect_timeout=options.connect_timeout,
        retries=options.retries,
        meta=dict(options.metadata),
        log_level=options.log_level,
        transport=transport,
        progress_resets_timeout=options.progress_resets_timeout,
        backoff=tuple(options.retry_backoff),
        retryable_codes=frozenset(options.retryable_errors),
        authorize=options.auth is not None and transport != "stdio",
    )


def client_info(options: InspectorOptions, handlers: Handlers) -> ClientInfo:
    """Build the client's self-description."""
    found = client_info_of(handlers, options.era, options.protocol_version)
    named = options.client_info or Implementation(name="mcpi", version=__version__)
    explicit = options.capabilities
    return ClientInfo(
        found.capabilities if explicit is None else as_object(to_plain(explicit)),
        name=named.name,
        version=named.version or __version__,
        modern=found.modern if explicit is None else None,
        exact=explicit is not None,
    )


def make_performer(options: InspectorOptions, url: str, caller: Callable[[], Caller]) -> Callable[[Ports], Performer]:
    """Return the factory of the performer that obtains tokens."""

    def make(ports: Ports) -> Performer:
        from mcpi.shell.auth.performer import TokenRequest, WorldPerformer  # noqa: PLC0415 - rarely needed

        auth = options.auth or OAuth()
        show = None if auth.show_url is None else partial(caller().ask, auth.show_url)
        wanted = TokenRequest(url, auth.flags(), options.timeout, auth.user_timeout, show_url=show)
        return WorldPerformer(ports.context, ports.credentials, ports.tap, wanted)

    return make
