"""Serve one tool with the Python SDK: python sdk.py."""

from mcp.server import MCPServer

server = MCPServer("sdk")


@server.tool()
def echo(message: str) -> str:
    """Return the text."""
    return f"Echo: {message}"


server.run()
