"""Every typed method sends its request."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import mcpi
from support.client import INITIALIZED, TOOL, MemoryServer

EVERYTHING = {name: {} for name in ("tools", "prompts", "logging", "completions")} | {
    "resources": {"subscribe": True},
    "tasks": {"list": {}, "cancel": {}, "requests": {}},
}
RESULTS: dict[str, Any] = {
    "initialize": {**INITIALIZED, "capabilities": EVERYTHING},
    "prompts/list": {"prompts": [{"name": "p", "arguments": [{"name": "n"}]}]},
    "prompts/get": {"messages": []},
    "completion/complete": {"completion": {"values": ["python"], "total": 1}},
    "tasks/list": {"tasks": [{"taskId": "t", "status": "working"}]},
    "tasks/get": {"taskId": "t", "status": "completed"},
    "tasks/cancel": {"taskId": "t", "status": "cancelled"},
    "tasks/result": {"content": []},
    "tools/list": {"tools": [TOOL]},
}


def sent_by(work: Callable[[mcpi.Inspector], Awaitable[Any]]) -> tuple[Any, list[Any]]:
    """The result of the work and the requests that it sent."""
    answers = {method.replace("/", "_"): lambda _, found=found: {"result": found} for method, found in RESULTS.items()}
    server = MemoryServer(**answers)

    async def run() -> Any:
        async with server.client() as client:
            before = len(server.sent)
            result = await work(client)
            return result, [(one["method"], one.get("params")) for one in server.sent[before:]]

    found: tuple[Any, list[Any]] = asyncio.run(asyncio.wait_for(run(), 30))
    return found


def test_every_method_sends_its_request() -> None:
    cases: dict[str, Callable[[mcpi.Inspector], Awaitable[Any]]] = {
        "ping": lambda client: client.ping(),
        "resources/list": lambda client: client.list_resources(),
        "resources/templates/list": lambda client: client.list_resource_templates(),
        "resources/read": lambda client: client.read_resource("a:b"),
        "resources/subscribe": lambda client: client.subscribe("a:b"),
        "resources/unsubscribe": lambda client: client.unsubscribe("a:b"),
        "prompts/list": lambda client: client.list_prompts(),
        "prompts/get": lambda client: client.get_prompt("p", {"n": 1}),
        "completion/complete": lambda client: client.complete("n", "py", prompt="p", context={"a": "b"}),
        "logging/setLevel": lambda client: client.set_level("info"),
        "tasks/list": lambda client: client.tasks.list(),
        "tasks/get": lambda client: client.tasks.get("t"),
        "tasks/cancel": lambda client: client.tasks.cancel("t"),
        "tasks/result": lambda client: client.tasks.result("t"),
    }
    found = {method: sent_by(work) for method, work in cases.items()}

    assert [sent[-1][0] for _, sent in found.values()] == [*cases]
    assert found["completion/complete"][0].suggestions == ["python"]
    assert found["completion/complete"][1][0][1] == {
        "ref": {"type": "ref/prompt", "name": "p"},
        "argument": {"name": "n", "value": "py"},
        "context": {"arguments": {"a": "b"}},
    }
    assert [one.status for one in found["tasks/list"][0]] == ["working"]


def test_arguments_are_converted_to_the_required_types() -> None:
    _, prompt = sent_by(lambda client: client.get_prompt("p", {"n": 1, "t": "x"}))
    _, tool = sent_by(lambda client: client.call_tool("echo", {"n": "5"}, convert=True))
    _, same = sent_by(lambda client: client.call_tool("echo", {"n": "5"}))

    assert prompt[-1][1]["arguments"] == {"n": "1", "t": "x"}
    assert (tool[-1][1]["arguments"], same[-1][1]["arguments"]) == ({"n": 5}, {"n": "5"})
