"""A user's script: it is never run, but every type checker has to accept it."""
# ruff: noqa: T201 - what is got is used

import asyncio
from collections.abc import Mapping

import mcpi
from mcpi import Inspector, InspectorOptions, McpiError
from mcpi.core.client.request_queue import QueueStatus
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.plans.events import Event, NotificationReceived, ServerAsked, ViolationSeen
from mcpi.core.plans.reports import TraceEntry
from mcpi.core.session.lifecycle import State
from mcpi.core.wire.server_info import NegotiatedServer

OPTIONS = InspectorOptions(
    era="handshake",
    protocol_version="2025-06-18",
    timeout=5.0,
    retries=2,
    reconnect=True,
    capabilities={"sampling": {}},
    metadata={"trace": "abc"},
    log_level="debug",
    fetch=True,
)


def decline(_: JsonObject) -> Json:
    return {"action": "decline"}


async def model(params: JsonObject) -> Json:
    await asyncio.sleep(0)
    return {"model": "m", "role": "assistant", "content": {"type": "text", "text": str(params)}}


async def call(server: Inspector) -> str:
    tools: Json = await server.call("tools/list")
    result: Json = await server.call("tools/call", tool_name="echo", tool_args={"text": "hi"})
    raw: Json = await server.request("vendor/thing", {"n": 1})
    assert isinstance(tools, dict)
    return f"{tools['tools']} {result} {raw}"


async def listen(server: Inspector) -> None:
    async for event in server.events():
        seen: Event = event
        match seen:
            case NotificationReceived(method=method, params=params):
                print(method, None if params is None else params.value)
            case ServerAsked(method=method):
                print(method)
            case ViolationSeen(violation=violation):
                print(violation.rule)
            case _:
                pass


async def look(server: Inspector) -> tuple[State, QueueStatus, list[TraceEntry], Mapping[str, list[Json]]]:
    async for state in server.statuses():
        status: State = state
        print(status)
    cached: list[Json] | None = server.cached("tools")
    met: NegotiatedServer | None = server.server
    if met is not None and cached is not None:
        print(met.version, met.era, met.info.value, len(cached))
    print([entry.fault for entry in server.history(10)], server.cancel(7))
    seen: JsonObject = await server.watch(0.5)
    played: list[Json] = await server.play('[{"method": "ping"}]', {"name": "value"})
    print(seen, played, *server.stderr)
    return server.status, server.queue, list(server.messages), await server.refresh()


async def main() -> None:
    handlers = {"sampling/createMessage": model, "elicitation/create": decline}
    targets = (
        "node server.js",
        "https://example.com/mcp",
        ["node", "server.js"],
        {"command": "node", "args": ["server.js"]},
    )
    for target in targets:
        try:
            async with mcpi.Inspector(target, handlers=handlers, options=OPTIONS) as server:
                listener = asyncio.create_task(listen(server))
                print(await call(server), await look(server))
                await listener
        except McpiError as error:
            code: str = error.code
            again: bool = error.retryable
            print(code, error.category, again, error.evidence, error.hints, error.rpc, error.result)
