"""The tools that mcpi-serve offers to an agent."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeAlias, TypeVar

from attrs import define, field, fields

from mcpi.core.cli.invocation import target_secrets
from mcpi.core.client.agent_tools import Count, Seconds, WatchSeconds, input_schema, joined, tool_name
from mcpi.core.flags.structure import bind, json_key
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.modes.one_shot import DEFAULT_TIMEOUT
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.plans.method import AnyMethod
from mcpi.core.secrets.redactor import Redactor
from mcpi.core.targets.allow_list import AllowList
from mcpi.core.targets.target import CONFIG_PREFIX, Target, split_command
from mcpi.shell.client.errors import McpiError, value_of
from mcpi.shell.client.inspector import Inspector
from mcpi.shell.client.inspector_options import InspectorOptions
from mcpi.shell.context import Context
from mcpi.shell.discovery.field_docs import texts_of

T = TypeVar("T")

COMMAND_ARGUMENT = "debugCommand"
"""The argument whose value is a command to start."""
MAX_CONNECTIONS = 32
"""Maximum number of open connections."""
MAX_MESSAGE_BYTES = 32 << 20
"""Maximum size of a server's message; a larger one is of no use to an agent."""
ToolFunction: TypeAlias = Callable[[JsonObject], Awaitable[Json]]


@frozen(kw_only=True)
class OnConnection:
    """The arguments of a tool that works on a connection."""

    connection: str = ""
    """Which connection; not needed if there is one."""


@frozen(kw_only=True)
class WithTimeout:
    """The arguments of a tool that waits for answers."""

    timeout_seconds: Seconds = DEFAULT_TIMEOUT
    """How long to wait for an answer (30)."""


@frozen(kw_only=True)
class ConnectArguments:
    """The arguments of connect."""

    server: str = ""
    """A server of the config file: {servers}."""
    target: str = ""
    """A command or a URL, if mcpi-serve was told to allow it."""
    era: Literal["auto", "handshake", "modern"] = "auto"
    protocol_version: str | None = None
    timeout_seconds: Seconds = DEFAULT_TIMEOUT
    """How long to wait for an answer (30)."""


@frozen(kw_only=True)
class MessagesArguments(OnConnection):
    """The arguments of messages."""

    limit: Count = 50


@frozen(kw_only=True)
class ScriptArguments(OnConnection):
    """The arguments of run_script."""

    steps: list[Mapping[str, Exact]]
    """As mcpi --print-schema script."""
    vars: Mapping[str, str] = field(factory=dict)


@frozen(kw_only=True)
class WatchArguments(OnConnection):
    """The arguments of watch."""

    seconds: WatchSeconds


@frozen
class ServedTool:
    """A tool: its definition and its function."""

    name: str
    description: str
    schema: JsonObject
    function: ToolFunction
    result_schema: JsonObject = field(factory=dict)
    """The schema of the result, if it does not depend on the server."""


def _taken(owner: type[T], arguments: JsonObject, name: str) -> T:
    """Check the arguments of a tool, and return them as its class."""
    return value_of(bind(owner, {key: Exact(dump(value), value) for key, value in arguments.items()}, name))


