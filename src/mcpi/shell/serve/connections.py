"""The connections that an agent has opened, and the calls on them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal

from attrs import define, field, fields

from mcpi.core.cli.invocation import target_secrets
from mcpi.core.client.agent_tools import Seconds
from mcpi.core.flags.places import SourceLine
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.modes.one_shot import DEFAULT_TIMEOUT
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.plans.responders import Handler, Handlers
from mcpi.core.secrets.redactor import Redactor
from mcpi.core.targets.allow_list import AllowList
from mcpi.core.targets.target import CONFIG_PREFIX, Target, split_command
from mcpi.shell.client.errors import McpiError, value_of
from mcpi.shell.client.inspector import Inspector
from mcpi.shell.client.inspector_options import InspectorOptions
from mcpi.shell.context import Context

MAX_CONNECTIONS = 32
"""Maximum number of open connections."""
MAX_MESSAGE_BYTES = 32 << 20
"""Maximum size of a server's message; a larger one is useless to an agent."""
STDERR_LINES = 10
"""Number of stderr lines that an error quotes."""


@frozen(kw_only=True)
class OnConnection:
    """The arguments of a tool that works on a connection."""

    connection: str = ""
    """Name of the connection; required only if several are open."""


@frozen(kw_only=True)
class WithBreakpoint:
    """The arguments of a call during which a Node.js server may be debugged."""

    breakpoint: tuple[SourceLine, ...] = ()
    """FILE:LINE at which to evaluate the expression during the call; requires a connection opened with debug."""
    expression: tuple[str, ...] = ()
    """JavaScript to evaluate at each hit."""
    condition: str = ""
    """JavaScript that must be true for a hit to count."""


@frozen(kw_only=True)
class ConnectArguments:
    """The arguments of connect."""

    server: str = ""
    """Server of the config file: {servers}."""
    target: str = ""
    """Command or URL to connect to, if it is allowed."""
    env: Mapping[str, str] = field(factory=dict)
    """Environment variables of the command."""
    cwd: str | None = None
    """Working directory of the command."""
    headers: Mapping[str, str] = field(factory=dict)
    """HTTP headers for the URL."""
    era: Literal["auto", "handshake", "modern"] = "auto"
    protocol_version: str | None = None
    """Protocol version to offer, such as 2025-11-25."""
    timeout_seconds: Seconds = DEFAULT_TIMEOUT
    """Response timeout in seconds (default 30)."""
    debug: bool = False
    """Start the Node.js server with an inspector, so that calls can set breakpoints."""


class FailedCall(Exception):  # noqa: N818 - the error of the call is `error`
    """A call has failed."""

    def __init__(self, error: McpiError, document: JsonObject) -> None:
        """Store the error and the events of the call."""
        super().__init__(str(error))
        self.error = error
        self.document = document


