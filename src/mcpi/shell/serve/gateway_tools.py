"""The tools that mcpi-serve offers to an agent."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias, TypeVar

from attrs import define, field, fields

from mcpi.core.client.agent_answers import Page, StoredAnswers
from mcpi.core.client.agent_tools import (
    input_schema,
    joined,
    tool_name,
    usage,
    with_argument_names,
)
from mcpi.core.flags.structure import bind, json_key
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact, to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_object, as_text
from mcpi.core.jsontext.writing import dump
from mcpi.core.modes.one_shot import DEFAULT_TIMEOUT
from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Invalid
from mcpi.core.plans.method import AnyMethod
from mcpi.core.record.envelope import error_json
from mcpi.shell.client.errors import McpiError, value_of
from mcpi.shell.client.inspector import Inspector
from mcpi.shell.client.inspector_options import InspectorOptions
from mcpi.shell.discovery.field_docs import texts_of
from mcpi.shell.serve.connections import ConnectArguments, Connections, FailedCall, OnConnection, WithBreakpoint
from mcpi.shell.serve.tool_results import ToolOutput, tool_output
from mcpi.shell.serve.tool_table import (
    ANSWERED,
    ANYTHING,
    CHANGES,
    LISTS,
    LOCAL,
    METHOD_TOOLS,
    OBJECTS,
    READS,
    TEXTS,
    ListArguments,
    MessagesArguments,
    MethodArguments,
    MethodTool,
    MoreArguments,
    ScriptArguments,
    ToolEffect,
    WatchArguments,
    WithTimeout,
)

T = TypeVar("T")

COMMAND_ARGUMENT, ATTACH_ARGUMENT = "debugCommand", "attach"
"""The arguments whose value is a command to start, or a program to attach to."""
Answer: TypeAlias = JsonObject | Page
"""A document with the result and the events of the call, or a part of an earlier document."""
ToolFunction: TypeAlias = Callable[[JsonObject], Awaitable[Answer]]


@frozen
class ServedTool:
    """A tool: its definition and its function."""

    name: str
    description: str
    effect: ToolEffect
    schema: JsonObject
    function: ToolFunction


def _taken(owner: type[T], arguments: JsonObject, name: str) -> T:
    """Check the arguments of a tool, and return them as an instance of the class."""
    return value_of(bind(owner, {key: Exact(dump(value), value) for key, value in arguments.items()}, name))


@define
class GatewayTools:
    """The tools, the connections that they work on, and the long answers."""

    connections: Connections
    stored: StoredAnswers = field(factory=StoredAnswers)

    def tools(self) -> tuple[ServedTool, ...]:
        """All tools, in a stable order."""
        catalog = self.connections.catalog
        # Roots are declared when connecting, and announced: they belong to the connection.
        per_connection = tuple(one.args for one in catalog.responders)
        per_call = tuple(one.args for one in catalog.responders if not one.announce)
        return (
            self._tool(self.connect, CHANGES, ConnectArguments, *per_connection),
            self._tool(self.disconnect, CHANGES, OnConnection),
            self._tool(self.list, READS, ListArguments),
            *(self._of_method(one, per_call) for one in METHOD_TOOLS if one.method in catalog.owned),
            self._tool(self.call_method, ANYTHING, MethodArguments, WithTimeout, *per_call),
            self._tool(self.run_script, ANYTHING, ScriptArguments, WithBreakpoint),
            self._tool(self.watch, LOCAL, WatchArguments),
            self._tool(self.messages, LOCAL, MessagesArguments),
            self._tool(self.read_more, LOCAL, MoreArguments),
        )

    def _tool(self, work: Callable[[Any], Awaitable[Answer]], effect: ToolEffect, *owners: type) -> ServedTool:
        """Build a tool from a function and the classes of its arguments."""
        name = work.__name__
        takes = joined(name, *owners)
        texts = {key: self._filled(text) for key, text in _texts(owners).items()}

        def checked(arguments: JsonObject) -> Awaitable[Answer]:
            return work(_taken(takes, arguments, name))

        return ServedTool(name, work.__doc__ or "", effect, input_schema(takes, texts), checked)

    def _filled(self, text: str) -> str:
        """Fill in the names of the servers and the methods."""
        servers = ", ".join(self.connections.allowed.servers) or "none"
        return text.replace("{servers}", servers).replace("{methods}", ", ".join(map(usage, self._other_methods())))

    def _other_methods(self) -> list[AnyMethod]:
        """Return the offered methods that have no separate tool."""
        catalog, own = self.connections.catalog, {*LISTS.values(), *(one.method for one in METHOD_TOOLS)}
        return [catalog.owned[name].method for name in catalog.tools if name in catalog.owned and name not in own]

    def _of_method(self, tool: MethodTool, answers: tuple[type, ...]) -> ServedTool:
        method = self.connections.catalog.owned[tool.method].method
        name, more = tool_name(method.name), (*tool.more, *(answers if tool.method in ANSWERED else ()))
        takes = joined(name, method.args, *more, only=tool.names)
        own = {json_key(one) for owner in more for one in fields(owner)}

        async def work(arguments: JsonObject) -> Answer:
            asked: Any = _taken(takes, arguments, name)
            flags = {key: value for key, value in arguments.items() if key not in own}
            return await self._call(method, asked, {**flags, **tool.preset})

        schema = input_schema(takes, _texts((method.args, *more)))
        properties = as_object(schema["properties"])
        properties |= {key: {"type": "object", **as_object(properties[key])} for key in OBJECTS if key in properties}
        return ServedTool(name, tool.description, tool.effect, schema, work)

    async def _call(self, method: AnyMethod, asked: Any, flags: JsonObject) -> Answer:  # noqa: ANN401 - the arguments of any tool
        """Call a method on its connection, or without one if it needs none."""
        self._check(method, flags)
        seconds = getattr(asked, "timeout_seconds", None)
        if method.connects_with(_taken(method.args, flags, method.name)):
            return await self.connections.call(asked, lambda one: one.call(method.name, timeout=seconds, **flags))
        options = InspectorOptions(timeout=seconds or DEFAULT_TIMEOUT)
        return {"result": await self.connections.inspector(None, options).call(method.name, **flags)}

    async def call(self, tool: ServedTool, arguments: JsonObject) -> ToolOutput:
        """Call the tool; return its answer, or a failure as an error."""
        try:
            answer = await tool.function(arguments)
        except (McpiError, FailedCall) as failure:
            error, document = (failure, {}) if isinstance(failure, McpiError) else (failure.error, failure.document)
            fault = with_argument_names(error.fault, self._argument_names(tool, arguments))
            partial_result = {} if error.result is None else {"result": error.result}
            described: JsonObject = {"error": to_plain(error_json(fault)), **partial_result, **document}
            return self.output(described, "; ".join((explain.sentence(fault), *fault.hints)))
        if tool.name == "connect":
            # Not in a thread: a cancellation during the wait would leave a connection that is unknown to the agent.
            return self.output(answer)
        # In a thread, so that other connections do not wait while a large result is formatted.
        return await asyncio.to_thread(self.output, answer)

    def output(self, answer: Answer, error: str | None = None) -> ToolOutput:
        """Return the tool's output for the agent."""
        return tool_output(answer, self.stored, self.connections.redact, error)

    def _argument_names(self, tool: ServedTool, arguments: JsonObject) -> set[str]:
        """Return the names of the tool's arguments, and of those of the method that it is to call."""
        owned = self.connections.catalog.owned.get(as_text(arguments.get("method")))
        names = {json_key(one) for one in fields(owned.method.args)} if owned is not None else set()
        return {*as_object(tool.schema["properties"]), *names}

    async def connect(self, asked: Any) -> Answer:  # noqa: ANN401 - ConnectArguments and the answers of plugins
        """Connect to an MCP server."""
        return await self.connections.open(asked)

    async def disconnect(self, asked: OnConnection) -> Answer:
        """Close a connection."""
        return {"result": {"disconnected": await self.connections.close(asked.connection)}}

    async def list(self, asked: ListArguments) -> Answer:
        """List the server's tools, resources, resource templates, prompts, tasks or skills, or all that it offers."""
        method = value_of(self.connections.catalog.find(LISTS[asked.kind]))
        return await self._call(method, asked, {} if asked.cursor is None else {"cursor": asked.cursor})

    async def call_method(self, asked: Any) -> Answer:  # noqa: ANN401 - MethodArguments and the answers of plugins
        """Call any other method of the server."""
        if asked.params is not None:
            params, seconds = as_object(to_plain(asked.params)), asked.timeout_seconds
            return await self.connections.call(asked, lambda one: one.request(asked.method, params, timeout=seconds))
        method = value_of(self.connections.catalog.find(asked.method))
        return await self._call(method, asked, as_object(to_plain(asked.arguments)))

    async def run_script(self, asked: Any) -> Answer:  # noqa: ANN401 - ScriptArguments and WithBreakpoint
        """Run steps on a connection, and return an envelope for each; if a step fails, only its `success` is false."""
        for step in asked.steps:
            flags = as_object(to_plain(step))
            owned = self.connections.catalog.owned.get(as_text(flags.get("method")))
            if owned is not None:
                self._check(owned.method, flags)

        async def play(inspector: Inspector) -> Json:
            envelopes: Json = await inspector.play(dump(asked.steps), asked.vars)
            return {"envelopes": envelopes}

        return await self.connections.call(asked, play)

    def _check(self, method: AnyMethod, flags: JsonObject) -> None:
        """Reject a method that would start, debug or contact a program or server that is not allowed."""
        if method.connects:
            return
        if method.name not in self.connections.catalog.tools:
            problem = f"{method.name} contacts servers other than the connected one and is not available in mcpi-serve"
            raise McpiError(Invalid("INVALID_ARGUMENT", "method", problem))
        if ATTACH_ARGUMENT in flags:
            value_of(self.connections.allowed.check_attach())
        if COMMAND_ARGUMENT in flags:
            value_of(self.connections.allowed.check_shell_command(as_text(flags[COMMAND_ARGUMENT])))

    async def watch(self, asked: WatchArguments) -> Answer:
        """Wait for the given time, and return the events that the server sends."""
        return await self.connections.watch(asked.connection, asked.seconds)

    async def messages(self, asked: MessagesArguments) -> Answer:
        """Return the last messages in both directions, and the server's stderr."""
        inspector = self.connections.get(asked.connection)
        # In a thread, so that other connections do not wait while the messages are parsed again.
        seen = await asyncio.to_thread(lambda: inspector.messages[-asked.limit :])
        return {"result": {"messages": [*seen], "stderr": [*inspector.stderr[-asked.limit :]]}}

    async def read_more(self, asked: MoreArguments) -> Answer:
        """Return the rest of a truncated answer."""
        return value_of(self.stored.read(asked.answer, asked.offset))


def _texts(owners: Iterable[type]) -> dict[str, str]:
    """Return the descriptions of the fields of all classes, adapted for tools."""
    texts = {name: text for owner in owners for name, text in texts_of(owner).items()}
    return {**texts, **{name: text for name, text in TEXTS.items() if name in texts}}
