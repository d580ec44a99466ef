"""The Inspector class on both eras and all transports, including loss of the server."""

import asyncio
import os
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

import mcpi
import warm
from running import free_port, listens, processes, wait_until

SERVERS = Path(__file__).parents[2] / "fixtures" / "servers"
WAYS = [("stdio", "handshake"), ("stdio", "modern"), ("http", "handshake"), ("http", "modern"), ("sse", "handshake")]
PATHS = {"http": "/mcp", "sse": "/sse"}
Start = Callable[..., Any]
CANCELLED = "notifications/cancelled"


def run(work: Any) -> Any:
    """Run the coroutine with a one-minute timeout."""
    return asyncio.run(asyncio.wait_for(work, 60))


@pytest.fixture
def target(served: Callable[..., str]) -> Callable[[str], Any]:
    """The SDK server as the target of an Inspector."""

    def start(transport: str) -> Any:
        words = (str(SERVERS / "sdk.py"), transport)
        if transport in PATHS:
            return served(sys.executable, *words, "PORT", path=PATHS[transport])
        return [warm.python(), *words]

    return start


def answer(params: Any) -> Any:
    """The sampling response to a prompt."""
    return {"model": "m", "role": "assistant", "content": {"type": "text", "text": params["messages"][0]["role"]}}


@pytest.mark.parametrize(("transport", "era"), WAYS)
def test_requests_work_in_every_era_over_every_transport(target: Start, transport: str, era: Any) -> None:
    async def work() -> Any:
        options = mcpi.InspectorOptions(era=era, log_level="debug")
        handlers: Any = {"sampling/createMessage": answer}
        async with mcpi.Inspector(target(transport), handlers=handlers, options=options) as server:
            events = server.events(mcpi.NotificationSeen)
            echo = await server.call("tools/call", tool_name="echo", tool_args={"text": "é"})
            slow = await server.call("tools/call", tool_name="slow", tool_args={"steps": 2, "delayMs": 1})
            sampled = await server.call("tools/call", tool_name="ask-model")
            raw = await server.request("resources/read", {"uri": "demo://readme"})
            with pytest.raises(mcpi.McpiError, match="Resource not found"):
                await server.request("resources/read", {"uri": "demo://nothing"})
            await server.refresh()
            received = [event.method for event in [await anext(events) for _ in range(2)]]
            facts = (server.server and server.server.era, server.status, len(server.tools or ()))
            return facts, [echo, slow, sampled], raw["contents"][0]["uri"], set(received)

    facts, results, uri, received = run(work())
    assert facts == (era, "connected", 14)
    assert [result["content"][0]["text"] for result in results] == ["é", "Done after 2 steps.", "user"]
    assert (uri, received) == ("demo://readme", {"notifications/progress"})


@pytest.mark.parametrize(("transport", "era"), WAYS)
def test_changed_list_is_fetched_again(target: Start, transport: str, era: Any) -> None:
    async def work() -> Any:
        options = mcpi.InspectorOptions(era=era, fetch=True)
        async with mcpi.Inspector(target(transport), options=options) as server:
            before = len(server.tools or ())
            await server.call("tools/call", tool_name="grow")
            while len(server.tools or ()) == before:  # noqa: ASYNC110 - the cache is not an event
                await asyncio.sleep(0.01)
            names = [tool.name for tool in server.tools or ()]
            return len(names) - before, names[-1].startswith("grown-")

    assert run(work()) == (1, True)


class Restarted:
    """An HTTP server that can be killed and restarted on the same port."""

    def __init__(self, transport: str) -> None:
        """Start the server."""
        self.port = free_port()
        self.command = [str(SERVERS / "sdk.py"), transport, str(self.port)]
        self.url = f"http://127.0.0.1:{self.port}{PATHS[transport]}"
        self.start()

    def start(self) -> None:
        """Start the server again."""
        self.process = warm.start(self.command, os.environ)
        wait_until(lambda: listens(self.port))

    def die(self) -> None:
        """Kill the server."""
        self.process.end()


