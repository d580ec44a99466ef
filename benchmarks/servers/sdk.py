"""A server on the Python SDK: python sdk.py."""

from mcp.server import MCPServer

server = MCPServer("sdk")


@server.tool()
def echo(message: str) -> str:
    """What was said."""
    return f"Echo: {message}"


server.run()
