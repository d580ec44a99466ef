"""The tools that mcpi-serve offers to an agent."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from attrs import define, field

from mcpi.core.cli.invocation import target_secrets
from mcpi.core.client.agent_tools import input_schema, tool_name
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.modes.one_shot import DEFAULT_TIMEOUT
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.plans.catalog import Catalog
from mcpi.core.plans.method import AnyMethod
from mcpi.core.secrets.redactor import Redactor
from mcpi.core.targets.allow_list import AllowList
from mcpi.core.targets.target import Target
from mcpi.shell.client.errors import McpiError, value_of
from mcpi.shell.client.inspector import Inspector
from mcpi.shell.client.inspector_options import InspectorOptions
from mcpi.shell.client.target_words import split_command
from mcpi.shell.context import Context
from mcpi.shell.discovery.field_docs import texts_of

MAX_WATCH_SECONDS = 60.0
"""Maximum number of seconds of one `watch` call."""
_HANDLE: JsonObject = {"connection": {"type": "string", "description": "Which connection; not needed if there is one."}}
_TIMEOUT: JsonObject = {
    "timeoutSeconds": {"type": "number", "exclusiveMinimum": 0, "description": "How long to wait for an answer (30)."}
}
COMMAND_ARGUMENT = "debugCommand"
"""The argument whose value is a command to start."""
ToolFunction: TypeAlias = Callable[[JsonObject], Awaitable[Json]]


@frozen
class ServedTool:
    """A tool: its definition and its function."""

    name: str
    description: str
    schema: JsonObject
    function: ToolFunction
    result_schema: JsonObject = field(factory=dict)
    """The schema of the result, if it does not depend on the server."""


def _schema(properties: JsonObject, *required: str) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _result(**members: str) -> JsonObject:
    properties: JsonObject = {name: {"type": kind} for name, kind in members.items()}
    return {"type": "object", "properties": properties, "required": list(members), "additionalProperties": False}


def _timeout(arguments: JsonObject) -> float:
    seconds = arguments.get("timeoutSeconds")
    return seconds if isinstance(seconds, int | float) else DEFAULT_TIMEOUT


@define
class GatewayTools:
    """The tools, and the connections that they use."""

    context: Context
    allowed: AllowList
    catalog: Catalog
    connections: dict[str, Inspector] = field(factory=dict)
    redact: Redactor = field(factory=lambda: Redactor(()))
    """The redactor of the secrets of the servers, which the agent must not see."""
    _opened: int = 0

    def tools(self) -> tuple[ServedTool, ...]:
        """Return all tools, in a stable order."""
        offered = [self.catalog.owned[name].method for name in self.catalog.tools if name in self.catalog.owned]
        return (*self._own(), *map(self._of_method, offered))

    def _own(self) -> tuple[ServedTool, ...]:
        names = ", ".join(self.allowed.servers) or "none"
        connect: JsonObject = {
            "server": {"type": "string", "description": f"A server of the config file: {names}."},
            "target": {"type": "string", "description": "A command or a URL, if mcpi-serve was told to allow it."},
            "era": {"type": "string", "enum": ["auto", "handshake", "modern"]},
            "protocolVersion": {"type": "string"},
            **_TIMEOUT,
        }
        script: JsonObject = {
            "steps": {"type": "array", "items": {"type": "object"}, "description": "As mcpi --print-schema script."},
            "vars": {"type": "object", "additionalProperties": {"type": "string"}},
        }
        seconds: JsonObject = {"seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_WATCH_SECONDS}}
        limit: JsonObject = {"limit": {"type": "integer", "minimum": 1}}
        return (
            ServedTool(
                "connect",
                "Connect to an MCP server; the answer names the connection.",
                _schema(connect),
                self.connect,
                _result(connection="string", serverInfo="object", protocolVersion="string", era="string"),
            ),
            ServedTool(
                "disconnect", "Close a connection.", _schema(_HANDLE), self.disconnect, _result(disconnected="string")
            ),
            ServedTool(
                "messages",
                "The last messages both ways, and the server's stderr.",
                _schema({**_HANDLE, **limit}),
                self.messages,
                _result(messages="array", stderr="array"),
            ),
            ServedTool(
                "run_script",
                "Carry out steps on a connection; an envelope each.",
                _schema({**_HANDLE, **script}, "steps"),
                self.run_script,
                _result(envelopes="array"),
            ),
            ServedTool(
                "watch",
                "What the server says unasked, for some seconds.",
                _schema({**_HANDLE, **seconds}, "seconds"),
                self.watch,
                _result(logs="array", notifications="array", serverRequests="array", violations="array"),
            ),
        )

    def _of_method(self, method: AnyMethod) -> ServedTool:
        schema = input_schema(method, texts_of(method.args))
        takes: JsonObject = {**as_object(schema["properties"]), **(_HANDLE if method.connects else _TIMEOUT)}

        async def work(arguments: JsonObject) -> Json:
            flags = {name: value for name, value in arguments.items() if name not in {*_HANDLE, *_TIMEOUT}}
            self._check(method, flags)
            detached = None if method.connects else self._inspector(None, InspectorOptions(timeout=_timeout(arguments)))
            result: Json = await (detached or self._connection(arguments)).call(method.name, **flags)
            return result

        described = f"{method.summary[:1].upper()}{method.summary[1:]} (the method {method.name})."
        return ServedTool(tool_name(method.name), described, {**schema, "properties": takes}, work)

    def _inspector(self, target: Target | None, options: InspectorOptions) -> Inspector:
        return Inspector(target, options=options, context=self.context)

    def _given(self, target: str) -> Result[Target]:
        words = split_command(target)
        return words if isinstance(words, Failure) else self.allowed.by_words(words.unwrap())

    async def connect(self, arguments: JsonObject) -> Json:
        """Open a connection; return its name and the server's info."""
        server, target = as_text(arguments.get("server")), as_text(arguments.get("target"))
        if bool(server) == bool(target):
            raise McpiError(Invalid("INVALID_ARGUMENT", "connect", "say either 'server' or 'target'"))
        allowed = value_of(self.allowed.by_name(server) if server else self._given(target))
        self.redact.add(target_secrets(allowed))
        era, version = arguments.get("era", "auto"), arguments.get("protocolVersion")
        timeout_seconds = _timeout(arguments)
        options = InspectorOptions(era=era, protocol_version=version, timeout=timeout_seconds)  # type: ignore[arg-type] # checked
        inspector = self._inspector(allowed, options)
        peer = await inspector.connect()
        self._opened += 1
        name = f"connection-{self._opened}"
        self.connections[name] = inspector
        return {"connection": name, "serverInfo": to_plain(peer.info), "protocolVersion": peer.version, "era": peer.era}

    async def disconnect(self, arguments: JsonObject) -> Json:
        """Close a connection and return its name."""
        inspector = self._connection(arguments)
        name = next(name for name, known in self.connections.items() if known is inspector)
        del self.connections[name]
        await inspector.disconnect()
        return {"disconnected": name}

    async def messages(self, arguments: JsonObject) -> Json:
        """Return the last messages, and the last lines on stderr."""
        inspector = self._connection(arguments)
        limit = arguments.get("limit", 50)
        last = limit if isinstance(limit, int) else 50
        seen = [to_plain(entry) for entry in inspector.messages[-last:]]
        return {"messages": seen, "stderr": [to_plain(entry) for entry in inspector.stderr[-last:]]}

    async def run_script(self, arguments: JsonObject) -> Json:
        """Run the steps of a script and return their envelopes."""
        variables = {name: as_text(value) for name, value in as_object(arguments.get("vars")).items()}
        steps = as_list(arguments.get("steps"))
        for step in map(as_object, steps):
            owned = self.catalog.owned.get(as_text(step.get("method")))
            if owned is not None:
                self._check(owned.method, step)
        return {"envelopes": await self._connection(arguments).play(json.dumps(steps), variables)}

    def _check(self, method: AnyMethod, flags: JsonObject) -> None:
        """Refuse a method that starts a program, or contacts a server, that is not allowed."""
        if method.connects:
            return
        if method.name not in self.catalog.tools:
            problem = f"{method.name} talks to others than the connection, and is not offered here"
            raise McpiError(Invalid("INVALID_ARGUMENT", "method", problem))
        if COMMAND_ARGUMENT in flags:
            value_of(self.allowed.check_shell_command(as_text(flags[COMMAND_ARGUMENT])))

    async def watch(self, arguments: JsonObject) -> Json:
        """Watch a connection for some seconds and return what the server sent."""
        seconds = arguments.get("seconds")
        assert isinstance(seconds, int | float)
        return await self._connection(arguments).watch(seconds)

    def _connection(self, arguments: Mapping[str, Json]) -> Inspector:
        name = as_text(arguments.get("connection"))
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
        """Close all connections."""
        inspectors = list(self.connections.values())
        self.connections.clear()
        await asyncio.gather(*(inspector.disconnect() for inspector in inspectors), return_exceptions=True)
