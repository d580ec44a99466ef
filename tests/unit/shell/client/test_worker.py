"""The request queue of a connection over a day, and the cost of a request."""

import asyncio
import gc
import json
import sys
import tracemalloc
from collections import deque
from itertools import islice
from time import process_time
from typing import Any

import pytest

import mcpi
from mcpi.core.wire.peer import MAX_UNANSWERED
from support.client import MemoryServer
from support.world import FakeClock

DAY = 24 * 3600.0
LOSSES = 8
RATIO = 32
"""The maximum processor time of requests, as a multiple of the least that they need."""


async def sleep(clock: FakeClock, seconds: float) -> None:
    """Wait on the fake clock."""
    done = asyncio.Event()
    clock.call_later(seconds, done.set)
    await done.wait()


def test_connection_survives_a_day_of_pings_and_reconnects() -> None:
    server = MemoryServer()

    async def work() -> Any:
        clock = server.world.clock
        client = server.client(fake_clock=True, ping_interval=30.0)
        states = client.events(mcpi.StatusChange)
        await client.connect()
        for _ in range(LOSSES):
            await sleep(clock, DAY / (LOSSES + 1))
            server.world.transports[-1].disconnect()
            with pytest.raises(mcpi.McpiError):
                await client.request("tools/list")
            assert await client.list_tools() != []
        await sleep(clock, DAY / (LOSSES + 1))
        await client.disconnect()
        await client.close()
        return [event.status async for event in states]

    states = asyncio.run(asyncio.wait_for(work(), 120))
    assert states == [
        *("connecting", "connected"),
        *("error", "connecting", "connected") * LOSSES,
        *("disconnecting", "disconnected"),
    ]
    # One ping every 30 s, except while the connection is opened again.
    assert DAY / 30 - 10 * LOSSES < server.methods.count("ping") <= DAY / 30


def test_unanswered_ping_triggers_a_reconnect() -> None:
    server = MemoryServer(ping=lambda _: None if len(server.world.transports) < 2 else {"result": {}})

    async def work() -> Any:
        async with server.client(fake_clock=True, ping_interval=30.0, timeout=10.0) as client:
            errors, states = client.events(mcpi.ErrorSeen), client.events(mcpi.StatusChange)
            lost = await anext(errors)
            return lost, [event.status for event in [await anext(states) for _ in range(3)]]

    lost, states = asyncio.run(asyncio.wait_for(work(), 30))
    assert (lost.error.code, "stopped responding: " in lost.error.message) == ("CONNECTION_LOST", True)
    assert states == ["error", "connecting", "connected"]


def test_lost_connection_is_reopened_once_without_retries() -> None:
    server = MemoryServer()

    async def work() -> Any:
        async with server.client(fake_clock=True, retries=0) as client:
            states = client.events(mcpi.StatusChange)
            server.world.transports[-1].disconnect()
            found = [(await anext(states)).status for _ in range(3)]
            return found, await client.list_tools()

    states, tools = asyncio.run(asyncio.wait_for(work(), 30))
    assert (states, len(tools)) == (["error", "connecting", "connected"], 1)


def longest(owner: object, name: str, known: set[int]) -> tuple[int, str]:
    """Return the length and the path of the longest collection in an object of mcpi."""
    if id(owner) in known:
        return 0, name
    known.add(id(owner))
    found = (len(owner), name) if isinstance(owner, dict | set | list | deque) else (0, name)
    if isinstance(owner, dict | list | deque):
        members = [("[]", one) for one in islice(owner.values() if isinstance(owner, dict) else owner, 100)]
    elif type(owner).__module__.startswith("mcpi."):
        names = {*vars(owner)} if hasattr(owner, "__dict__") else set()
        names.update(*(getattr(one, "__slots__", ()) for one in type(owner).__mro__))
        members = [(f".{one}", getattr(owner, one)) for one in names if hasattr(owner, one)]
    else:
        members = []
    return max([found, *(longest(member, name + one, known) for one, member in members)])


@pytest.mark.parametrize("end", ["answered", "failed", "timed out", "cancelled"])
def test_a_client_keeps_no_state_for_finished_requests(end: str) -> None:
    answers = {"answered": {"result": {}}, "failed": {"error": {"code": -1, "message": "no"}}}
    server, count = MemoryServer(n=lambda _: answers.get(end)), 3_000

    async def request(client: mcpi.Inspector) -> str:
        try:
            await client.request("n")
        except mcpi.McpiError as error:
            return error.code
        return ""

    async def work() -> Any:
        async with server.client(fake_clock=True, validate=True, max_concurrent=500) as client:
            requests = [asyncio.create_task(request(client)) for _ in range(count)]
            while end == "cancelled" and client.queue.cancelled < count:
                for number in client.queue.running:
                    client.cancel(number)
                await asyncio.sleep(0)
            codes = {await one for one in requests}
            return codes, longest(client, "client", {id(client._connection.transport)})  # noqa: SLF001 - it belongs to the test

    codes, (length, name) = asyncio.run(asyncio.wait_for(work(), 300))
    code = {"answered": "", "failed": "JSON_RPC_ERROR", "timed out": "REQUEST_TIMEOUT", "cancelled": "INTERRUPTED"}[end]
    assert (codes, server.methods.count("n")) == ({code}, count)
    assert length <= MAX_UNANSWERED, name


async def parse_and_wait(count: int) -> None:
    """Do the least that as many requests need: write and parse each, and wait for its result."""
    loop = asyncio.get_running_loop()
    for number in range(count):
        done = loop.create_future()
        loop.call_soon(done.set_result, json.loads(json.dumps({"jsonrpc": "2.0", "id": number, "method": "n"})))
        await done


@pytest.mark.parametrize(("count", "limit"), [(10_000, 1), (1_000, 1_000)])
def test_many_requests_take_little_time_and_memory(count: int, limit: int) -> None:
    server = MemoryServer(n=lambda params: {"result": params})

    async def work(number: int) -> Any:
        async with server.client(max_concurrent=limit, timeout=600.0) as client:
            return await asyncio.gather(*[client.request("n", {"n": index}) for index in range(number)])

    asyncio.run(work(10))
    # The objects of other tests do not count: collecting them takes longer than a thousand requests.
    gc.collect()
    gc.freeze()
    ratios: list[float] = []
    for _ in range(3):
        before = process_time()
        results = asyncio.run(work(count))
        seconds = process_time() - before
        before = process_time()
        asyncio.run(parse_and_wait(count))
        ratios.append(seconds / (process_time() - before))
    gc.unfreeze()
    tracemalloc.start()
    asyncio.run(work(1_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [result["n"] for result in results] == [*range(count)]
    # Measured: 11 to 21 times, or 70 to 135 microseconds, of which the server in memory takes a third.
    assert sys.gettrace() is not None or min(ratios) < RATIO
    assert peak * count / 1_000 < 64 << 20
