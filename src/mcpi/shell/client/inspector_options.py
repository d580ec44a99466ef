"""Options of an Inspector: protocol, timeouts, and limits."""

from collections.abc import Mapping
from typing import Literal

from attrs import field

from mcpi.core.flags.options import DEFAULT_TOTAL_TIMEOUT
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import as_object
from mcpi.core.plans.responders import client_info_of
from mcpi.core.session.session import Session
from mcpi.core.session.terms import Terms
from mcpi.core.version import __version__
from mcpi.core.wire.server_info import ClientInfo
from mcpi.shell.client.functions import FunctionAnswers
from mcpi.shell.client.memory import MessageHistory
from mcpi.shell.context import Context

MAX_RECONNECTS = 3
"""Maximum number of attempts to reopen a lost connection, with the option `reconnect`."""
DISCONNECT_TIMEOUT = 3.0
"""Seconds that `disconnect` waits for an interrupted connection attempt, which may itself be waiting for the caller."""


@frozen(kw_only=True)
class InspectorOptions:
    """Options of an Inspector; all times are in seconds."""

    era: Literal["auto", "handshake", "modern"] = "auto"
    """Protocol era; auto-detected by default."""
    protocol_version: str | None = None
    """Protocol version to request; negotiated by default."""
    timeout: float = 30.0
    """Response timeout; progress notifications reset it."""
    connect_timeout: float = 30.0
    """Timeout of one attempt to connect, including the handshake."""
    max_total_timeout: float = DEFAULT_TOTAL_TIMEOUT
    """Total timeout of one response, regardless of progress; a longer `timeout` raises the default."""
    retries: int = 0
    """Maximum number of retries when connecting fails."""
    reconnect: bool = False
    """Reopen a lost connection; requests that were pending are rejected."""
    capabilities: Mapping[str, Printable] | None = None
    """Client capabilities to declare; by default, those of the handlers."""
    metadata: Mapping[str, Printable] = field(factory=dict)
    """Additional members of `_meta` in requests."""
    log_level: str | None = None
    """Level of log messages to request from the server."""
    fetch: bool = False
    """Fetch all lists after connecting."""
    force: bool = False
    """Send requests even if the server did not declare the capability."""
    validate: bool = False
    """Validate all messages against the schema of the negotiated version, and report violations."""
    max_messages: int = 1000
    """Number of messages to keep."""
    max_stderr: int = 1000
    """Number of lines of stderr to keep."""
    max_message_bytes: int = 128 << 20
    """Maximum size of a message from the server, in bytes."""


def make_history(context: Context, options: InspectorOptions, session: Session) -> MessageHistory:
    """Create the memory of a session, with schema validation if the option is set."""
    checker = None
    if options.validate:
        from mcpi.shell.connection.protocol_schema import SchemaChecker  # noqa: PLC0415 - the models are slow to import and rarely needed

        checker = SchemaChecker(session)
    return MessageHistory(context.epoch(), options.max_messages, options.max_stderr, checker)


def session_terms(options: InspectorOptions, answers: FunctionAnswers, transport: str) -> Terms:
    """Convert the options to the terms of a session."""
    default = client_info_of(answers.handlers, options.era, options.protocol_version)
    explicit = options.capabilities
    return Terms(
        client=default
        if explicit is None
        else ClientInfo(as_object(to_plain(explicit)), version=__version__, exact=True),
        era="handshake" if transport == "sse" else options.era,
        version=options.protocol_version,
        timeout=options.timeout,
        max_total_timeout=options.max_total_timeout,
        connect_timeout=options.connect_timeout,
        retries=options.retries,
        meta=dict(options.metadata),
        log_level=options.log_level,
        transport=transport,
    )
