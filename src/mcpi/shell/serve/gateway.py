"""mcpi-serve: an MCP server through which an agent connects to other servers and inspects their messages."""

import logging
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import TextIOWrapper
from typing import Any, NoReturn

import anyio
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from mcpi.core.client.agent_answers import DEFAULT_ANSWER_SIZE, StoredAnswers
from mcpi.core.flags.declare import STDIN
from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.types import Address, Filename, Name, Port, ProgramName
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.codec import replace_surrogates
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.record.result_text import fault_lines
from mcpi.core.targets.allow_list import AllowList
from mcpi.core.targets.config_file import parse_servers
from mcpi.core.text.suggestions import nearest
from mcpi.core.version import __version__
from mcpi.shell.binding.flag_parser import parse_options
from mcpi.shell.binding.help_panels import options_app, sections_of
from mcpi.shell.context import RECURSION_LIMIT, Context, process_context
from mcpi.shell.discovery.field_docs import texts_of
from mcpi.shell.discovery.loader import Plugins
from mcpi.shell.io.inputs import text_of
from mcpi.shell.io.output import print_text
from mcpi.shell.process.spawn import exit_on_signals, stop_tracked
from mcpi.shell.serve.connections import Connections
from mcpi.shell.serve.gateway_tools import GatewayTools, ServedTool
from mcpi.shell.serve.tool_results import ToolOutput

PROGRAM = "mcpi-serve"
MIN_ANSWER_SIZE = 1000
INSTRUCTIONS = (
    "Inspect other MCP servers. Call connect first, then list to see what the server offers, then tools_call, "
    "resources_read, prompts_get or call_method. An answer has `result` or `error`, and the call's events: `logs`, "
    "`notifications`, `serverRequests`, `violations`, `debug`. If an answer is truncated, call read_more for the rest."
)


@frozen(kw_only=True)
class ServeOptions:
    """The servers that an agent may use; by default only those of the config file."""

    config: Filename | None = None
    """Config file (mcpServers) with the servers that an agent may connect to."""
    allow_command: tuple[ProgramName, ...] = ()
    """Program that an agent may start (first word of the command); * allows any program; repeatable."""
    allow_url: tuple[Address, ...] = ()
    """URL whose origin an agent may contact; * allows any origin; repeatable."""
    allow_env: tuple[Name, ...] = ()
    """Environment variable that an agent may set for a command; * allows any variable; repeatable."""
    max_answer: int = DEFAULT_ANSWER_SIZE
    """Maximum length of an answer in characters (default 32768); read_more returns the rest."""
    http: Port | None = None
    """Listen at http://127.0.0.1:PORT/mcp instead of using standard input and output."""
    help: bool = False
    """Show this help."""
    version: bool = False
    """Show the version."""


def entry() -> NoReturn:
    """Run the console command."""
    # Stop all servers that were started for an agent, even when a signal ends mcpi-serve.
    exit_on_signals()
    sys.setrecursionlimit(RECURSION_LIMIT)
    try:
        sys.exit(main(process_context()))
    finally:
        stop_tracked()


def main(context: Context) -> int:
    """Run the server until the client disconnects; return the exit code."""
    match parse_options(ServeOptions, context.argv, PROGRAM):
        case Success(options):
            pass
        case Failure(fault):
            return _print_fault(context, fault)
    if options.help or options.version:
        return print_text(context, PROGRAM, _help() if options.help else f"{PROGRAM} {__version__}\n")
    match _toolbox(context, options):
        case Success(toolbox):
            pass
        case Failure(fault):
            return _print_fault(context, fault)
    listener = Success(None) if options.http is None else _bind(options.http)
    if isinstance(listener, Failure):
        return _print_fault(context, listener.failure())
    logging.disable()
    anyio.run(_serve, toolbox, listener.unwrap())
    return 0


def _bind(port: int) -> "Result[socket.socket | None]":
    """Bind the port, so that an error is reported before anything is started."""
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(os.name == "posix"))
        listener.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        listener.close()
        why = error.strerror if isinstance(error, OSError) else "expected a port from 0 to 65535"
        return Failure(Invalid("INVALID_ARGUMENT", "--http", f"cannot listen on 127.0.0.1:{port}: {why}"))
    return Success(listener)


