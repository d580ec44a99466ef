"""The client with an in-memory server, on asyncio and on trio."""

import asyncio
import json
from typing import Any

import anyio
import anyio.lowlevel
import pytest

import mcpi
from support.client import MemoryServer

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


async def events_until(events: mcpi.Subscription[Any], last: str) -> list[Any]:
    """The events up to the first one of this type."""
    found: list[Any] = []
    with anyio.fail_after(5):
        async for event in events:
            found.append(event)
            if event.type == last:
                break
    return found


async def until(condition: Any) -> None:
    """Wait until the condition holds."""
    with anyio.fail_after(60):
        while not condition():  # noqa: ASYNC110 - the condition is not an event
            await anyio.sleep(0.001)


async def test_typed_methods_return_records() -> None:
    async with MemoryServer().client() as client:
        tools = await client.list_tools()
        result = await client.call_tool("echo", {"n": 1})

        assert (tools[0].name, tools[0].input_schema["type"], tools[0].description) == ("echo", "object", None)
        assert (result.text, result.is_error) == ("done", False)


async def test_client_data_is_json_serializable() -> None:
    async with MemoryServer().client(fetch=True) as client:
        events = client.events()
        await client.call_tool("echo")
        client.cancel(99)
        values = [client.server, client.messages, client.history(), client.queue, client.tools]
        values += await events_until(events, "message")

        assert json.loads(json.dumps(values))[0]["serverInfo"] == {"name": "memory", "version": "1"}
        assert client.exact_messages()[0] is not None


async def test_change_events_follow_the_state_change() -> None:
    client = MemoryServer().client()
    events = client.events()
    states: list[tuple[str, str]] = []
    client.on(mcpi.StatusChange, lambda event: states.append((event.status, client.status)))
    await client.connect()
    await client.list_tools()
    await client.disconnect()
    found = await events_until(events, "tools")
    rest = await events_until(events, "instructions")
    await client.close()
    await anyio.sleep(0.01)

    types = list(dict.fromkeys(event.type for event in found))
    assert types == ["status", "message", "serverInfo", "capabilities", "instructions", "session", "queue", "tools"]
    assert found[-1].tools[0].name == "echo"
    assert [event.status for event in rest if event.type == "status"] == ["disconnecting"]
    assert [one for one, _ in states] == ["connecting", "connected", "disconnecting", "disconnected"]
    assert (client.tools, client.server) == (None, None)


async def test_listeners_survive_reconnecting_and_end_when_the_client_closes() -> None:
    client = MemoryServer().client()
    events = client.events(mcpi.StatusChange)
    for _ in range(2):
        await client.connect()
        await client.disconnect()
    await client.close()
    states = [event.status async for event in events]

    assert states == ["connecting", "connected", "disconnecting", "disconnected"] * 2


async def test_slow_listener_gets_the_number_of_dropped_events() -> None:
    server = MemoryServer()
    async with server.client() as client:
        events = client.events(mcpi.NotificationSeen, mcpi.EventsDropped)
        for number in range(10_005):
            server.push({"method": "x/y", "params": {"n": number}})
        await client.ping()
        dropped, first = await anext(events), await anext(events)

        assert isinstance(dropped, mcpi.EventsDropped)
        assert isinstance(first, mcpi.NotificationSeen)
        assert (dropped.count, first.params, events.dropped) == (5, {"n": 5}, 5)


async def test_only_one_task_may_wait_for_the_next_event() -> None:
    events = MemoryServer().client().events()

    async def wait() -> None:
        with anyio.move_on_after(0.1):
            await anext(events)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(RuntimeError, match="another task is already waiting"):
            await anext(events)
    # Afterwards, another task may wait.
    await wait()


async def test_a_callback_can_be_removed() -> None:
    async with MemoryServer().client() as client:
        seen: list[Any] = []
        remove = client.on(mcpi.QueueChange, seen.append)
        await client.ping()
        await until(lambda: seen)
        remove()
        remove()
        await anyio.sleep(0.01)
        count = len(seen)
        await client.ping()
        await anyio.sleep(0.01)

        assert len(seen) == count


