"""A user script for the type checkers; it is never run."""
# ruff: noqa: T201 - the values must be used

import asyncio
import json

import mcpi
from mcpi import Inspector, InspectorOptions, McpiError

OPTIONS = InspectorOptions(
    era="handshake",
    protocol_version="2025-06-18",
    client_info=mcpi.Implementation(name="mine", version="1"),
    timeout=5.0,
    retries=2,
    retry_backoff=(0.1, 0.2),
    ping_interval=None,
    max_concurrent=10,
    headers={"x-a": "b"},
    auth=mcpi.OAuth(show_url=print, store="tokens.json"),
    handlers=mcpi.HandlerOptions(request_timeout=60.0),
    capabilities={"sampling": {}},
    metadata={"trace": "abc"},
    log_level="debug",
    fetch=True,
)


def decline(_: object) -> object:
    return {"action": "decline"}


async def model(params: object) -> object:
    await asyncio.sleep(0)
    return {"model": "m", "role": "assistant", "content": {"type": "text", "text": str(params)}}


async def call(server: Inspector) -> str:
    tools: list[mcpi.Tool] = await server.list_tools()
    result: mcpi.ToolResult = await server.call_tool("echo", {"text": "hi"}, timeout=3.0, on_progress=progress)
    contents: mcpi.ResourceContents = await server.read_resource("a:b", headers={"x": "y"})
    prompt: mcpi.PromptResult = await server.get_prompt("p", {"n": 1}, metadata={"a": 1})
    completion: mcpi.Completion = await server.complete("language", "py", prompt="p")
    tasks: list[mcpi.ServerTask] = await server.tasks.list()
    raw = await server.request("vendor/thing", {"n": 1})
    await server.notify("notifications/vendor", {"n": 1})
    names: list[str] = [tool.title or tool.name for tool in tools]
    return f"{names} {result.text} {result.is_error} {contents.contents} {prompt} {completion.total} {tasks} {raw}"


def progress(event: mcpi.ProgressSeen) -> None:
    done: float = event.progress
    print(done, event.total)


async def listen(server: Inspector) -> None:
    async for event in server.events():
        seen: mcpi.ClientEvent = event
        match seen:
            case mcpi.NotificationSeen(method=method):
                print(method)
            case mcpi.ToolsChange(tools=tools):
                print([tool.input_schema for tool in tools])
            case _:
                print(json.dumps(seen))


async def states(server: Inspector) -> None:
    async for event in server.events(mcpi.StatusChange):
        code: str | None = None if event.error is None else event.error.code
        print(event.status, code)


async def answer(server: Inspector) -> None:
    async for change in server.events(mcpi.PendingChange):
        for entry in change.pending:
            if entry.kind == "elicitation":
                server.resolve(entry.id, {"action": "accept", "content": {}})
            else:
                server.reject(entry.id, "no")


def look(server: Inspector) -> None:
    described: mcpi.ServerDescription | None = server.server
    if described is not None and server.tools is not None:
        print(described.protocol_version, described.era, described.server_info.name, len(server.tools))
    entries: list[mcpi.QueueEntry] = server.history(10)
    print([entry.error for entry in entries], server.cancel(7), server.queue.running)
    stop = server.on(mcpi.LogSeen, lambda event: print(event.level, event.data))
    stop()


async def main() -> None:
    targets: list[mcpi.TargetLike] = [
        "node server.js",
        "https://example.com/mcp",
        ["node", "server.js"],
        {"command": "node", "args": ["server.js"]},
        *mcpi.load_servers(),
    ]
    for target in targets:
        try:
            async with mcpi.Inspector(target, handlers={"sampling/createMessage": model}, options=OPTIONS) as server:
                server.set_elicitation_handler(decline)
                server.set_sampling_handler(mcpi.leave_pending)
                await server.set_roots([{"uri": "file:///a"}])
                listeners = [asyncio.create_task(work(server)) for work in (listen, states, answer)]
                print(await call(server), listeners)
                look(server)
        except McpiError as error:
            code: str = error.code
            again: bool = error.retryable
            print(code, error.category, again, error.help_url, error.details, error.evidence, error.hints, error.rpc)