def _print_fault(context: Context, fault: Fault) -> int:
    first, *rest = fault_lines(fault)
    context.stderr.write("\n".join((f"mcpi-serve: {first}", *rest)) + "\n")
    return 1


def _help() -> str:
    intro = "mcpi-serve is an MCP server on standard input and output that lets an agent inspect other MCP servers."
    shown = (section.shown(100) for section in sections_of(options_app(ServeOptions, PROGRAM, texts_of(ServeOptions))))
    return f"{intro}\n\n{''.join(shown)}\n\nmcpi-serve can start programs: allow only what the agent needs.\n"


def _toolbox(context: Context, options: ServeOptions) -> Result[GatewayTools]:
    servers: JsonObject = {}
    if options.config == STDIN:
        return invalid("--config", "standard input is reserved for the MCP connection")
    if options.config is not None:
        text = text_of(context, "--config", options.config)
        if isinstance(text, Failure):
            return text
        match parse_servers(options.config, text.unwrap()):
            case Success(servers):
                pass
            case Failure() as failed:
                return failed
    if options.max_answer < MIN_ANSWER_SIZE:
        return invalid("--max-answer", f"expected at least {MIN_ANSWER_SIZE}, got {options.max_answer}")
    allowed = AllowList(
        options.config or "no config file",
        servers,
        options.allow_command,
        options.allow_url,
        dict(context.environment),
        options.allow_env,
    )
    checked = allowed.check_flags()
    if isinstance(checked, Failure):
        return checked
    connections = Connections(context, allowed, Plugins(context.environment).catalog)
    return Success(GatewayTools(connections, StoredAnswers(options.max_answer)))


def gateway_server(toolbox: GatewayTools) -> Server[GatewayTools]:
    """Return the MCP server that offers the tools of the toolbox."""
    tools = {tool.name: tool for tool in toolbox.tools()}

    async def list_tools(_: ServerRequestContext[GatewayTools], __: Any) -> types.ListToolsResult:  # noqa: ANN401 - no cursor
        return types.ListToolsResult(tools=[_tool_definition(tool) for tool in tools.values()])

    async def on_call_tool(
        _: ServerRequestContext[GatewayTools], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            near = nearest(params.name, tools)
            problem = f"unknown tool {params.name!r}" + (f", did you mean {near}?" if near else "")
            return _tool_result(toolbox.output({"error": {"message": problem}}, problem))
        return _tool_result(await toolbox.call(tool, dict(params.arguments or {})))

    @asynccontextmanager
    async def lifespan(_: Server[GatewayTools]) -> AsyncIterator[GatewayTools]:
        yield toolbox

    return Server(
        "mcpi-serve",
        version=__version__,
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=on_call_tool,
    )


def _tool_definition(tool: ServedTool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=tool.effect.read_only,
        destructive_hint=tool.effect.destructive,
        open_world_hint=tool.effect.open_world,
    )
    return types.Tool(name=tool.name, description=tool.description, input_schema=tool.schema, annotations=hints)


def _tool_result(output: ToolOutput) -> types.CallToolResult:
    media = [
        types.ImageContent(data=one.data, mime_type=one.mime_type)
        if one.kind == "image"
        else types.AudioContent(data=one.data, mime_type=one.mime_type)
        for one in output.media
    ]
    content: list[types.ContentBlock] = [types.TextContent(text=output.text), *media]
    return types.CallToolResult(content=content, structured_content=output.document, is_error=output.is_error)


class _RepairedLines(anyio.AsyncFile[str]):
    """Lines of JSON with lone surrogates replaced: the SDK would not answer a request that contains one."""

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in super().__aiter__():
            yield replace_surrogates(line) if "\\ud" in line.lower() else line


async def _serve(toolbox: GatewayTools, listener: socket.socket | None) -> None:
    server = gateway_server(toolbox)
    try:
        if listener is not None:
            await _serve_http(server, listener)
            return
        lines = _RepairedLines(TextIOWrapper(toolbox.connections.context.stdin, encoding="utf-8", errors="replace"))
        async with stdio_server(lines) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await toolbox.connections.close_all()


async def _serve_http(server: Server[GatewayTools], listener: socket.socket) -> None:
    import uvicorn  # noqa: PLC0415 - installed with the SDK, and only needed here

    config = uvicorn.Config(server.streamable_http_app(), log_level="critical")
    await uvicorn.Server(config).serve(sockets=[listener])
