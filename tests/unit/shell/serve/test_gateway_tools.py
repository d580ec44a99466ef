"""An agent's connections are limited in number, and none is left that it does not know of."""

import asyncio
import io
import sys
from typing import Any

import pytest

from mcpi.core.targets.allow_list import AllowList
from mcpi.shell.client.errors import McpiError
from mcpi.shell.context import Context
from mcpi.shell.discovery.loader import Plugins
from mcpi.shell.serve.gateway_tools import MAX_CONNECTIONS, ConnectArguments, GatewayTools, OnConnection
from support.world import FakeClock, MemoryTransport


class Gateway:
    """A toolbox whose servers are in memory."""

    def __init__(self, *, answers: bool = True) -> None:
        self.transports: list[MemoryTransport] = []
        self.introduced = asyncio.Event()
        self._answers = answers
        context = Context((), {}, io.BytesIO(), io.StringIO(), io.StringIO(), FakeClock(), transport=self._transport)
        allowed = AllowList("none", {}, ("*",), (), {})
        self.tools = GatewayTools(context, allowed, Plugins({"MCPI_PLUGINS": "off"}).catalog)

    def _transport(self, _: object, inbox: Any, __: object) -> MemoryTransport:
        self.transports.append(MemoryTransport(self._server, inbox))
        return self.transports[-1]

    def _server(self, method: str, _: object) -> Any:
        if method != "initialize":
            return None
        self.introduced.set()
        info = {"name": "memory", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info}
        return {"result": result} if self._answers else None

    async def connect(self) -> Any:
        """Connect to the server in memory."""
        return await self.tools.connect(ConnectArguments(target=sys.executable, era="handshake"))


def test_more_connections_than_the_limit_are_refused_until_one_is_closed() -> None:
    async def work() -> None:
        gateway = Gateway()
        for _ in range(MAX_CONNECTIONS):
            await gateway.connect()
        with pytest.raises(McpiError, match="there are 32 connections already, which is the maximum"):
            await gateway.connect()
        await gateway.tools.disconnect(OnConnection(connection="connection-1"))
        assert (await gateway.connect())["connection"] == "connection-33"
        await gateway.tools.close()

    asyncio.run(work())


def test_connections_that_are_being_opened_count() -> None:
    async def work() -> None:
        gateway = Gateway()
        opening = [asyncio.create_task(gateway.connect()) for _ in range(MAX_CONNECTIONS + 1)]
        results = await asyncio.gather(*opening, return_exceptions=True)
        assert [isinstance(one, McpiError) for one in results] == [False] * MAX_CONNECTIONS + [True]
        await gateway.tools.close()

    asyncio.run(work())


@pytest.mark.parametrize("turns", [None, *range(12)])
def test_a_cancelled_connect_leaves_nothing_however_late_it_is_cancelled(turns: int | None) -> None:
    async def work() -> None:
        gateway = Gateway(answers=turns is not None)
        connecting = asyncio.create_task(gateway.connect())
        await gateway.introduced.wait()
        for _ in range(turns or 0):
            await asyncio.sleep(0)
        connecting.cancel()
        await asyncio.wait([connecting])
        if connecting.cancelled():
            assert gateway.tools.connections == {}
            assert [transport.closed for transport in gateway.transports] == [True]
        else:
            # The answer was there first: the agent knows the connection.
            assert [*gateway.tools.connections] == [connecting.result()["connection"]]
        await gateway.tools.close()

    asyncio.run(work())