async def test_queue_events_show_each_stage_of_a_request() -> None:
    async with MemoryServer().client() as client:
        seen: list[mcpi.QueueChange] = []
        client.on(mcpi.QueueChange, seen.append)
        await client.ping()
        await until(lambda: seen and seen[-1].queue.completed)

        stages = [(one.queue.pending, one.queue.in_progress, one.queue.completed) for one in seen]
        assert stages[:3] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def requesting_server(method: str = "elicitation/create", number: Any = "q") -> MemoryServer:
    """A server whose tool sends a request to the client."""
    ask = {"id": number, "method": method, "params": {"message": "?"}}
    return MemoryServer(tools_call=lambda _: ask)


def answer_to(server: MemoryServer, number: Any = "q") -> Any:
    """The client's response to the server's request."""
    return next((one for one in server.sent if one.get("id") == number and "method" not in one), None)


async def test_handler_answers_a_server_request() -> None:
    server = requesting_server()

    async def decline(params: Any) -> Any:
        await anyio.lowlevel.checkpoint()
        return {"action": "decline", "message": params["message"]}

    async with server.client() as client:
        with pytest.raises(mcpi.McpiError, match="was not declared when connecting"):
            client.set_elicitation_handler(decline)
    client.set_elicitation_handler(decline)
    async with client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "echo")
        await until(lambda: answer_to(server))
        server.push({"id": server.sent[-2]["id"], "result": {"content": []}})

    assert answer_to(server)["result"] == {"action": "decline", "message": "?"}


@pytest.mark.parametrize("accept", [True, False])
async def test_a_pending_request_is_resolved_or_rejected(accept: bool) -> None:  # noqa: FBT001 - a case
    server = requesting_server()
    async with server.client(handlers={"elicitation/create": mcpi.leave_pending}) as client:
        changes = client.events(mcpi.PendingChange)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "echo")
            change = await anext(changes)
            (entry,) = change.pending
            if accept:
                client.resolve(entry.id, {"action": "accept"})
            else:
                client.reject(entry.id, "no")
            await until(lambda: answer_to(server))
            with pytest.raises(mcpi.McpiError, match="no pending request"):
                client.resolve(entry.id, {})
            server.push({"id": 2, "result": {"content": []}})

        assert (entry.kind, entry.params, client.pending) == ("elicitation", {"message": "?"}, [])
    found = answer_to(server)
    assert found.get("result", found.get("error")) == (
        {"action": "accept"} if accept else {"code": -1, "message": "no"}
    )


@pytest.mark.parametrize("how", ["answers", "cancels", "dies"])
async def test_hanging_handler_does_not_block_reading(how: str) -> None:
    server, cancelled = requesting_server(), anyio.Event()

    async def wait_for_answer(_: Any) -> Any:
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()

    async with server.client(handlers={"elicitation/create": wait_for_answer}, reconnect=False) as client:
        outcome: list[Any] = []

        async def call() -> None:
            try:
                outcome.append((await client.call_tool("echo")).content)
            except mcpi.McpiError as error:
                outcome.append(error.code)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await until(lambda: client.pending)
            if how == "cancels":
                server.push({"method": "notifications/cancelled", "params": {"requestId": "q"}})
                with anyio.fail_after(5):
                    await cancelled.wait()
                assert client.pending == []
            if how == "dies":
                server.world.transports[-1].disconnect()
            else:
                server.push({"id": 2, "result": {"content": [1]}})
    with anyio.fail_after(5):
        await cancelled.wait()

    assert outcome == (["CONNECTION_LOST"] if how == "dies" else [[1]])
    assert answer_to(server) is None


async def test_handler_may_send_requests_to_the_server() -> None:
    server = requesting_server()

    async def ask(_: Any) -> Any:
        return {"tools": len(await client.list_tools())}

    client = server.client(handlers={"elicitation/create": ask})
    async with client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "echo")
        await until(lambda: answer_to(server))
        server.push({"id": 2, "result": {"content": []}})

    assert answer_to(server)["result"] == {"tools": 1}


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "the handler for elicitation/create returned None"),
        ({1, 2}, "TypeError"),
        (KeyError("x"), "KeyError: 'x'"),
    ],
)
async def test_failing_handler_returns_an_error_to_the_server(returned: Any, message: str) -> None:
    server = requesting_server()

    def answer(_: Any) -> Any:
        if isinstance(returned, Exception):
            raise returned
        return returned

    async with server.client(handlers={"elicitation/create": answer}) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "echo")
        await until(lambda: answer_to(server))
        server.push({"id": 2, "result": {"content": []}})

    assert message in answer_to(server)["error"]["message"]


