"""The Inspector class, used from a Python program."""

import asyncio
import signal
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

import mcpi
import warm
from mcpi.shell.connection.json_schema import schema_problems

OLD = mcpi.InspectorOptions(era="handshake")


def run(work: Any) -> Any:
    """Run the coroutine with a one-minute timeout."""
    return asyncio.run(asyncio.wait_for(work, 60))


def stub(_: Any) -> Any:
    """A fixed sampling response."""
    return {"model": "m", "role": "assistant", "content": {"type": "text", "text": "well"}}


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_methods_are_called_by_name(era: Any) -> None:
    async def work() -> Any:
        async with mcpi.Inspector(warm.demo(), options=mcpi.InspectorOptions(era=era)) as server:
            return server.status, await server.call("tools/call", tool_name="echo", tool_args={"text": "hi"})

    status, result = run(work())
    assert (status, result["content"]) == ("connected", [{"text": "hi", "type": "text"}])


def test_handler_function_answers_a_server_request() -> None:
    async def model(params: Any) -> Any:
        question = params["messages"][0]["content"]["text"]
        return {"model": "m", "role": "assistant", "content": {"type": "text", "text": f"you said {question}"}}

    async def work() -> Any:
        handlers: Any = {"sampling/createMessage": model, "elicitation/create": lambda _: {"action": "cancel"}}
        async with mcpi.Inspector(warm.demo(), handlers=handlers, options=OLD) as server:
            first = await server.call("tools/call", tool_name="ask-model", tool_args={"prompt": "yes"})
            return first, await server.call("tools/call", tool_name="ask-user")

    question, user = run(work())
    assert question["content"][0]["text"] == "you said yes"
    assert '"cancel"' in user["content"][0]["text"]


def test_handler_exception_rejects_the_request() -> None:
    async def work() -> Any:
        handlers: Any = {"sampling/createMessage": lambda params: params["nothing"]}
        async with mcpi.Inspector(warm.demo(), handlers=handlers, options=OLD) as server:
            return await server.call("tools/call", tool_name="ask-model")

    assert "KeyError" in run(work())["content"][0]["text"]


async def _cancels(_: Any) -> Any:
    inner = asyncio.ensure_future(asyncio.sleep(60))
    inner.cancel()
    return await inner


def test_cancelled_error_in_a_handler_rejects_only_its_request() -> None:
    async def work() -> Any:
        async with mcpi.Inspector(warm.demo(), handlers={"sampling/createMessage": _cancels}, options=OLD) as server:
            question = await server.call("tools/call", tool_name="ask-model")
            return question["content"][0]["text"], len((await server.call("tools/list"))["tools"])

    text, tools = run(work())
    assert ("CancelledError" in text, tools) == (True, 8)


def test_handler_can_call_the_waiting_server() -> None:
    async def work() -> Any:
        async def ask(_: Any) -> Any:
            tools = await server.list_tools()
            return {**stub(_), "model": f"{len(tools)} tools"}

        async with mcpi.Inspector(warm.demo(), handlers={"sampling/createMessage": ask}, options=OLD) as server:
            await server.call("tools/call", tool_name="ask-model")
            return next(
                entry.message for entry in server.messages if entry.direction == "sent" and entry.kind == "response"
            )

    assert run(work())["result"]["model"] == "8 tools"


ASKS_AT_ONCE = """
import json, sys
for line in sys.stdin:
    if json.loads(line).get("method") == "initialize":
        params = {"messages": [], "maxTokens": 1}
        ask = {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": params}
        print(json.dumps(ask), flush=True)
"""


def test_handler_can_disconnect() -> None:
    async def work() -> Any:
        async def leave(_: Any) -> Any:
            await server.disconnect()
            return stub(_)

        handlers: Any = {"sampling/createMessage": leave}
        server = mcpi.Inspector([sys.executable, "-c", ASKS_AT_ONCE], handlers=handlers, options=OLD)
        with pytest.raises(mcpi.McpiError):
            await asyncio.wait_for(server.connect(), 20)
        return server.status

    assert run(work()) == "disconnected"


def test_errors_are_exceptions_with_code_and_message() -> None:
    async def work() -> None:
        async with mcpi.Inspector(warm.demo(), options=OLD) as server:
            with pytest.raises(mcpi.McpiError, match="Resource not found") as raised:
                await server.call("resources/read", uri="demo://nothing")
            assert (raised.value.code, raised.value.category, raised.value.retryable) == (
                "JSON_RPC_ERROR",
                "application",
                False,
            )
            assert raised.value.rpc["code"] == -32002  # type: ignore[index, call-overload]
            with pytest.raises(mcpi.McpiError, match="did you mean tool_name"):
                await server.call("tools/call", tool_nam="x")
            with pytest.raises(mcpi.McpiError, match="unknown method"):
                await server.call("tools/lst")

    run(work())


def test_missing_command_raises_command_not_found() -> None:
    with pytest.raises(mcpi.McpiError, match="command not found: 'no-such-server'") as raised:
        run(mcpi.Inspector("no-such-server").connect())
    assert raised.value.code == "COMMAND_NOT_FOUND"


