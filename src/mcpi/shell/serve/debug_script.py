"""mcpi-debug-script: a stdio MCP server with one tool, debug-script."""

import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import NoReturn

import anyio
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.caching import CacheHint
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from mcpi.core.debugger.program.debug_request import INPUT_SCHEMA, OUTPUT_SCHEMA, parse_request
from mcpi.core.debugger.program.verdict import Verdict, failed_verdict
from mcpi.core.outcome import explain
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.version import __version__
from mcpi.shell.context import Context, process_context
from mcpi.shell.debugger.run_program import debug_program, kill_all
from mcpi.shell.io.output import print_text
from mcpi.shell.process.spawn import exit_on_signals

NAME = "mcpi-debug-script"
INSTRUCTIONS = (
    "debug-script runs a Node.js program and returns the values of an expression at a breakpoint, in order. "
    "The command must contain --inspect-brk=0. Source maps are followed, so breakpoints can be in TypeScript files."
)
USAGE = f"""usage: {NAME}

An MCP server on standard input and output with one tool, debug-script, which records the values of an expression in a
Node.js program. To do the same on the command line, see: mcpi debug/script --help
"""
TOOL = types.Tool(
    name="debug-script",
    title="Debug a Node.js script",
    description=(
        "Run a Node.js program until it exits, evaluate an expression at each hit of a breakpoint, and return all "
        "values in order. The program continues after each hit, and is terminated when the timeout expires."
    ),
    input_schema=INPUT_SCHEMA,
    output_schema=OUTPUT_SCHEMA,
    annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False),
)


async def list_tools(
    _: ServerRequestContext[Context], __: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    """Return the only tool."""
    return types.ListToolsResult(tools=[TOOL])


async def call_tool(ctx: ServerRequestContext[Context], params: types.CallToolRequestParams) -> types.CallToolResult:
    """Run the program and return the values; a failure is a tool result as well."""
    if params.name != TOOL.name:
        raise MCPError(types.INVALID_PARAMS, f"unknown tool {params.name!r}; the only tool is {TOOL.name}")
    match parse_request(params.arguments or {}):
        case Success(program):
            return _result(await debug_program(ctx.lifespan_context, program))
        case Failure(fault):
            return _result(failed_verdict("command", explain.sentence(fault), "; ".join(fault.hints)))


def _result(verdict: Verdict) -> types.CallToolResult:
    if verdict.error:
        content: list[types.ContentBlock] = [types.TextContent(text=verdict.error)]
        return types.CallToolResult(content=content, structured_content=verdict.document, is_error=True)
    return types.CallToolResult(content=[], structured_content=verdict.document)


def debug_server(context: Context) -> Server[Context]:
    """Return the server for one connection, in either protocol era."""

    @asynccontextmanager
    async def lifespan(_: Server[Context]) -> AsyncIterator[Context]:
        yield context

    return Server(
        NAME,
        version=__version__,
        title="mcpi debug-script",
        instructions=INSTRUCTIONS,
        # The list is the same for all clients and never changes.
        cache_hints={"tools/list": CacheHint(ttl_ms=3_600_000, scope="public")},
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve(context: Context) -> None:
    """Serve requests on stdin and stdout until stdin is closed."""
    server = debug_server(context)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def handle_signal(number: int, _: FrameType | None) -> None:
    """Handle a signal: kill all programs and exit."""
    kill_all()
    os._exit(128 + number)


def _print_and_exit(context: Context) -> NoReturn:
    """Print the version or the usage, or an error for any other argument; exit."""
    match context.argv:
        case ("--version",):
            sys.exit(print_text(context, NAME, f"{NAME} {__version__}\n"))
        case ("--help",):
            sys.exit(print_text(context, NAME, USAGE))
        case arguments:
            sys.exit(f"{NAME}: takes no arguments, got {' '.join(arguments)!r}\n\n{USAGE.rstrip()}")


def entry() -> NoReturn:
    """Run the console command."""
    context = process_context()
    if context.argv:
        _print_and_exit(context)
    logging.disable()
    # Exit in the handler: an exception does not reach the thread that reads stdin.
    exit_on_signals(handle_signal)
    try:
        anyio.run(serve, context)
    finally:
        kill_all()
    # All output is flushed; a regular exit would take 0.1 s to unload the modules of the SDK.
    os._exit(0)