@pytest.fixture
def restarted() -> Iterator[Callable[[str], Restarted]]:
    """Create servers that can be killed, and stop them after the test."""
    started: list[Restarted] = []

    def start(transport: str) -> Restarted:
        started.append(Restarted(transport))
        return started[-1]

    yield start
    for server in started:
        server.die()


@pytest.mark.parametrize(("transport", "era"), WAYS[2:])
def test_restarted_http_server_is_reconnected(restarted: Callable[[str], Restarted], transport: str, era: Any) -> None:
    web = restarted(transport)

    async def work() -> Any:
        options = mcpi.InspectorOptions(era=era, reconnect=True, fetch=True)
        async with mcpi.Inspector(web.url, options=options) as server:
            await asyncio.to_thread(web.die)
            await asyncio.to_thread(web.start)
            again = None
            while again is None:
                with suppress(mcpi.McpiError):
                    again = await server.call("tools/call", tool_name="echo", tool_args={"text": "b"})
            handshakes = [
                entry for entry in server.messages if entry.method == "initialize" and entry.direction == "sent"
            ]
            return again["content"], server.status, len(handshakes) >= 2

    assert run(work()) == ([{"text": "b", "type": "text"}], "connected", era == "handshake")


EXITING_SERVER = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "die":
        os._exit(3)
    answer = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "mortal", "version": "1"}}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


def test_events_report_disconnect_and_reconnect() -> None:
    async def work() -> Any:
        options = mcpi.InspectorOptions(era="handshake", reconnect=False)
        async with mcpi.Inspector([sys.executable, "-c", EXITING_SERVER], options=options) as server:
            seen = server.events(mcpi.StatusChange, mcpi.ErrorSeen)
            with pytest.raises(mcpi.McpiError) as lost:
                await server.request("die")
            again = await server.connect()
        kinds = [getattr(event, "status", None) or event["error"]["code"] async for event in seen]
        return lost.value.code, kinds, again.protocol_version

    code, kinds, version = run(work())
    assert (code, version) == ("SERVER_EXITED", "2025-06-18")
    assert kinds == [
        *("error", "SERVER_EXITED", "disconnecting", "disconnected"),
        *("connecting", "connected", "disconnecting", "disconnected"),
    ]


def test_inspector_without_a_server_cannot_connect() -> None:
    with pytest.raises(mcpi.McpiError, match="no server given"):
        run(mcpi.Inspector(None).connect())


def test_request_after_a_lost_connection_waits_for_the_reconnect() -> None:
    async def work() -> Any:
        options = mcpi.InspectorOptions(era="handshake", reconnect=True)
        async with mcpi.Inspector([sys.executable, "-c", EXITING_SERVER], options=options) as server:
            with pytest.raises(mcpi.McpiError) as lost:
                await server.request("die")
            again = await server.request("ping")
            return lost.value.code, again["serverInfo"]["name"], server.status

    assert run(work()) == ("SERVER_EXITED", "mortal", "connected")


def test_reconnect_stops_after_repeated_failures(restarted: Callable[[str], Restarted]) -> None:
    web = restarted("sse")

    async def work() -> Any:
        options = mcpi.InspectorOptions(reconnect=True)
        async with mcpi.Inspector(web.url, options=options) as server:
            states = server.events(mcpi.StatusChange)
            await asyncio.to_thread(web.die)
            seen = [(await anext(states)).status for _ in range(2)]
            await asyncio.sleep(0)
            waiting = [asyncio.create_task(server.request("ping")) for _ in range(3)]
            while seen[-1] != "disconnected":
                seen.append((await anext(states)).status)
            waited = await asyncio.gather(*waiting, return_exceptions=True)
            with pytest.raises(mcpi.McpiError) as lost:
                await server.request("ping")
            return seen, lost.value.code, {error.code for error in waited if isinstance(error, mcpi.McpiError)}

    states, last, codes = run(work())
    assert (states, last) == (["error", "connecting"] * 3 + ["error", "disconnected"], "CONNECTION_REFUSED")
    # The last attempt may find the port open for a moment longer.
    assert codes
    assert codes <= {"CONNECTION_REFUSED", "CONNECTION_LOST"}


