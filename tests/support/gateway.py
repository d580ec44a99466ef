"""The tools of mcpi-serve with in-memory servers."""

import asyncio
import io
import sys
from collections.abc import Mapping
from typing import Any

from mcpi.core.client.agent_answers import StoredAnswers
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.targets.allow_list import AllowList
from mcpi.shell.context import Context
from mcpi.shell.discovery.loader import Plugins
from mcpi.shell.serve.connections import Connections
from mcpi.shell.serve.gateway_tools import GatewayTools
from support.client import MemoryServer
from support.world import FakeClock, MemoryTransport


class Gateway:
    """A toolbox with in-memory servers."""

    def __init__(self, *, responds: bool = True, limit: int = 10_000, **server: Any) -> None:
        self.initialized = asyncio.Event()
        self.server = MemoryServer(initialize=self._initialize, **server)
        self.transports: list[MemoryTransport] = self.server.world.transports
        self._responds = responds
        context = Context(
            (), {}, io.BytesIO(), io.StringIO(), io.StringIO(), FakeClock(), transport=self.server.world.connect
        )
        allowed = AllowList("none", {}, ("*",), (), {})
        connections = Connections(context, allowed, Plugins({"MCPI_PLUGINS": "off"}).catalog)
        self.tools = GatewayTools(connections, StoredAnswers(limit))
        self._tools = {tool.name: tool for tool in self.tools.tools()}

    def _initialize(self, _: Any) -> JsonObject | None:
        self.initialized.set()
        info: JsonObject = {"name": "memory", "version": "1"}
        capabilities: JsonObject = {"tools": {}, "logging": {}}
        result: JsonObject = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}
        return {"result": result} if self._responds else None

    async def call(self, name: str, **arguments: Any) -> Any:
        """The document returned by a tool."""
        return await self._tools[name].function(arguments)

    async def result(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The tool result sent to the agent."""
        return await self.tools.call(self._tools[name], dict(arguments))

    async def connect(self, **arguments: Any) -> Any:
        """Connect to the in-memory server."""
        return await self.call("connect", target=sys.executable, era="handshake", **arguments)
