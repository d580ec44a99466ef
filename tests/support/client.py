"""A client of an in-memory server."""

import io
from collections.abc import Callable
from typing import Any

import mcpi
from mcpi.core.jsontext.values import JsonObject
from mcpi.shell.context import Clock, Context, SystemClock
from support.world import World

INITIALIZED: JsonObject = {
    "protocolVersion": "2025-11-25",
    "capabilities": {
        "tools": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "logging": {},
    },
    "serverInfo": {"name": "memory", "version": "1"},
    "instructions": "Ask.",
}
TOOL: JsonObject = {"name": "echo", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}


class MemoryServer:
    """An in-memory server with default responses and those defined by the test."""

    def __init__(self, **answers: Callable[[Any], Any]) -> None:
        """Each response is named after a method, with _ for /; it returns messages, or None for no response."""
        self.answers = answers
        self.world = World(self)

    def __call__(self, method: str, params: Any) -> JsonObject | list[JsonObject] | None:
        """The messages sent in response to a message."""
        name = method.replace("/", "_")
        if name in self.answers:
            found: JsonObject | list[JsonObject] | None = self.answers[name](params)
            return found
        results: JsonObject = {
            "initialize": INITIALIZED,
            "tools/list": {"tools": [TOOL]},
            "tools/call": {"content": [{"type": "text", "text": "done"}]},
            "resources/list": {"resources": [{"uri": "a:b", "name": "b"}]},
            "resources/templates/list": {"resourceTemplates": []},
            "resources/read": {"contents": [{"uri": "a:b", "text": "c"}]},
        }
        if method == "None" or method.startswith("notifications/"):
            return None
        return {"result": results.get(method, {})}

    @property
    def sent(self) -> list[Any]:
        """All messages of the client, over all connections."""
        return [message for transport in self.world.transports for message in transport.sent]

    @property
    def methods(self) -> list[str]:
        """The methods of the requests and notifications."""
        return [str(message["method"]) for message in self.sent if "method" in message]

    def push(self, message: JsonObject) -> None:
        """Send an unsolicited message."""
        self.world.transports[-1].push(message)

    def client(
        self, *, fake_clock: bool = False, handlers: Any = None, roots: Any = None, limits: Any = None, **options: Any
    ) -> mcpi.Inspector:
        """A client of this server; with `fake`, its clock jumps to the next timer."""
        clock: Clock = self.world.clock if fake_clock else SystemClock()
        context = Context(
            (),
            {"MCPI_PLUGINS": "off"},
            io.BytesIO(),
            io.StringIO(),
            io.StringIO(),
            clock,
            transport=self.world.connect,
        )
        options = {"era": "handshake", "ping_interval": None, **({"handlers": limits} if limits else {}), **options}
        return mcpi.Inspector(
            "memory", handlers=handlers, roots=roots, options=mcpi.InspectorOptions(**options), context=context
        )
