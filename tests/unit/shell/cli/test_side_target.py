"""diff on the command line: its sides, their connections and invalid combinations."""

import json
from typing import Any

import pytest

from mcpi.core.jsontext.values import JsonObject
from support.world import World

LOCK = (
    '{"lockVersion":1,"protocolVersion":"2025-11-25","serverInfo":{"name":"m"},"capabilities":{"tools":{}},"tools":[]}'
)
ZERO = {"breaking": 0, "additive": 0, "routing": 0, "cosmetic": 0}
ERA = ("--era", "handshake")


def server(method: str, params: Any) -> JsonObject | None:
    """A server with one tool that accepts any offered version."""
    if method == "initialize":
        about: JsonObject = {"serverInfo": {"name": "m"}, "capabilities": {"tools": {}}}
        return {"result": {"protocolVersion": params["protocolVersion"], **about}}
    if method == "tools/list":
        return {"result": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}}
    return None


@pytest.mark.parametrize(
    "words",
    [
        ("diff", LOCK, "https://example.com/mcp"),
        ("diff", LOCK, "--new", "https://example.com/mcp"),
        ("diff", LOCK, "--", "node", "s.js"),
        ("diff", LOCK, "node", "s.js", "x"),
        ("--method=diff", "--old", LOCK, "node", "s.js"),
    ],
)
def test_a_lock_is_compared_with_a_server(words: tuple[str, ...]) -> None:
    world = World(server)

    assert world.run(words[0], *ERA, *words[1:]) == 0
    assert [one["rule"] for one in world.json["changes"]] == ["tool-added"]
    assert [transport.closed for transport in world.transports][-1]


def test_two_servers_are_contacted_in_sequence() -> None:
    world = World(server)

    assert world.run("diff", "--old", "https://a.example/mcp", "--new", "https://b.example/mcp", *ERA) == 0
    assert world.json == {"changes": [], "summary": ZERO}
    assert world.methods.count("tools/list") == 2
    assert [transport.closed for transport in world.transports][1:] == [True, True]


def test_a_server_is_compared_with_itself_in_another_version() -> None:
    world = World(server)

    assert world.run("diff", "--new-protocol-version", "2025-06-18", *ERA, "https://a.example/mcp") == 0
    assert world.json == {"changes": [], "summary": ZERO}


def test_lock_output_is_reproducible() -> None:
    texts = set()
    for _ in range(2):
        world = World(server)
        assert world.run("lock", "https://a.example/mcp", *ERA) == 0
        texts.add(world.stdout.getvalue())

    assert len(texts) == 1
    assert json.loads(texts.pop())["tools"] == [{"inputSchema": {"type": "object"}, "name": "t"}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("diff",), "mcpi: nothing to compare: give OLD and NEW"),
        (("diff", LOCK), "mcpi: nothing to compare: give OLD and NEW"),
        (("diff", LOCK, LOCK, "--demo"), "mcpi: --demo: OLD and NEW already name both sides"),
        (("diff", LOCK, LOCK, "--", "node", "s.js"), "mcpi: the target 'node': OLD and NEW already name both sides"),
        (
            ("diff", "--old", "config:x", "--new", LOCK, "--config", "/nowhere.json"),
            "mcpi: --config: cannot read /nowhere.json",
        ),
        (("diff", "node 'x", LOCK), 'mcpi: target: cannot split "node \'x" into words'),
        (("diff", "ftp://x", LOCK), "mcpi: target: ftp:// is not a supported URL scheme"),
        (("diff", "{}", LOCK), "mcpi: --old: not a lock file: it has no 'lockVersion'"),
        (("diff", LOCK, LOCK, "--fail-on", "some"), "mcpi: --fail-on: expected breaking, routing, any or never"),
    ],
)
def test_invalid_comparison_names_the_problem(words: tuple[str, ...], message: str) -> None:
    world = World(server)

    assert world.run(*words) == 1
    assert world.stderr.getvalue().startswith(message)
    assert world.stdout.getvalue() == ""
