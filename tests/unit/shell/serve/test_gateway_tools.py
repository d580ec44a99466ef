"""The tools of mcpi-serve: few, typed, annotated and sufficient for every method."""

import asyncio
import json
from typing import Any

import pytest

from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.shell.client.errors import McpiError
from support.gateway import Gateway

MOST_TOOLS = 15
MOST_CHARACTERS = 12_000


def test_number_and_size_of_the_tool_definitions_are_limited() -> None:
    tools = Gateway().tools.tools()

    size = sum(len(json.dumps([tool.name, tool.description, tool.schema])) for tool in tools)
    assert (len(tools) <= MOST_TOOLS, size < MOST_CHARACTERS) == (True, True)
    assert [tool.name for tool in tools] == [
        *("connect", "disconnect", "list", "tools_call", "resources_read", "prompts_get", "lint", "diff"),
        *("debug_script", "call_method", "run_script", "watch", "messages", "read_more"),
    ]
    undescribed = [f"{tool.name}.{name}" for tool in tools for name, one in arguments(tool.schema).items() if not one]
    assert undescribed == []


def test_failed_step_of_run_script_is_reported_in_its_envelope_only() -> None:
    description = next(tool.description for tool in Gateway().tools.tools() if tool.name == "run_script")
    steps = [{"method": "ping"}, {"method": "ping", "expect": {"/x": 1}}]

    async def run() -> Any:
        gateway = Gateway()
        await gateway.connect()
        return await gateway.call("run_script", steps=steps)

    ran = asyncio.run(run())
    assert description.endswith("if a step fails, only its `success` is false.")
    assert [one["success"] for one in ran["result"]["envelopes"]] == [True, False]


def arguments(schema: JsonObject) -> JsonObject:
    return {name: as_object(one).get("description") or as_object(one).get("enum") for name, one in properties(schema)}


def properties(schema: JsonObject) -> Any:
    return as_object(schema["properties"]).items()


def test_tool_arguments_are_an_object_and_read_only_tools_are_annotated() -> None:
    tools = {tool.name: tool for tool in Gateway().tools.tools()}

    assert as_object(as_object(tools["tools_call"].schema["properties"])["toolArgs"])["type"] == "object"
    reading = [name for name, tool in tools.items() if tool.effect.read_only]
    assert reading == [
        *("list", "resources_read", "prompts_get", "lint", "diff"),
        *("watch", "messages", "read_more"),
    ]


@pytest.mark.parametrize(
    ("tool", "given", "methods"),
    [
        ("list", {"kind": "tools"}, ["tools/list"]),
        ("list", {}, ["tools/list"]),
        ("call_method", {"method": "ping"}, ["ping"]),
        ("call_method", {"method": "logging/setLevel", "arguments": {"logLevel": "info"}}, ["logging/setLevel"]),
        ("call_method", {"method": "acme/x", "params": {"a": 1}}, ["acme/x"]),
        ("run_script", {"steps": [{"method": "ping"}, {"method": "tools/list"}]}, ["ping", "tools/list"]),
        ("watch", {"seconds": 0.001}, []),
        ("messages", {}, []),
    ],
)
def test_a_tool_sends_its_requests(tool: str, given: Any, methods: list[str]) -> None:
    async def work() -> Any:
        gateway = Gateway()
        await gateway.connect()
        before = len(gateway.server.methods)
        found = await gateway.call(tool, **given)
        return found, gateway.server.methods[before:]

    found, sent = asyncio.run(work())
    assert (sent, "result" in found) == (methods, True)


def test_messages_are_listed_once_without_raw_text() -> None:
    async def work() -> Any:
        gateway = Gateway()
        await gateway.connect()
        await gateway.call("call_method", method="ping")
        return await gateway.call("messages", limit=2)

    found = asyncio.run(work())["result"]["messages"]
    assert [one["message"].get("method", "result") for one in found] == ["ping", "result"]
    assert {key for one in found for key in one} <= {
        *("time", "direction", "kind", "id", "method"),
        "message",
        "durationMs",
    }


@pytest.mark.parametrize(
    ("tool", "given", "message"),
    [
        ("call_method", {"method": "oauth/discover"}, "contacts servers other than the connected one"),
        ("call_method", {"method": "tools/lst"}, "unknown method 'tools/lst'"),
        ("call_method", {"method": "tasks/get", "arguments": {}}, "tasks/get requires 'taskId'"),
        ("run_script", {"steps": [{"method": "oauth/discover"}]}, "contacts servers other than the connected one"),
        (
            "tools_call",
            {"toolName": "x", "breakpoint": ["a.js:1"], "expression": ["1"]},
            "the connection was not opened with debug=True",
        ),
        ("read_more", {"answer": "answer-1"}, "unknown answer 'answer-1'"),
    ],
)
def test_invalid_arguments_fail_before_the_request(tool: str, given: Any, message: str) -> None:
    async def work() -> tuple[str, int, int]:
        gateway = Gateway()
        await gateway.connect()
        before = len(gateway.server.methods)
        result = await gateway.result(tool, given)
        return result.text, before, len(gateway.server.methods)

    text, before, after = asyncio.run(work())
    assert (message in text, before) == (True, after)


def test_attaching_requires_all_commands_to_be_allowed() -> None:
    async def work() -> None:
        gateway = Gateway()
        gateway.tools.connections.allowed = type(gateway.tools.connections.allowed)(commands=("node",))
        look = {"attach": "9229", "breakpoint": ["a.js:1"], "expression": ["1"]}
        with pytest.raises(McpiError, match="debugging a running program is not allowed"):
            await gateway.call("debug_script", **look)

    asyncio.run(work())