NOTIFYING_SERVER = """
import asyncio, resource, sys, mcpi

async def work() -> None:
    options = mcpi.InspectorOptions(era="handshake", timeout=120, max_messages=100)
    async with mcpi.Inspector([sys.executable, sys.argv[1]], options=options) as server:
        for _ in range(3):
            calls = [asyncio.create_task(server.request("n", {"n": number})) for number in range(10_000)]
            await asyncio.sleep(0)
            waiting = server.queue.pending + server.queue.in_progress
            assert waiting == 10_000, waiting
            last = server.history(1)[0].id if server.history(1) else 0
            assert all(server.cancel(last + number) for number in range(9_001, 9_101))
            results = await asyncio.gather(*calls, return_exceptions=True)
            kept = [result["n"] for result in results if isinstance(result, dict)]
            assert kept == [*range(9_000), *range(9_100, 10_000)], len(kept)
            del calls, results, kept
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)

asyncio.run(work())
"""


def test_ten_thousand_queued_requests_complete_without_a_memory_leak() -> None:
    command = [sys.executable, "-c", NOTIFYING_SERVER, str(SERVERS / "counting.py")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    first, _, third = map(int, ran.stdout.split()) if ran.returncode == 0 else (0, 0, 0)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert third - first <= 8


def test_server_process_ends_when_the_context_exits() -> None:
    word = "inspector-that-leaves"

    async def work() -> None:
        async with mcpi.Inspector([sys.executable, str(SERVERS / "counting.py"), word]):
            assert processes(word) != []

    run(work())
    wait_until(lambda: processes(word) == [], within=10.0)


@pytest.mark.parametrize("target", ["", "   ", "node 'x", []], ids=repr)
def test_invalid_target_is_rejected(target: Any) -> None:
    with pytest.raises(mcpi.McpiError, match="target: ") as raised:
        mcpi.Inspector(target)

    assert raised.value.code == "INVALID_ARGUMENT"


def test_inspector_can_reconnect_after_disconnect() -> None:
    async def work() -> Any:
        server = mcpi.Inspector([sys.executable, str(SERVERS / "counting.py")])
        states = server.events(mcpi.StatusChange)
        for _ in range(2):
            await server.connect()
            await server.call("tools/list")
            await server.disconnect()
        await server.close()
        return [event.status async for event in states], server.status

    found, status = run(work())
    assert found == ["connecting", "connected", "disconnecting", "disconnected"] * 2
    assert status == "disconnected"


def test_disconnect_interrupts_connecting_and_the_next_connect_works() -> None:
    async def work() -> Any:
        unresponsive = [sys.executable, "-c", "import time; time.sleep(60)"]
        server = mcpi.Inspector(unresponsive)
        connecting = asyncio.create_task(server.connect())
        await asyncio.sleep(0.5)
        await asyncio.wait_for(server.disconnect(), 5)
        with pytest.raises(mcpi.McpiError) as raised:
            await connecting
        again = asyncio.create_task(server.connect())
        await asyncio.sleep(0.5)
        status = server.status
        await server.disconnect()
        with pytest.raises(mcpi.McpiError):
            await again
        return raised.value.code, status, server.status

    assert run(work()) == ("INTERRUPTED", "connecting", "disconnected")


def test_disconnect_interrupts_a_running_call_and_the_next_connect_works() -> None:
    async def work() -> Any:
        server = mcpi.Inspector([warm.python(), str(SERVERS / "sdk.py"), "stdio"])
        await server.connect()
        running = asyncio.create_task(server.call("tools/call", tool_name="slow", tool_args={"steps": 100}))
        await asyncio.sleep(0.5)
        await server.disconnect()
        with pytest.raises(mcpi.McpiError) as raised:
            await running
        await server.connect()
        await server.call("tools/list")
        at_work = server.queue.in_progress
        await server.disconnect()
        return raised.value.code, at_work

    assert run(work()) == ("INTERRUPTED", 0)


def test_connect_while_connected_keeps_the_connection(target: Start) -> None:
    async def work() -> Any:
        async with mcpi.Inspector(target("stdio")) as server:
            both = await asyncio.gather(server.connect(), server.connect())
            await server.call("tools/list")
            return {one is server.server for one in both}

    assert run(work()) == {True}


def test_server_process_ends_when_connect_times_out() -> None:
    word = "inspector-without-answer"

    async def work() -> None:
        unresponsive = f"import time; time.sleep(60)  # {word}"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5), mcpi.Inspector([sys.executable, "-c", unresponsive]):
                pass

    run(work())
    wait_until(lambda: processes(word) == [], within=10.0)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_server_that_ignores_signals_ends_when_the_program_is_cancelled(backend: str) -> None:
    word = f"inspector-in-a-cancelled-scope-{backend}"
    stubborn = [sys.executable, "-S", str(SERVERS / "faulty.py"), "ignores_signals_and_eof", word]

    async def work() -> bool:
        # The scope cancels everything inside it, also the end of the block of the client.
        with anyio.move_on_after(0.5) as scope:
            async with mcpi.Inspector(stubborn, options=mcpi.InspectorOptions(era="handshake")):
                await anyio.sleep(60)
        return scope.cancelled_caught

    assert anyio.run(work, backend=backend)
    assert processes(word) == []


