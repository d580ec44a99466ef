"""Connections of an agent are limited in number and never leaked."""

import asyncio
from typing import Any

import pytest

from mcpi.shell.client.errors import McpiError
from mcpi.shell.serve.connections import MAX_CONNECTIONS, FailedCall
from support.gateway import Gateway


def test_more_connections_than_the_limit_are_refused_until_one_is_closed() -> None:
    async def work() -> None:
        gateway = Gateway()
        for _ in range(MAX_CONNECTIONS):
            await gateway.connect()
        with pytest.raises(McpiError, match="the maximum of 32 open connections is reached"):
            await gateway.connect()
        await gateway.call("disconnect", connection="connection-1")
        assert (await gateway.connect())["result"]["connection"] == "connection-33"
        await gateway.tools.connections.close_all()

    asyncio.run(work())


def test_connections_being_opened_count_towards_the_limit() -> None:
    async def work() -> None:
        gateway = Gateway()
        opening = [asyncio.create_task(gateway.connect()) for _ in range(MAX_CONNECTIONS + 1)]
        results = await asyncio.gather(*opening, return_exceptions=True)
        assert [isinstance(one, McpiError) for one in results] == [False] * MAX_CONNECTIONS + [True]
        await gateway.tools.connections.close_all()

    asyncio.run(work())


@pytest.mark.parametrize("turns", [None, *range(12)])
def test_cancelled_connect_leaves_no_connection_at_any_stage(turns: int | None) -> None:
    async def work() -> None:
        gateway = Gateway(answers=turns is not None)
        connecting = asyncio.create_task(gateway.connect())
        await gateway.initialized.wait()
        for _ in range(turns or 0):
            await asyncio.sleep(0)
        connecting.cancel()
        await asyncio.wait([connecting])
        if connecting.cancelled():
            assert gateway.tools.connections.inspectors == {}
            assert [transport.closed for transport in gateway.transports] == [True]
        else:
            # The response was sent first: the agent knows the connection.
            assert [*gateway.tools.connections.inspectors] == [connecting.result()["result"]["connection"]]
        await gateway.tools.connections.close_all()

    asyncio.run(work())


def log(text: str) -> Any:
    return {"method": "notifications/message", "params": {"level": "info", "data": text}}


def test_result_has_the_logs_of_the_call() -> None:
    async def work() -> Any:
        gateway = Gateway(tools_call=lambda _: [log("during"), {"result": {"content": []}}])
        await gateway.connect()
        first = await gateway.call("tools_call", toolName="echo", toolArgs={})
        return first, await gateway.call("call_method", method="ping")

    called, quiet = asyncio.run(work())
    assert (called["result"], [one["message"] for one in called["logs"]]) == ({"content": []}, ["during"])
    assert quiet == {"result": {}}


def question(number: int) -> Any:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "default": 7}}}
    params = {"message": "?", "requestedSchema": schema}
    return {"id": number, "method": "elicitation/create", "params": params}


@pytest.mark.parametrize(
    ("connecting", "calling", "answers"),
    [
        ({}, {}, ["decline", "decline"]),
        ({"handleElicitation": ["cancel"]}, {}, ["cancel", "cancel"]),
        ({"handleElicitation": ["cancel"]}, {"handleElicitation": ["auto", {"n": 8}]}, [{"n": 7}, {"n": 8}]),
    ],
)
def test_elicitation_is_declined_or_answered_from_the_arguments(
    connecting: Any, calling: Any, answers: list[Any]
) -> None:
    async def work() -> Any:
        gateway = Gateway(tools_call=lambda _: [question(1), question(2), {"result": {"content": []}}])
        await gateway.connect(**connecting)
        for _ in range(2):
            # Each call starts with the first answer.
            found = await gateway.call("tools_call", toolName="echo", toolArgs={}, **calling)
        capabilities = gateway.server.sent[0]["params"]["capabilities"]
        return capabilities, [one["response"] for one in found["serverRequests"]]

    capabilities, responses = asyncio.run(work())
    assert {"sampling", "elicitation"} <= capabilities.keys()
    assert [one.get("content") or one["action"] for one in responses] == answers


def test_parallel_calls_have_their_own_answers_and_logs() -> None:
    async def work() -> Any:
        gateway = Gateway(tools_call=lambda params: [question(1), log(params["name"]), {"result": {"content": []}}])
        await gateway.connect()
        calls = [
            gateway.call("tools_call", toolName="first", toolArgs={}, handleElicitation=[{"n": 1}]),
            gateway.call("tools_call", toolName="second", toolArgs={}, handleElicitation=[{"n": 2}]),
            gateway.call("tools_call", toolName="third", toolArgs={}),
            gateway.call("watch", seconds=0.01),
        ]
        *called, _ = await asyncio.gather(*calls)
        return called

    called = asyncio.run(work())
    assert [one["serverRequests"][0]["response"] for one in called] == [
        {"action": "accept", "content": {"n": 1}},
        {"action": "accept", "content": {"n": 2}},
        {"action": "decline"},
    ]
    assert [[entry["message"] for entry in one["logs"]] for one in called] == [["first"], ["second"], ["third"]]


def test_answers_of_a_call_do_not_apply_after_it() -> None:
    async def work() -> Any:
        gateway = Gateway(tools_call=lambda _: {"result": {"content": []}})
        await gateway.connect()
        await gateway.call("tools_call", toolName="echo", toolArgs={}, handleElicitation=["auto"])
        watching = asyncio.create_task(gateway.call("watch", seconds=0.05))
        await asyncio.sleep(0)
        gateway.server.push(question(1))
        return (await watching)["serverRequests"]

    assert [one["response"] for one in asyncio.run(work())] == [{"action": "decline"}]


def test_waiting_call_fails_if_its_connection_is_closed() -> None:
    async def work() -> Any:
        gateway = Gateway(tools_call=lambda _: None)
        await gateway.connect()
        calls = [asyncio.create_task(gateway.call("tools_call", toolName="echo", toolArgs={})) for _ in range(2)]
        await asyncio.sleep(0)
        await gateway.call("disconnect")
        return await asyncio.gather(*calls, return_exceptions=True)

    running, waiting = asyncio.run(work())
    assert (running.error.code, waiting.code) == ("INTERRUPTED", "INVALID_ARGUMENT")


def test_roots_are_declared_if_given() -> None:
    async def work() -> Any:
        gateway = Gateway()
        await gateway.connect(roots=["file:///a=A"])
        await gateway.connect()
        return [one["params"]["capabilities"] for one in gateway.server.sent if one.get("method") == "initialize"]

    given, plain = asyncio.run(work())
    assert (given["roots"], "roots" in plain) == ({"listChanged": True}, False)


def test_error_has_the_logs_of_the_call() -> None:
    async def work() -> FailedCall:
        error = {"error": {"code": -32000, "message": "no"}}
        gateway = Gateway(tools_call=lambda _: [log("before"), error])
        await gateway.connect()
        with pytest.raises(FailedCall, match="no") as failed:
            await gateway.call("tools_call", toolName="echo", toolArgs={})
        return failed.value

    failed = asyncio.run(work())
    assert (failed.error.code, failed.document["logs"][0]["message"]) == ("JSON_RPC_ERROR", "before")  # type: ignore[index, call-overload]
