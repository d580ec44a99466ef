"""Complete commands with an in-memory server and a fake clock."""

import json
from typing import Any

from mcpi.core.jsontext.values import JsonObject
from support.world import World

TOOLS: JsonObject = {
    "tools": [{"name": "echo", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}]
}
INITIALIZED: JsonObject = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}, "logging": {}},
    "serverInfo": {"name": "memory", "version": "1"},
}
NOTIFYING = ("server", "--era", "handshake", "--method", "tools/call", "--tool-name", "chatty")
ECHO = ("server", "--era", "handshake", "--method", "tools/call", "--tool-name", "echo")


CALLS: dict[str, JsonObject | list[JsonObject]] = {
    "die": {"close": True},
    "chatty": [
        {"method": "notifications/message", "params": {"level": "info", "data": "hello"}},
        {"result": {"content": []}},
    ],
}
ANSWERS: dict[str, JsonObject] = {
    "initialize": {"result": INITIALIZED},
    "tools/list": {"result": TOOLS},
    "ping": {"result": {}},
    "logging/setLevel": {"result": {}},
}


def server(method: str, params: Any) -> JsonObject | list[JsonObject] | None:
    """A server with a few tools; `slow` is never answered."""
    if method == "tools/call" and params["name"] == "echo":
        return {"result": {"content": [], "structuredContent": params.get("arguments", {})}}
    if method == "tools/call":
        return CALLS.get(params["name"])
    if method.startswith("notifications/"):
        return None
    return ANSWERS.get(method, {"error": {"code": -32601, "message": "no"}})


def test_a_call_prints_its_result_and_closes_the_connection() -> None:
    world = World(server)

    assert world.run(*ECHO, "--tool-arg", "n=3") == 0
    assert world.json == {"content": [], "structuredContent": {"n": 3}}
    assert world.stderr.getvalue() == ""
    assert world.methods == ["initialize", "notifications/initialized", "tools/list", "tools/call"]
    assert [transport.closed for transport in world.transports] == [True]


def test_server_error_exits_with_2() -> None:
    world = World(server)

    assert world.run("server", "--era", "handshake", "--method", "vendor/thing", "--params", "{}") == 2
    assert world.json == {"error": {"code": -32601, "message": "no"}}


def test_invalid_command_line_fails_before_connecting() -> None:
    world = World(server)

    assert world.run("server", "--method", "tools/lst") == 1
    assert "did you mean: mcpi server --method tools/list\n" in world.stderr.getvalue()
    assert (world.stdout.getvalue(), world.transports) == ("", [])


def test_envelope_has_the_times_of_the_clock() -> None:
    world = World(server)

    assert (
        world.run("server", "--era", "handshake", "--method", "tools/call", "--tool-name", "chatty", "--structured")
        == 0
    )
    assert world.json["durationMs"] == 0
    assert [log["timestamp"] for log in world.json["logs"]] == ["2027-01-15T08:00:00.000Z"]


def test_timeout_exits_with_124_and_cancels_the_request() -> None:
    world = World(server)

    assert world.run("server", "--era", "handshake", "--method", "tools/call", "--tool-name", "slow") == 124
    assert world.clock.time == 130.0
    assert "within 30 s" in world.stderr.getvalue()
    assert world.methods[-1] == "notifications/cancelled"


def test_server_exit_during_a_call_exits_with_1() -> None:
    world = World(server)

    assert world.run("server", "--era", "handshake", "--method", "tools/call", "--tool-name", "die") == 1
    assert "the server in memory is gone" in world.stderr.getvalue()


def test_lost_connection_is_retried_after_a_delay() -> None:
    attempts: list[str] = []

    def late_server(method: str, params: Any) -> JsonObject | list[JsonObject] | None:
        attempts.append(method)
        return (
            {"close": True} if attempts.count("initialize") < 3 and method == "initialize" else server(method, params)
        )

    world = World(late_server)

    assert world.run("server", "--era", "handshake", "--method", "ping", "--retry", "2") == 0
    assert attempts.count("initialize") == 3
    assert world.clock.time >= 103.0


def test_follow_mode_ends_at_its_timeout() -> None:
    world = World(server)

    assert world.run(*NOTIFYING, "--follow", "--timeout", "5s", "--ping-interval", "0") == 0
    assert world.stdout.getvalue().splitlines()[0] == '{"content":[]}'
    assert '"event":"' in world.stdout.getvalue().splitlines()[2]
    assert world.clock.time == 105.0


def test_follow_mode_sends_pings() -> None:
    world = World(server)

    assert world.run("server", "--era", "handshake", "--follow", "--timeout", "100s") == 0
    assert world.methods.count("ping") == 3


def test_captured_secret_is_masked_in_later_steps() -> None:
    called = {"method": "tools/call", "toolName": "echo", "onError": "continue"}
    steps = [
        {**called, "toolArgs": {"accessToken": "s3cr3t-t0ken"}, "capture": {"id": "/structuredContent/accessToken"}},
        {**called, "toolArgs": {"n": "${id}", "said": "s3cr3t-n0te"}, "capture": {"secret": "/structuredContent/said"}},
        {**called, "toolArgs": {"n": "the tool: ${secret}, ${API_KEY}"}, "capture": {"kept": "/structuredContent/n"}},
    ]
    world = World(server, stdin=json.dumps({"vars": {"API_KEY": "s3cr3t-k3y"}, "steps": steps}).encode())

    assert world.run("server", "--era", "handshake", "--script", "-") == 0
    results = [step["result"]["structuredContent"] for step in world.json]
    assert results == [{"accessToken": "***"}, {"n": "***", "said": "***"}, {"n": "the tool: ***, ***"}]


def test_a_script_is_read_from_standard_input() -> None:
    script = b'[{"method": "ping"}, {"method": "tools/call", "toolName": "echo", "toolArgs": {"n": 1}}]'
    world = World(server, stdin=script)

    assert world.run("server", "--era", "handshake", "--script", "-") == 0
    assert [step["success"] for step in world.json] == [True, True]


def test_environment_is_read_from_the_context() -> None:
    world = World(server, environment={"MCPI_METHOD": "ping", "MCPI_ERA": "handshake", "HOME": "/nowhere"})

    assert world.run("server") == 0
    assert world.json == {}


def test_version_flag_needs_no_server() -> None:
    world = World(server)

    assert world.run("--version") == 0
    assert world.stdout.getvalue().startswith("mcpi ")


def test_automatic_negotiation_prefers_the_modern_era_if_both_answer() -> None:
    discovered: JsonObject = {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    }

    def call_server(method: str, params: Any) -> JsonObject | list[JsonObject] | None:
        return {"result": discovered} if method == "server/discover" else server(method, params)

    world = World(call_server)

    assert world.run("server", "--method", "server/info") == 0
    assert world.json["protocolVersion"] == "2026-07-28"