async def test_roots_are_announced_when_they_change() -> None:
    server = MemoryServer()
    async with server.client(roots=[{"uri": "file:///a"}]) as client:
        await client.set_roots([{"uri": "file:///b"}])
        server.push({"id": "r", "method": "roots/list"})
        await until(lambda: answer_to(server, "r"))

    assert answer_to(server, "r")["result"] == {"roots": [{"uri": "file:///b"}]}
    assert server.methods.count("notifications/roots/list_changed") == 2


async def test_call_options_apply_to_one_call() -> None:
    def slow(params: Any) -> Any:
        token = params["_meta"]["progressToken"]
        progress = {"progressToken": token, "progress": 1, "total": 2, "message": "half"}
        return [{"method": "notifications/progress", "params": progress}, {"result": {"content": []}}]

    server, seen = MemoryServer(tools_call=slow), list[Any]()
    async with server.client(metadata={"a": 1}) as client:
        await client.call_tool("echo", metadata={"b": 2}, on_progress=seen.append, timeout=5, headers={"x": "y"})
        await client.ping()
        await until(lambda: seen)

    call, ping = (message for message in server.sent if message["method"] in ("tools/call", "ping"))
    assert [call["params"]["_meta"][name] for name in ("a", "b")] == [1, 2]
    assert ping["params"] == {"_meta": {"a": 1}}
    assert [(one.request, one.progress, one.total, one.message) for one in seen] == [(1, 1, 2, "half")]


async def test_call_timeout_applies_to_one_call() -> None:
    async with MemoryServer(tools_call=lambda _: None).client() as client:
        with pytest.raises(mcpi.McpiError) as raised:
            await client.call_tool("echo", timeout=0.05)
        entry = client.history(1)[0]

    error = raised.value
    assert (error.code, error.retryable, error.details["method"], error.details["serverName"]) == (
        "REQUEST_TIMEOUT",
        True,
        "tools/call",
        "memory",
    )
    assert error.help_url.endswith("docs/errors.md#request-timeout")
    assert (entry.status, entry.error and entry.error.code, entry.wire_params["name"]) == (
        "error",
        "REQUEST_TIMEOUT",
        "echo",
    )


async def test_a_notification_has_no_id() -> None:
    server = MemoryServer()
    async with server.client() as client:
        await client.notify("notifications/x", {"n": 1})
        with pytest.raises(mcpi.McpiError, match="send it with notify"):
            await client.request("notifications/x")

    assert server.sent[-1] == {"jsonrpc": "2.0", "method": "notifications/x", "params": {"n": 1}}


async def test_a_running_request_is_visible_and_can_be_cancelled() -> None:
    server = MemoryServer(tools_call=lambda _: None)
    async with server.client() as client:
        codes: list[str] = []

        async def call() -> None:
            with pytest.raises(mcpi.McpiError) as raised:
                await client.call_tool("echo")
            codes.append(raised.value.code)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await until(lambda: client.queue.running)
            tasks.start_soon(call)
            await until(lambda: client.queue.waiting)
            running, waiting = client.requests
            assert [client.cancel(waiting.id), client.cancel(running.id)] == [True, True]
        assert (codes, client.cancel(running.id)) == (["INTERRUPTED"] * 2, False)
        assert [entry.status for entry in client.history()] == ["cancelled", "cancelled"]

    assert server.methods[-1] == "notifications/cancelled"


async def test_invalid_arguments_fail_before_the_request() -> None:
    server = MemoryServer()
    async with server.client() as client:
        before = len(server.sent)
        for arguments, problem in (
            ({"tool_nam": "x"}, r"tools/call has no key 'tool_nam' \(did you mean tool_name\?\)"),
            ({"tool_name": 5}, "tool_name: expected a string"),
            ({"tool_name": "x", "tool_args": {1, 2}}, "the arguments are not JSON: Object of type set"),
        ):
            with pytest.raises(mcpi.McpiError, match=problem) as raised:
                await client.call("tools/call", **arguments)
            assert (raised.value.code, raised.value.category) == ("INVALID_ARGUMENT", "validation")
        with pytest.raises(mcpi.McpiError, match="unknown method 'tools/lst'") as raised:
            await client.call("tools/lst")
        assert raised.value.hints[0] == "did you mean tools/list?"
        with pytest.raises(TypeError, match="either prompt or resource"):
            await client.complete("a")

        assert len(server.sent) == before


