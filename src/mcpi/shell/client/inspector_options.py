"""How an Inspector talks, and how much it remembers."""

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
from mcpi.shell.client.memory import Memory
from mcpi.shell.context import Context

RECONNECTS = 3
"""How often a lost connection is opened again, where that is wanted."""
GIVING_UP = 3.0
"""Seconds that somebody waits for a connection to end which may itself wait for him: it ends by itself after that."""


@frozen(kw_only=True)
class InspectorOptions:
    """All times are seconds."""

    era: Literal["auto", "handshake", "modern"] = "auto"
    protocol_version: str | None = None
    timeout: float = 30.0
    connect_timeout: float = 30.0
    max_total_timeout: float = DEFAULT_TOTAL_TIMEOUT
    retries: int = 0
    """Attempts to connect after the first."""
    reconnect: bool = False
    """Open the connection again when it is lost; what waited is rejected all the same."""
    capabilities: Mapping[str, Printable] | None = None
    """Declare exactly these; otherwise what the handlers answer is declared."""
    metadata: Mapping[str, Printable] = field(factory=dict)
    log_level: str | None = None
    fetch: bool = False
    """Fetch the lists when connected."""
    force: bool = False
    """Send although the server did not declare the capability."""
    validate: bool = False
    """Check all messages by the schemas of the negotiated version; what breaks them is a violation."""
    max_messages: int = 1000
    max_stderr: int = 1000
    max_message_bytes: int = 128 << 20


def memory(context: Context, options: InspectorOptions, session: Session) -> Memory:
    """What is remembered, and measured where that is wanted."""
    law = None
    if options.validate:
        from mcpi.shell.connection.protocol_schema import SchemaChecker  # noqa: PLC0415 - the models are heavy, and only wanted here

        law = SchemaChecker(session)
    return Memory(context.epoch(), options.max_messages, options.max_stderr, law)


def terms(options: InspectorOptions, answers: FunctionAnswers, transport: str) -> Terms:
    """The options as the core knows them."""
    own = client_info_of(answers.handlers, options.era, options.protocol_version)
    given = options.capabilities
    return Terms(
        client=own if given is None else ClientInfo(as_object(to_plain(given)), version=__version__, exact=True),
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