def test_server_requests_and_logs_are_events() -> None:
    async def work() -> Any:
        async with mcpi.Inspector(warm.demo(), handlers={"sampling/createMessage": stub}, options=OLD) as server:
            events = server.events(mcpi.ServerRequestSeen, mcpi.LogSeen)
            await server.call("tools/call", tool_name="ask-model")
            await server.call("tools/call", tool_name="log")
            return [(await anext(events))["type"] for _ in range(2)]

    assert run(work()) == ["serverRequest", "log"]


def test_message_and_call_history_are_bounded() -> None:
    async def work() -> Any:
        options = mcpi.InspectorOptions(era="handshake", max_messages=5)
        async with mcpi.Inspector(warm.demo(), options=options) as server:
            for _ in range(5):
                await server.request("ping")
            return server.messages, server.history(2)

    messages, history = run(work())
    assert [entry.direction for entry in messages] == ["received", "sent", "received", "sent", "received"]
    assert [(entry.method, entry.status) for entry in history] == [("ping", "completed"), ("ping", "completed")]


def test_ten_thousand_requests_keep_their_order() -> None:
    async def work() -> Any:
        options = mcpi.InspectorOptions(era="handshake", timeout=120)
        async with mcpi.Inspector((sys.executable, str(ECHO)), options=options) as server:
            calls = [asyncio.create_task(server.request("n", {"n": number})) for number in range(10_000)]
            await asyncio.sleep(0)
            cancelled = [server.cancel(number) for number in server.queue.waiting[-5000:-4900]]
            results = await asyncio.gather(*calls, return_exceptions=True)
            return cancelled, results, server.queue

    cancelled, results, queue = run(work())
    assert all(cancelled)
    kept = [result["n"] for result in results if isinstance(result, dict)]
    assert kept == [*range(5000), *range(5100, 10_000)]
    assert (queue.pending, queue.completed, queue.cancelled) == (0, 9_900, 100)


ECHO = Path(__file__).parents[2] / "fixtures" / "servers" / "counting.py"


def test_lost_connection_is_reopened() -> None:
    async def work() -> Any:
        options = mcpi.InspectorOptions(era="handshake", reconnect=True)
        async with mcpi.Inspector((sys.executable, str(ECHO)), options=options) as server:
            states = server.events(mcpi.StatusChange)
            with pytest.raises(mcpi.McpiError) as lost:
                await server.request("die")
            seen = [(await anext(states)).status for _ in range(3)]
            return lost.value.code, seen, await server.request("n", {"n": 1})

    code, seen, again = run(work())
    assert (code, seen, again) == ("SERVER_EXITED", ["error", "connecting", "connected"], {"n": 1})


def test_pending_requests_fail_when_the_connection_is_lost() -> None:
    async def work() -> Any:
        options = mcpi.InspectorOptions(era="handshake", reconnect=False)
        async with mcpi.Inspector((sys.executable, str(ECHO)), options=options) as server:
            calls = [asyncio.create_task(server.request("die" if number == 1 else "n")) for number in range(5)]
            return await asyncio.gather(*calls, return_exceptions=True)

    results = run(work())
    assert results[0] == {"n": None}
    assert [result.code for result in results[1:]] == ["SERVER_EXITED"] * 4


def test_large_value_is_abbreviated_in_each_schema_problem() -> None:
    lines = [
        problem
        for _, problem in schema_problems(["x" * 1000] * 3, {"items": {"maxLength": 1, "type": "number"}}, monotonic)
    ]

    assert len(lines) == 6
    assert max(map(len, lines)) < 100
    assert {problem.rpartition("… ")[2] for problem in lines} == {"is too long", "is not of type 'number'"}


def test_interval_timer_of_the_program_is_preserved() -> None:
    signal.setitimer(signal.ITIMER_REAL, 50)
    try:
        assert schema_problems(1, {"type": "integer"}, monotonic) == ()
        assert 40 < signal.getitimer(signal.ITIMER_REAL)[0] <= 50
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_lists_are_fetched_and_cached() -> None:
    async def work() -> Any:
        options = mcpi.InspectorOptions(era="handshake", fetch=True)
        async with mcpi.Inspector(warm.demo(), options=options) as server:
            lists = (server.tools, server.resources, server.resource_templates, server.prompts)
            return [len(one or []) for one in lists]

    assert run(work()) == [8, 3, 1, 2]


def test_script_can_be_played_and_events_watched() -> None:
    async def work() -> Any:
        async with mcpi.Inspector(warm.demo(), options=OLD) as server:
            envelopes = await server.play(
                '[{"method":"tools/call","toolName":"echo","toolArgs":{"text":"${t}"}}]', {"t": "x"}
            )
            return envelopes, await server.watch(0.05)

    (envelope,), seen = run(work())
    assert envelope["result"]["content"][0]["text"] == "x"
    assert seen == {"logs": [], "notifications": [], "serverRequests": [], "violations": []}


def test_unread_event_queue_is_bounded() -> None:
    faulty = str(Path(__file__).parents[2] / "fixtures" / "servers" / "faulty.py")

    async def work() -> Any:
        async with mcpi.Inspector((sys.executable, "-S", faulty, "large_notifications")) as server:
            events = server.events()
            await server.call("tools/call", tool_name="echo")
            return events.dropped, len(server.messages)

    dropped, kept = run(work())
    assert dropped > 30
    assert kept < 30