@define
class GatewayTools:
    """The tools, and the connections that they work on."""

    context: Context
    allowed: AllowList
    catalog: Catalog
    connections: dict[str, Inspector] = field(factory=dict)
    redact: Redactor = field(factory=lambda: Redactor(()))
    """The secrets of the servers are not the agent's to know."""
    _opened: int = 0
    _opening: int = 0

    def tools(self) -> tuple[ServedTool, ...]:
        """All tools, in a stable order."""
        offered = [self.catalog.owned[name].method for name in self.catalog.tools if name in self.catalog.owned]
        return (*self._own(), *map(self._of_method, offered))

    def _own(self) -> tuple[ServedTool, ...]:
        about = {"serverInfo": "object", "protocolVersion": "string", "era": "string"}
        seen = dict.fromkeys(("logs", "notifications", "serverRequests", "violations"), "array")
        return (
            self._tool(ConnectArguments, self.connect, connection="string", **about),
            self._tool(OnConnection, self.disconnect, disconnected="string"),
            self._tool(MessagesArguments, self.messages, messages="array", stderr="array"),
            self._tool(ScriptArguments, self.run_script, envelopes="array"),
            self._tool(WatchArguments, self.watch, **seen),
        )

    def _tool(self, takes: type[T], work: Callable[[T], Awaitable[Json]], **result: str) -> ServedTool:
        """Build a tool from a function and the class of its arguments."""
        name, servers = work.__name__, ", ".join(self.allowed.servers) or "none"
        texts = {key: text.replace("{servers}", servers) for key, text in texts_of(takes).items()}
        properties: JsonObject = {key: {"type": kind} for key, kind in result.items()}
        brings: JsonObject = {"type": "object", "properties": properties, "required": list(result)}

        def checked(arguments: JsonObject) -> Awaitable[Json]:
            return work(_taken(takes, arguments, name))

        schema: JsonObject = {"required": [], **input_schema(takes, texts)}
        return ServedTool(name, work.__doc__ or "", schema, checked, {**brings, "additionalProperties": False})

    def _of_method(self, method: AnyMethod) -> ServedTool:
        name, more = tool_name(method.name), OnConnection if method.connects else WithTimeout
        takes = joined(name, method.args, more)
        own = {json_key(one) for one in fields(more)}

        async def work(arguments: JsonObject) -> Json:
            asked: Any = _taken(takes, arguments, name)
            flags = {key: value for key, value in arguments.items() if key not in own}
            self._check(method, flags)
            if method.connects_with(asked):
                inspector = self._connection(asked.connection)
            else:
                seconds = getattr(asked, "timeout_seconds", DEFAULT_TIMEOUT)
                inspector = self._inspector(None, InspectorOptions(timeout=seconds))
            result: Json = await inspector.call(method.name, **flags)
            return result

        described = f"{method.summary[:1].upper()}{method.summary[1:]} (the method {method.name})."
        return ServedTool(name, described, input_schema(takes, texts_of(method.args) | texts_of(more)), work)

    def _inspector(self, target: Target | None, options: InspectorOptions) -> Inspector:
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

    async def connect(self, asked: ConnectArguments) -> Json:
        """Connect to an MCP server; the answer names the connection."""
        if bool(asked.server) == bool(asked.target):
            raise McpiError(Invalid("INVALID_ARGUMENT", "connect", "say either 'server' or 'target'"))
        if len(self.connections) + self._opening >= MAX_CONNECTIONS:
            problem = f"there are {MAX_CONNECTIONS} connections already, which is the maximum"
            raise McpiError(Invalid("INVALID_ARGUMENT", "connect", problem, ("close one with disconnect",)))
        allowed = value_of(self.allowed.by_name(asked.server) if asked.server else self._given(asked.target))
        self.redact.add(target_secrets(allowed))
        options = InspectorOptions(
            era=asked.era,
            protocol_version=asked.protocol_version,
            timeout=asked.timeout_seconds,
            max_message_bytes=MAX_MESSAGE_BYTES,
            retries=0,
            reconnect=False,
        )
        inspector = self._inspector(allowed, options)
        self._opening += 1
        try:
            met = await inspector.connect()
            # A cancellation that arrived together with the server's introduction is raised here.
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            await asyncio.shield(asyncio.ensure_future(inspector.disconnect()))
            raise
        finally:
            self._opening -= 1
        self._opened += 1
        name = f"connection-{self._opened}"
        self.connections[name] = inspector
        about: JsonObject = {"serverInfo": met.server_info, "protocolVersion": met.protocol_version, "era": met.era}
        return {"connection": name, **about}

    async def disconnect(self, asked: OnConnection) -> Json:
        """Close a connection."""
        inspector = self._connection(asked.connection)
        name = next(name for name, known in self.connections.items() if known is inspector)
        del self.connections[name]
        await inspector.disconnect()
        return {"disconnected": name}

    async def messages(self, asked: MessagesArguments) -> Json:
        """The last messages both ways, and the server's stderr."""
        inspector = self._connection(asked.connection)
        last = list(inspector.messages[-asked.limit :])
        # Parsing the messages again may take a while, in which other connections do not wait.
        seen = [await asyncio.to_thread(to_plain, entry) for entry in last]
        return {"messages": seen, "stderr": [to_plain(entry) for entry in inspector.stderr[-asked.limit :]]}

    async def run_script(self, asked: ScriptArguments) -> Json:
        """Carry out steps on a connection; an envelope each."""
        for step in asked.steps:
            flags = as_object(to_plain(step))
            owned = self.catalog.owned.get(as_text(flags.get("method")))
            if owned is not None:
                self._check(owned.method, flags)
        return {"envelopes": await self._connection(asked.connection).play(dump(asked.steps), asked.vars)}

    def _check(self, method: AnyMethod, flags: JsonObject) -> None:
        """Refuse a method that starts a program, or contacts a server, that is not allowed."""
        if method.connects:
            return
        if method.name not in self.catalog.tools:
            problem = f"{method.name} talks to others than the connection, and is not offered here"
            raise McpiError(Invalid("INVALID_ARGUMENT", "method", problem))
        if COMMAND_ARGUMENT in flags:
            value_of(self.allowed.check_shell_command(as_text(flags[COMMAND_ARGUMENT])))

    async def watch(self, asked: WatchArguments) -> Json:
        """What the server says unasked, for some seconds."""
        return await self._connection(asked.connection).watch(asked.seconds)

    def _connection(self, name: str) -> Inspector:
        alive = [one for one in self.connections.values() if one.status != "error"] or [*self.connections.values()]
        if not name and len(alive) == 1:
            return alive[0]
        if not name and alive:
            which = f"there are {', '.join(self.connections)}"
            raise McpiError(Invalid("INVALID_ARGUMENT", "connection", "say which one", (which,)))
        if name not in self.connections:
            known = f"there are {', '.join(self.connections)}" if self.connections else "use connect first"
            raise McpiError(Invalid("INVALID_ARGUMENT", "connection", f"no connection {name!r}".strip(), (known,)))
        return self.connections[name]

    async def close(self) -> None:
        """No connection is left."""
        inspectors = list(self.connections.values())
        self.connections.clear()
        await asyncio.gather(*(inspector.disconnect() for inspector in inspectors), return_exceptions=True)