async def test_keyword_arguments_for_a_tool_or_a_prompt_are_corrected_to_a_dict() -> None:
    async with MemoryServer().client() as typed:
        client: Any = typed
        for wrong, hint in (
            (client.call_tool("order", order_id=1), "call_tool('order', {'order_id': 1})"),
            (client.call_tool("order", {"a": True}, b=None), "call_tool('order', {'a': True, 'b': None})"),
            (client.call_tool("order", text="x" * 100), "call_tool('order', {'text': ...})"),
            (client.get_prompt("greet", who="Ada"), "get_prompt('greet', {'who': 'Ada'})"),
            (client.call("tools/call", tool_name="order", order_id=1), "call_tool('order', {'order_id': 1})"),
        ):
            with pytest.raises(mcpi.McpiError, match="has no key") as raised:
                await wrong
            assert raised.value.hints == (f"to pass arguments, use a dict: {hint}",)
        for no_arguments in ({"tool_name": 5}, {"tool_nam": "x"}):
            with pytest.raises(mcpi.McpiError) as raised:
                await client.call("tools/call", **no_arguments)
            assert raised.value.hints == ()


@pytest.mark.parametrize(
    ("work", "problem"),
    [
        (lambda client: client.call_tool("echo", [1]), "arguments: expected a dict with string keys or None, got [1]"),
        (lambda client: client.get_prompt("a", "b"), "arguments: expected a dict with string keys or None, got 'b'"),
        (lambda client: client.request(5), "method: expected a string, got 5"),
        (
            lambda client: client.request("a", [1]),
            "an instance of Exact or None, got [1]",
        ),
        (lambda client: client.request("a", timout=5), "request() got an unexpected keyword argument 'timout'"),
        (
            lambda client: client.notify("a", 5),
            "an instance of Exact or None, got 5",
        ),
        (lambda client: client.ping(timeout="abc"), "timeout: expected a number from 0 or None, got 'abc'"),
        (lambda client: client.ping(timeout=-1), "timeout: expected a number from 0 or None, got -1"),
        (lambda client: client.ping(headers={"a": 5}), "headers: expected a dict of strings or None, got {'a': 5}"),
        (lambda client: client.ping(metadata=5), "metadata: expected a dict with string keys or None, got 5"),
        (lambda client: client.ping(on_progress=5), "on_progress: expected a function or None, got 5"),
        (lambda client: client.call_tool("echo", {"a": {5: 1}}), "the name of a member: expected a string, got 5"),
        (lambda client: client.ping(metadata={"a": {1}}), "metadata: the arguments are not JSON: Object of type set"),
        (lambda client: client.get_prompt("a", {"a": {1}}), "prompts/get: the arguments are not JSON"),
        (lambda client: client.play([]), "script: expected a string, got []"),
        (lambda client: client.watch("x"), "seconds: expected a number from 0, got 'x'"),
        (lambda client: client.set_roots("x"), "roots: expected a sequence of dicts, got 'x'"),
    ],
)
async def test_wrong_types_are_named_before_anything_is_sent(work: Any, problem: str) -> None:
    server = MemoryServer()
    async with server.client() as client:
        before = len(server.sent)
        with pytest.raises((TypeError, ValueError, mcpi.McpiError)) as raised:
            await work(client)
        assert problem in str(raised.value)
        assert len(server.sent) == before


UNTYPED: Any = mcpi


