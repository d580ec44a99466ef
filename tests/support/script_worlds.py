"""Scripts against an in-memory server with a tool for each kind of response."""

import io
import json
from typing import Any

from mcpi.core.jsontext.values import JsonObject
from support.world import World

SERVER = ("server", "--era", "handshake")
CALLS: dict[str, JsonObject] = {
    "add": {"result": {"content": [], "structuredContent": {"sum": 3}}},
    "fail": {"result": {"content": [{"type": "text", "text": "no paper"}], "isError": True}},
    "noisy": {"jsonrpc": "1.0", "result": {"content": []}},
    "odd": {"result": {"content": "none"}},
    "refuse": {"error": {"code": -32000, "message": "no"}},
    "die": {"close": True},
}
ANSWERS: dict[str, JsonObject] = {
    "initialize": {
        "result": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "memory", "version": "1"},
        }
    },
    "ping": {"result": {}},
    "tools/list": {"result": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in CALLS]}},
}


def server(method: str, params: Any) -> JsonObject | None:
    """A server with a tool for each kind of response."""
    if method == "tools/call":
        return CALLS[params["name"]]
    return None if method.startswith("notifications/") else ANSWERS[method]


class Terminal(io.StringIO):
    """A standard output that is a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def call(tool: str, **members: Any) -> JsonObject:
    """A step that calls a tool."""
    return {"method": "tools/call", "toolName": tool, **members}


def script_world(steps: Any, *, terminal: bool = False, environment: dict[str, str] | None = None) -> World:
    """A world with a script on standard input."""
    stdin = (steps if isinstance(steps, str) else json.dumps(steps)).encode()
    stdout = Terminal() if terminal else io.StringIO()
    return World(server, stdin=stdin, stdout=stdout, environment={"NO_COLOR": "1", **(environment or {})})


def run_script(steps: Any, *flags: str, environment: dict[str, str] | None = None) -> tuple[int, list[str]]:
    """Run a script, and return its exit code and the lines on stderr."""
    world = script_world(steps, environment=environment)
    return world.run(*SERVER, "--script", "-", *flags), world.stderr.getvalue().splitlines()
