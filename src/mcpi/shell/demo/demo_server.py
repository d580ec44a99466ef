"""A small MCP server for experiments; run it with `python -m mcpi.shell.demo.demo_server`."""

import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import ListenHandler

from mcpi.shell.demo import contents, demo_tools
from mcpi.shell.demo.call import Context, DemoState

NAME, VERSION = "mcpi-demo", "1.0.0"
INSTRUCTIONS = (
    "A demo of MCP features. Call echo or add for a simple result, slow for progress notifications, fail for an error "
    "result, ask-model for sampling, ask-user for elicitation, log for log messages, and touch to change demo://counter."
)


async def set_level(ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    """Set the log level of the connection."""
    ctx.lifespan_context.level = params.level
    return types.EmptyResult()


def demo_server() -> Server[DemoState]:
    """Return a server with its own state, for one connection in either protocol era."""
    state = DemoState()

    @asynccontextmanager
    async def lifespan(_server: Server[DemoState]) -> AsyncIterator[DemoState]:
        yield state

    server = Server(
        NAME,
        version=VERSION,
        title="mcpi demo server",
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=demo_tools.list_tools,
        on_call_tool=demo_tools.call_tool,
        on_list_resources=contents.list_resources,
        on_list_resource_templates=contents.list_templates,
        on_read_resource=contents.read_resource,
        on_subscribe_resource=contents.subscribe,
        on_unsubscribe_resource=contents.unsubscribe,
        on_subscriptions_listen=ListenHandler(state.bus),
        on_list_prompts=contents.list_prompts,
        on_get_prompt=contents.get_prompt,
        on_completion=contents.complete,
    )
    # Add the handler here: the constructor would print a deprecation warning for logging to stderr.
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
    return server


async def serve() -> None:
    """Serve requests on stdin and stdout until stdin is closed."""
    server = demo_server()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def main() -> None:
    """Run until the client disconnects; write nothing to stderr."""
    logging.disable()
    # An exception does not reach the thread that reads stdin, so restore the default handlers, which end the process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    anyio.run(serve)
    # All output is flushed; a regular exit would take 0.1 s to unload the modules of the SDK.
    os._exit(0)


if __name__ == "__main__":
    main()