@define
class Connections:
    """The open connections, by name."""

    context: Context
    allowed: AllowList
    catalog: Catalog
    inspectors: dict[str, Inspector] = field(factory=dict)
    redact: Redactor = field(factory=lambda: Redactor(()))
    """Masks the secrets of the servers in output for the agent."""
    _handlers: dict[str, Handlers] = field(factory=dict)
    """The handlers of each connection, built from the arguments of connect."""
    _turns: dict[str, asyncio.Lock] = field(factory=dict)
    """Let the calls on each connection run one at a time: each has its own handlers, events and breakpoints."""
    _opened: int = 0
    _opening: int = 0

    def inspector(self, target: Target | None, options: InspectorOptions) -> Inspector:
        """Build a client that can contact only allowed servers."""
        return Inspector(target, options=options, context=self.context._replace(targets=self._given))

    def _given(self, target: str) -> Result[Target]:
        """Return an allowed target, and mask its secrets."""
        words = split_command(target)
        found = words if isinstance(words, Failure) else self.allowed.by_words(words.unwrap())
        if target.startswith(CONFIG_PREFIX):
            found = self.allowed.by_name(target.removeprefix(CONFIG_PREFIX))
        if isinstance(found, Success):
            self.redact.add(target_secrets(found.unwrap()))
        return found

    def _target(self, asked: ConnectArguments) -> Target:
        if bool(asked.server) == bool(asked.target):
            raise McpiError(
                Invalid(
                    "INVALID_ARGUMENT",
                    "connect",
                    "both 'server' and 'target' are given"
                    if asked.server
                    else "neither 'server' nor 'target' is given",
                    ("give exactly one of them",),
                )
            )
        found = value_of(self.allowed.by_name(asked.server) if asked.server else self._given(asked.target))
        found = value_of(self.allowed.with_settings(found, asked.env, asked.cwd, asked.headers))
        if asked.debug:
            value_of(self.allowed.check_debugging(found))
        self.redact.add(target_secrets(found))
        return found

    async def open(self, asked: ConnectArguments) -> JsonObject:
        """Connect to a server, and describe it."""
        if len(self.inspectors) + self._opening >= MAX_CONNECTIONS:
            problem = f"the maximum of {MAX_CONNECTIONS} open connections is reached"
            raise McpiError(Invalid("INVALID_ARGUMENT", "connect", problem, ("close one with disconnect",)))
        options = InspectorOptions(
            era=asked.era,
            protocol_version=asked.protocol_version,
            timeout=asked.timeout_seconds,
            max_message_bytes=MAX_MESSAGE_BYTES,
            log_level="debug",
            ping_interval=None,
            debug=asked.debug,
            retries=0,
            reconnect=False,
        )
        inspector, handlers = self.inspector(self._target(asked), options), self._handlers_of(asked)
        inspector.use_handlers(handlers)
        self._opening += 1
        try:
            async with self._observed(inspector) as found:
                server_info = await inspector.connect()
                # A cancellation that arrived together with the server's response is raised here.
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            await inspector.disconnect()
            raise
        finally:
            self._opening -= 1
        self._opened += 1
        name = f"connection-{self._opened}"
        self.inspectors[name], self._handlers[name], self._turns[name] = inspector, handlers, asyncio.Lock()
        about = {key: server_info[key] for key in _DESCRIPTION if server_info.get(key)}
        return {**found, "result": {"connection": name, **about}}

    async def close(self, name: str) -> str:
        """Close a connection, and return its name."""
        name = self._name(name)
        inspector = self.inspectors.pop(name)
        del self._handlers[name], self._turns[name]
        await inspector.disconnect()
        return name

    async def close_all(self) -> None:
        """Close all connections."""
        inspectors = list(self.inspectors.values())
        self.inspectors.clear()
        await asyncio.gather(*(inspector.disconnect() for inspector in inspectors), return_exceptions=True)

    async def call(self, asked: Any, work: Callable[[Inspector], Awaitable[Json]]) -> JsonObject:  # noqa: ANN401 - the arguments of any tool
        """Run the work on the connection that the arguments name; return the result and the events."""
        name = self._name(asked.connection)
        async with self._turns[name]:
            # The connection may have been closed meanwhile.
            inspector = self.get(name)
            handlers = self._handlers[name]
            inspector.use_handlers({**handlers, **self._handlers_of(asked, configured=True)})
            try:
                return await self._call(asked, inspector, work)
            finally:
                inspector.use_handlers(handlers)

    async def _call(self, asked: Any, inspector: Inspector, work: Callable[[Inspector], Awaitable[Json]]) -> JsonObject:  # noqa: ANN401 - see call
        async with self._observed(inspector) as found:
            if not getattr(asked, "breakpoint", ()):
                found["result"] = await work(inspector)
                return found
            places = [str(place) for place in asked.breakpoint]
            async with inspector.breakpoint(places, asked.expression, condition=asked.condition) as hits:
                try:
                    found["result"] = await work(inspector)
                finally:
                    found["debug"] = hits.as_json()
        return found

    async def watch(self, name: str, seconds: float) -> JsonObject:
        """Wait, also while a call runs; return the events that arrive on the connection."""
        async with self._observed(self.get(name)) as found:
            await asyncio.sleep(seconds)
            found["result"] = {"seconds": seconds}
        return found

    @asynccontextmanager
    async def _observed(self, inspector: Inspector) -> AsyncIterator[JsonObject]:
        """Collect the events of the block in a document; for an error, raise FailedCall with the document."""
        found: JsonObject = {}
        failure: McpiError | None = None
        with inspector.recording() as seen:
            try:
                yield found
            except McpiError as error:
                failure = error
        found |= {name: entries for name, entries in seen.events().items() if entries}
        if failure is not None:
            lines: list[Json] = [entry.text for entry in inspector.stderr[-STDERR_LINES:]]
            raise FailedCall(failure, {**found, "stderr": lines} if lines else found) from failure

    def _handlers_of(self, asked: object, *, configured: bool = False) -> Handlers:
        """Build the handlers of the server's requests from the arguments; `configured` selects those that are given."""
        handlers: dict[str, Handler] = {}
        for responder in self.catalog.responders:
            given = {one.name: getattr(asked, one.name, one.default) for one in fields(responder.args)}
            handler = Handler(responder, responder.args(**given))
            if not configured or handler.is_configured:
                handlers[responder.method] = handler
        return handlers

    def _name(self, name: str) -> str:
        usable = [one for one, known in self.inspectors.items() if known.status != "error"] or [*self.inspectors]
        if not name and len(usable) == 1:
            return usable[0]
        if not name and usable:
            which = f"open connections: {', '.join(self.inspectors)}"
            raise McpiError(
                Invalid("INVALID_ARGUMENT", "connection", "required, because several connections are open", (which,))
            )
        if name not in self.inspectors:
            known = f"open connections: {', '.join(self.inspectors)}" if self.inspectors else "call connect first"
            raise McpiError(Invalid("INVALID_ARGUMENT", "connection", f"no connection {name!r}".strip(), (known,)))
        return name

    def get(self, name: str) -> Inspector:
        """Return the connection with that name, or the only one."""
        return self.inspectors[self._name(name)]


_DESCRIPTION = ("serverInfo", "protocolVersion", "era", "capabilities", "instructions")