def test_cancelled_queued_call_is_not_sent(target: Start) -> None:
    async def work() -> Any:
        async with mcpi.Inspector(target("stdio")) as server:
            slow = asyncio.create_task(server.call("tools/call", tool_name="slow", tool_args={"steps": 1}))
            await asyncio.sleep(0)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(server.call("tools/call", tool_name="touch"), 0.01)
            await slow
            return [(entry.method, entry.status) for entry in server.history()]

    assert sorted(run(work())) == [("tools/call", "cancelled"), ("tools/call", "completed")]


def test_abandoned_call_is_cancelled_and_the_next_one_runs(target: Start) -> None:
    async def work() -> Any:
        async with mcpi.Inspector(target("stdio")) as server:
            slow = server.call("tools/call", tool_name="slow", tool_args={"steps": 1000, "delayMs": 60000})
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(slow, 0.5)
            listed = await asyncio.wait_for(server.call("tools/list"), 10)
            reasons = [entry.message["params"]["reason"] for entry in server.messages if entry.method == CANCELLED]
            return len(listed["tools"]) > 0, reasons, server.history()[0].status

    tools, reasons, status = run(work())
    assert (tools, status) == (True, "cancelled")
    assert [reason.startswith("abandoned after 0.") for reason in reasons] == [True]


def test_plugin_exception_is_reported_and_the_next_call_works(target: Start) -> None:
    async def work() -> Any:
        async with mcpi.Inspector(target("stdio")) as server:
            with pytest.raises(mcpi.McpiError, match="ZeroDivisionError") as raised:
                await server.call("acme/count", shelves=0)
            return raised.value, await server.call("acme/count", shelves=2)

    found, counted = run(work())
    assert (found.code, type(found.__cause__)) == ("PLUGIN_FAILED", ZeroDivisionError)
    assert counted["each"] == counted["tools"] // 2


def test_discarded_event_stream_is_garbage_collected(target: Start) -> None:
    async def work() -> Any:
        async with mcpi.Inspector(target("stdio")) as server:
            collected, kept = weakref.ref(server.events()), server.events(mcpi.NotificationSeen)
            await server.call("tools/call", tool_name="slow", tool_args={"steps": 1, "delayMs": 1})
            event = await anext(kept)
            return collected(), event.method

    assert run(work()) == (None, "notifications/progress")