@pytest.mark.parametrize(
    ("work", "problem"),
    [
        (lambda client: client.on("log", print), "expected the class of an event, such as mcpi.LogSeen, got 'log'"),
        (lambda client: client.events(mcpi.Tool), "expected the class of an event, such as mcpi.LogSeen, got <class"),
        (lambda client: client.on(mcpi.LogSeen, 5), "function: expected a function, got 5"),
        (lambda client: client.set_headers(5), "headers: expected a dict of strings, got 5"),
        (lambda client: client.set_sampling_handler(5), "handler: expected a function or None, got 5"),
        (lambda client: client.resolve(5, {}), "id: expected a string, got 5"),
        (lambda client: client.history(-1), "limit: expected an integer from 0 or None, got -1"),
        (lambda _: UNTYPED.Inspector(5), "target: expected a string, a sequence of strings or a dict with string keys"),
        (lambda _: UNTYPED.Inspector("x", options={}), "options: expected an instance of InspectorOptions, got {}"),
        (lambda _: UNTYPED.Inspector("x", handlers=[1]), "handlers: expected a dict with string keys, got [1]"),
        (lambda _: UNTYPED.InspectorOptions(timeout="abc"), "InspectorOptions: timeout: expected a number from 0"),
        (lambda _: UNTYPED.InspectorOptions(max_concurrent=0), "max_concurrent: expected an integer from 1, got 0"),
        (lambda _: UNTYPED.HandlerOptions(request_timeout="5"), "HandlerOptions: request_timeout: expected a number"),
        (lambda _: UNTYPED.OAuth(show_url="x"), "OAuth: show_url: expected a function or None, got 'x'"),
    ],
)
def test_wrong_types_are_named_at_once(work: Any, problem: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        work(MemoryServer().client())
    assert problem in str(raised.value)


async def test_requests_run_concurrently_if_allowed() -> None:
    server = MemoryServer(tools_call=lambda _: None)
    async with server.client(max_concurrent=3) as client, anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(client.call_tool, "echo")
        await until(lambda: server.methods.count("tools/call") == 3)
        assert (client.queue.in_progress, client.queue.pending) == (3, 1)
        for number in (4, 2, 3):
            server.push({"id": number, "result": {"content": []}})
        await until(lambda: server.methods.count("tools/call") == 4)
        server.push({"id": 5, "result": {"content": []}})


@pytest.mark.parametrize("again", [True, False])
async def test_changed_lists_and_resources_are_refetched_unless_disabled(again: bool) -> None:  # noqa: FBT001 - a case
    server = MemoryServer()
    async with server.client(fetch=True, refetch_lists=again, reread_resources=again) as client:
        await client.subscribe("a:b")
        before, events = len(server.methods), client.events(mcpi.ToolsChange, mcpi.ResourceUpdate)
        server.push({"method": "notifications/tools/list_changed"})
        server.push({"method": "notifications/resources/updated", "params": {"uri": "a:b"}})
        if again:
            await until(lambda: len(server.methods) == before + 2)
            assert [type(await anext(events)) for _ in range(2)] == [mcpi.ToolsChange, mcpi.ResourceUpdate]
        else:
            assert await anext(events) == mcpi.ResourceUpdate(uri="a:b")
        found = server.methods[before:]

    assert found == (["tools/list", "resources/read"] if again else [])


async def test_failed_connection_is_reported_with_an_error_state() -> None:
    client = MemoryServer(initialize=lambda _: {"error": {"code": -32603, "message": "no"}}).client()
    events = client.events(mcpi.StatusChange, mcpi.ErrorSeen)
    with pytest.raises(mcpi.McpiError, match="rejected initialize") as raised:
        await client.connect()
    await client.close()
    found = [event async for event in events]

    assert [getattr(event, "status", None) for event in found] == ["connecting", "error", "disconnected", None]
    assert isinstance(found[1], mcpi.StatusChange)
    assert found[1].error is not None
    assert found[1].error.code == raised.value.code == "HANDSHAKE_FAILED"


async def test_client_info_is_sent_in_initialize() -> None:
    server = MemoryServer()
    info = mcpi.Implementation(name="tui", version="3")
    async with server.client(client_info=info):
        pass

    assert server.sent[0]["params"]["clientInfo"] == {"name": "tui", "version": "3"}


class ModernServer(MemoryServer):
    """A modern server whose tool requires input."""

    def __call__(self, method: str, params: Any) -> Any:
        """The messages that answer a message."""
        capabilities = {"tools": {"listChanged": True}}
        if method == "server/discover":
            return {
                "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities}
            }
        if method == "tools/call" and "inputResponses" not in params:
            ask = {"method": "elicitation/create", "params": {"message": "?"}}
            return {"result": {"resultType": "input_required", "inputRequests": {"a": ask}}}
        found = super().__call__(method, params)
        if isinstance(found, dict) and "result" in found:
            found["result"] = {"resultType": "complete", **found["result"]}  # type: ignore[dict-item]
        return found


@pytest.mark.parametrize("how", ["resolves", "dies", "cancels", "rejects"])
async def test_input_request_of_a_modern_server_may_be_pending(how: str) -> None:
    server, outcome = ModernServer(), list[Any]()

    async def call() -> None:
        try:
            outcome.append((await client.call_tool("echo")).text)
        except mcpi.McpiError as error:
            outcome.append(error.code)

    client = server.client(era="modern", handlers={"elicitation/create": mcpi.leave_pending}, reconnect=False)
    async with client, anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        await until(lambda: client.pending)
        match how:
            case "resolves":
                client.resolve("1", {"action": "accept"})
            case "rejects":
                client.reject("1")
            case "cancels":
                client.cancel(1)
            case _:
                server.world.transports[-1].disconnect()
        await until(lambda: outcome)
        assert client.pending == []

    codes = {"resolves": "done", "dies": "CONNECTION_LOST", "cancels": "INTERRUPTED", "rejects": "INPUT_REJECTED"}
    assert outcome == [codes[how]]


async def test_handler_for_a_modern_server_can_be_set_while_connected() -> None:
    server = ModernServer()
    async with server.client(era="modern") as client:
        client.set_elicitation_handler(lambda _: {"action": "decline"})
        result = await client.call_tool("echo")
        client.set_elicitation_handler(None)
        with pytest.raises(mcpi.McpiError, match="rejected"):
            await client.call_tool("echo")

    meta = server.sent[-1]["params"]["_meta"]
    assert (result.text, meta["io.modelcontextprotocol/clientCapabilities"]) == ("done", {})


async def test_change_notifications_are_requested_from_a_modern_server() -> None:
    acknowledged = {"method": "notifications/subscriptions/acknowledged", "params": {}}
    server = ModernServer(subscriptions_listen=lambda _: acknowledged)
    async with server.client(era="modern", fetch=True):
        pass

    assert server.methods[1] == "subscriptions/listen"


async def test_pending_request_is_rejected_after_a_timeout() -> None:
    server = requesting_server()
    options = mcpi.HandlerOptions(request_timeout=0.05, timeout_message="too late")
    handlers = {"elicitation/create": mcpi.leave_pending}
    # The timeout of the call is shorter: the time for an answer does not count towards it.
    client = server.client(handlers=handlers, limits=options, timeout=0.03)
    async with client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "echo")
        await until(lambda: answer_to(server))
        server.push({"id": 2, "result": {"content": []}})

    assert answer_to(server)["error"]["message"] == "too late"


async def test_pending_request_is_kept_if_auto_reject_is_disabled() -> None:
    options = mcpi.HandlerOptions(request_timeout=0.01, auto_reject_on_timeout=False)
    server = requesting_server()
    client = server.client(handlers={"elicitation/create": mcpi.leave_pending}, limits=options)
    async with client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "echo")
        await until(lambda: client.pending)
        await anyio.sleep(0.05)
        assert len(client.pending) == 1
        server.push({"id": 2, "result": {"content": []}})


async def test_slow_listener_of_one_type_raises_a_warning() -> None:
    server = MemoryServer()
    async with server.client() as client:
        events = client.events(mcpi.NotificationSeen)
        for number in range(10_001):
            server.push({"method": "x/y", "params": {"n": number}})
        await client.ping()
        with pytest.warns(RuntimeWarning, match="1 events were dropped"):
            await anext(events)


async def test_callback_exception_is_only_logged(caplog: pytest.LogCaptureFixture, anyio_backend_name: str) -> None:
    raised: list[Any] = []
    if anyio_backend_name == "asyncio":
        asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context["exception"]))

    def raise_error(_: mcpi.QueueChange) -> None:
        raise ZeroDivisionError

    async with MemoryServer().client() as client:
        client.on(mcpi.QueueChange, raise_error)
        await client.ping()
        await until(lambda: raised or caplog.records)
        await client.ping()

    assert "ZeroDivisionError" in caplog.text + repr(raised)


async def test_a_handler_may_disconnect() -> None:
    server, ended = requesting_server(), list[str]()

    async def exit_program(_: Any) -> Any:
        await client.disconnect()
        ended.append(client.status)
        return {"action": "decline"}

    client = server.client(handlers={"elicitation/create": exit_program})
    async with client:
        with pytest.raises(mcpi.McpiError) as raised:
            await client.call_tool("echo")
        await until(lambda: ended)

    assert (raised.value.code, ended) == ("INTERRUPTED", ["disconnected"])


async def test_server_state_is_cleared_after_the_last_attempt() -> None:
    server = MemoryServer()
    async with server.client(fetch=True, reconnect=False) as client:
        changes = client.events(mcpi.ServerInfoChange)
        server.world.transports[-1].disconnect()
        assert await anext(changes) == mcpi.ServerInfoChange(server_info=None)
        assert (client.status, client.server, client.tools) == ("error", None, None)
        with pytest.raises(mcpi.McpiError, match="gone"):
            await client.ping()
