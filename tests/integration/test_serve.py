"""mcpi-serve as used by an agent: through mcpi and through the SDK client."""

import json
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

import warm
from running import Mcpi, Ran, clean_environment, processes, wait_until

SERVERS = Path(__file__).parents[2] / "fixtures" / "servers"
INITIALIZE_PARAMS = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "agent", "version": "1"},
}
SERVE = str(Path(sys.executable).with_name("mcpi-serve"))
"""The command itself, for the tests of signals; the others start forks."""


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A config file with the demo server."""
    path = tmp_path / "servers.json"
    command, *args = warm.demo()
    path.write_text(json.dumps({"mcpServers": {"demo": {"command": command, "args": args}}}))
    return str(path)


def call(name: str, arguments: Any, **more: Any) -> Any:
    """A step that calls a tool of mcpi-serve."""
    return {"method": "tools/call", "toolName": name, "toolArgs": arguments, "onError": "continue", **more}


def run(mcpi: Mcpi, steps: list[Any], *flags: str, cwd: Path | None = None) -> Ran:
    """Run the steps as calls of mcpi-serve with these flags."""
    return mcpi("--script", "-", "--quiet", "--", warm.command("mcpi-serve"), *flags, stdin=json.dumps(steps), cwd=cwd)


def test_agent_uses_every_tool_in_one_session(mcpi: Mcpi, config: str) -> None:
    steps = [
        call("list", {}),
        call("connect", {"server": "dmo"}),
        call("connect", {"target": "rm -rf /nowhere"}),
        call("connect", {"server": "demo", "era": "handshake"}, capture={"c": "/structuredContent/result/connection"}),
        call("list", {"kind": "tools"}),
        call("tools_call", {"toolName": "add", "toolArgs": {"a": 1, "b": "x"}}),
        call("tools_call", {"connection": "${c}", "toolName": "add", "toolArgs": {"a": 1, "b": 2}}),
        call("tools_call", {"toolName": "ask-user", "handleElicitation": ["auto"]}),
        call("tools_call", {"toolName": "log"}),
        call("resources_read", {"uri": "demo://logo"}),
        call("prompts_get", {"promptName": "summarize", "promptArgs": {"text": "Ada"}}),
        call("call_method", {"method": "acme/count"}),
        call("messages", {"limit": 1}),
        call("run_script", {"steps": [{"method": "ping"}, {"method": "tools/lst"}]}),
        call("run_script", {"steps": [{"method": "ping"}]}),
        call("watch", {"seconds": 0.05}),
        call("lint", {}),
        call("disconnect", {}),
    ]

    ran = run(mcpi, steps, "--config", config)

    results = [step["result"] for step in ran.json]
    reported = [result["content"][0]["text"] if result["isError"] else "" for result in results]
    found = [result["structuredContent"].get("result") for result in results]
    assert "call connect first" in reported[0]
    assert "did you mean demo?" in reported[1]
    assert "starting the command 'rm' is not allowed" in reported[2]
    assert (found[3]["serverInfo"]["name"], "tools" in found[3]["capabilities"]) == ("mcpi-demo", True)
    assert "add" in [tool["name"] for tool in found[4]["tools"]]
    assert found[5]["isError"] is True
    assert found[6]["structuredContent"] == {"sum": 3}
    assert results[7]["structuredContent"]["serverRequests"][0]["response"]["action"] == "accept"
    assert len(results[8]["structuredContent"]["logs"]) == 8
    assert results[9]["content"][1]["type"] == "image"
    assert "Ada" in json.dumps(found[10]["messages"])
    assert found[11]["tools"] == 8
    assert len(found[12]["messages"]) == 1
    assert "did you mean tools/list?" in reported[13]
    assert found[14]["envelopes"][0]["success"] is True
    assert found[15] == {"seconds": 0.05}
    assert found[16]["summary"]["errors"] == 0
    assert found[17] == {"disconnected": "connection-1"}


@pytest.fixture
def values() -> str:
    """The path of a program to debug."""
    return str(Path(__file__).parents[2] / "fixtures" / "debug" / "values.js")


def test_agent_debugs_an_allowed_command(mcpi: Mcpi, values: str) -> None:
    probe = {"debugCommand": f"node --inspect-brk=0 {values}", "breakpoint": f"{values}:41", "expression": "name"}
    steps = [
        call("debug_script", probe),
        call("debug_script", {**probe, "debugCommand": f"sh -c {values}"}),
    ]

    ran = run(mcpi, steps, "--allow-command", "node")

    good, bad = (step["result"] for step in ran.json)
    assert good["structuredContent"]["result"]["results"] != []
    assert "starting the command 'sh' is not allowed" in bad["content"][0]["text"]


def test_errors_name_tool_arguments_instead_of_flags(mcpi: Mcpi, config: str) -> None:
    steps = [
        call("connect", {"server": "demo"}),
        call("tools_call", {"toolName": "echo", "toolArgs": "text"}),
        call("tools_call", {"toolName": "ecoh"}),
        call("connect", {"server": "demo"}),
        call("list", {}),
    ]

    ran = run(mcpi, steps, "--config", config)

    texts = [step["result"]["content"][0]["text"] for step in ran.json]
    assert texts[1].startswith("toolArgs: expected a JSON object, found string; for example toolArgs")
    assert texts[2] == "toolName: unknown tool 'ecoh' (Unknown tool: ecoh); did you mean echo?"
    assert (
        texts[4]
        == "connection: required, because several connections are open; open connections: connection-1, connection-2"
    )


def test_timeout_seconds_argument_limits_the_call(mcpi: Mcpi, config: str, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("let x = 1;\nsetInterval(() => {}, 1000);\n", encoding="utf-8")
    probe = {"debugCommand": "node --inspect-brk=0 a.js", "breakpoint": "a.js:9", "expression": "x"}
    steps = [
        call("debug_script", {**probe, "timeoutSeconds": 1}),
        call("connect", {"server": "demo", "timeoutSeconds": 0.5}),
        call("tools_call", {"toolName": "slow", "toolArgs": {"steps": 1, "delayMs": 5000}}),
        call("connect", {"server": "demo", "timeoutSeconds": 0}),
    ]

    allowed = ("--config", config, "--allow-command", "node")
    ran = run(mcpi, steps, *allowed, cwd=tmp_path)

    texts = [step["result"]["content"][0]["text"] for step in ran.json]
    assert "within 1 s" in texts[0]
    assert "no response to tools/call" in texts[2]
    assert texts[2].endswith("use a longer timeoutSeconds")
    assert "timeoutSeconds" in texts[3]


def test_server_secrets_are_masked_for_the_agent(mcpi: Mcpi, tmp_path: Path) -> None:
    leaking_server = "import os, sys; sys.stderr.write('the key is ' + os.environ['API_KEY']); sys.exit(3)"
    servers = {
        "url": {"url": "http://user:s3cret-w0rd@127.0.0.1:9/mcp?api_key=URLSECRET1234"},
        "command": {
            "command": sys.executable,
            "args": ["-c", leaking_server, "--api-key", "ARGSECRET1234"],
            "env": {"API_KEY": "ENVSECRET1234"},
        },
    }
    path = tmp_path / "servers.json"
    path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    steps = [call("connect", {"server": name}) for name in servers]

    ran = run(mcpi, steps, "--config", str(path))

    texts = [step["result"]["content"][0]["text"] for step in ran.json]
    assert ["cannot connect to" in texts[0], "exited with code 3" in texts[1]] == [True, True]
    assert texts[1].endswith("  stderr: the key is ***")
    shown = [secret for secret in ("s3cret-w0rd", "URLSECRET", "ARGSECRET", "ENVSECRET") if secret in ran.stdout]
    assert shown == []
    assert ran.stdout.count("***") > 4


def test_masked_numeric_secret_keeps_the_text_valid_json(mcpi: Mcpi, tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    result = '{"content":[],"structuredContent":{"key":987654321}}'
    odd = {"command": sys.executable, "args": [str(SERVERS / "odd.py"), "tools/call", result]}
    path.write_text(json.dumps({"mcpServers": {"odd": {**odd, "env": {"API_KEY": "987654321"}}}}), encoding="utf-8")
    steps = [call("connect", {"server": "odd"}), call("tools_call", {"toolName": "x", "toolArgs": {}})]

    ran = run(mcpi, steps, "--config", str(path))

    called = ran.json[1]["result"]
    assert json.loads(called["content"][0]["text"]) == called["structuredContent"]
    assert called["structuredContent"]["result"]["structuredContent"] == {"key": "***"}


def test_all_invalid_arguments_are_reported_at_once(mcpi: Mcpi, config: str) -> None:
    steps = [
        call("connect", {"server": 5, "era": "old", "timeoutSeconds": 0, "protocol": "x"}),
        call("tools_call", {"tolName": "add", "connection": 1, "method": "x"}),
        call("run_script", {"steps": [{"method": "ping"}, 5]}),
        call("watch", {"seconds": 100}),
    ]

    ran = run(mcpi, steps, "--config", config)

    assert [step["result"]["content"][0]["text"].split("; ") for step in ran.json] == [
        [
            "connect: server: expected a string, found number",
            "era: expected auto, handshake or modern, got 'old'",
            "timeoutSeconds: expected a number greater than 0, found 0",
            "connect has no key 'protocol' (did you mean protocolVersion?)",
        ],
        [
            "tools_call has no key 'tolName' (did you mean toolName?)",
            "connection: expected a string, found number",
            "tools_call has no key 'method'",
        ],
        ["run_script: steps[1]: expected an object, found number"],
        ["watch: seconds: expected a number greater than 0 and at most 60, found 100"],
    ]


def test_errors_use_argument_names_and_keep_flag_like_values(mcpi: Mcpi, config: str) -> None:
    steps = [
        call("connect", {"server": "demo", "era": "handshake"}),
        call("tools_call", {"toolName": "--force", "toolArgs": {}}),
        call(
            "call_method",
            {"method": "tools/call", "arguments": {"toolName": "add", "toolArg": ["a=1"], "toolArgs": {}}},
        ),
    ]

    ran = run(mcpi, steps, "--config", config)

    errors = [step["result"]["structuredContent"].get("error") for step in ran.json]
    texts = [step["result"]["content"][0]["text"] for step in ran.json]
    assert ["--force" in message for message in (errors[1]["message"], texts[1])] == [True, True]
    expected = "toolArgs cannot be combined with toolArg"
    assert (errors[2]["message"], texts[2], errors[2]["details"]) == (expected, expected, {"where": "toolArgs"})


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"method": "debug/script", "debugCommand": "sh -c 'touch /tmp/x'"}, "contains shell syntax"),
        ({"method": "debug/script", "debugCommand": "rm x"}, "starting the command 'rm' is not allowed"),
        (
            {"method": "oauth/discover", "serverUrl": "http://127.0.0.1:1"},
            "contacts servers other than the connected one",
        ),
    ],
)
def test_script_cannot_start_commands_or_contact_other_servers(
    mcpi: Mcpi, config: str, step: Any, message: str
) -> None:
    steps = [call("connect", {"server": "demo"}), call("run_script", {"steps": [{"method": "ping"}, step]})]

    ran = run(mcpi, steps, "--config", config)

    result = ran.json[1]["result"]
    assert (result["isError"], message in result["content"][0]["text"]) == (True, True)


def test_only_allowed_targets_are_contacted(mcpi: Mcpi, served: Any) -> None:
    url = served(sys.executable, str(SERVERS / "sdk.py"), "http", "PORT")
    steps = [
        call("connect", {"target": url}),
        call("connect", {"target": "http://127.0.0.1:1/mcp"}),
        call("connect", {"target": f"{sys.executable} {SERVERS / 'counting.py'}"}),
        call("connect", {"target": "rm x"}),
        call("disconnect", {"connection": "connection-1"}),
        call("list", {"connection": "connection-1"}),
    ]
    lists = ("--allow-url", url, "--allow-command", sys.executable)

    ran = run(mcpi, steps, *lists)

    found = [step["result"]["content"][0]["text"] if step["result"]["isError"] else "" for step in ran.json]
    assert (found[0], found[2], found[4]) == ("", "", "")
    assert "contacting http://127.0.0.1:1/mcp is not allowed" in found[1]
    assert "starting the command 'rm' is not allowed" in found[3]
    assert "open connections: connection-2" in found[5]


def test_watch_returns_notifications(mcpi: Mcpi, config: str) -> None:
    steps = [
        call("connect", {"server": "demo", "era": "handshake"}),
        call("call_method", {"method": "resources/subscribe", "arguments": {"uri": "demo://counter"}}),
        call("tools_call", {"toolName": "touch"}),
        call("messages", {"limit": 5}),
    ]

    ran = run(mcpi, steps, "--config", config)

    messages = ran.json[3]["result"]["structuredContent"]["result"]["messages"]
    assert any(message.get("method") == "notifications/resources/updated" for message in messages)


DEEP = "[" * 600 + "]" * 600


def test_unencodable_or_deep_result_does_not_break_other_connections(mcpi: Mcpi, config: str) -> None:
    content = f'{{"content":[],"structuredContent":{{"half":"\\ud800","much":1e999,"deep":{DEEP}}}}}'
    odd = [sys.executable, str(SERVERS / "odd.py"), "tools/call", content]
    Path(config).write_text(json.dumps({"mcpServers": {"odd": {"command": odd[0], "args": odd[1:]}}}))
    steps = [call("connect", {"server": "odd"}), call("tools_call", {"toolName": "a"}), call("messages", {"limit": 1})]

    ran = run(mcpi, steps, "--config", config)

    _, called, seen = (step["result"] for step in ran.json)
    found = called["structuredContent"]["result"]["structuredContent"]
    assert (found["half"], found["much"]) == ("\ufffd", "Infinity")
    assert json.loads(called["content"][0]["text"]) == called["structuredContent"]
    assert len(seen["structuredContent"]["result"]["messages"]) == 1


@pytest.mark.parametrize("tool", ["connect", "debug_script"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_signal_ends_mcpi_serve_and_its_servers(number: signal.Signals, tool: str, tmp_path: Path) -> None:
    word = f"served-until-{number.name}-{tool}"
    ignoring_signals = shlex.join([sys.executable, str(SERVERS / "faulty.py"), "ignores_signals_and_eof", word])
    (tmp_path / "a.js").write_text("1;\n")
    probe = {"debugCommand": ignoring_signals, "breakpoint": f"{tmp_path / 'a.js'}:1", "expression": "1"}
    arguments = {"target": ignoring_signals} if tool == "connect" else probe
    requests: list[Any] = [
        {"id": 1, "method": "initialize", "params": INITIALIZE_PARAMS},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in requests)
    words = [SERVE, "--allow-command", sys.executable]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdin is not None
        running.stdin.write(lines.encode())
        running.stdin.flush()
        wait_until(lambda: processes(word) != [])
        running.send_signal(number)
        assert running.wait(timeout=10) == 130
        assert running.stderr is not None
        assert running.stderr.read() == b""
    wait_until(lambda: processes(word) == [], within=10.0)


def test_target_env_is_applied_and_live_server_breakpoints_are_hit(mcpi: Mcpi, tmp_path: Path) -> None:
    server = Path(__file__).parents[2] / "fixtures" / "debug" / "server.mjs"
    (tmp_path / "server.mjs").write_bytes(server.read_bytes())
    probe = {"breakpoint": ["server.mjs:7"], "expression": ["args.name + process.env.SUFFIX"]}
    steps = [
        call("connect", {"target": "node server.mjs", "cwd": str(tmp_path), "env": {"PATH": "/x"}}),
        call("connect", {"target": "node server.mjs", "cwd": str(tmp_path), "env": {"SUFFIX": "!"}, "debug": True}),
        call("tools_call", {"toolName": "greet", "toolArgs": {"name": "Ada"}, **probe}),
        call(
            "tools_call",
            {"toolName": "greet", "toolArgs": {"name": "Bob"}, **probe, "condition": "args.name > 'C'"},
        ),
        call("tools_call", {"toolName": "greet", "toolArgs": {"name": "Eve"}, **probe, "expression": ["("]}),
        call("tools_call", {"toolName": "greet", "toolArgs": {"name": "Eve"}}),
    ]
    allowed = ("--allow-command", "node", "--allow-env", "SUFFIX")

    ran = run(mcpi, steps, *allowed, cwd=tmp_path)

    refused, _, ada, bob, wrong, eve = (step["result"] for step in ran.json)
    assert "setting the variable 'PATH' is not allowed" in refused["content"][0]["text"]
    assert ada["structuredContent"]["debug"] == {"results": [{"type": "string", "value": "Ada!"}]}
    assert bob["structuredContent"]["debug"] == {"results": [], "hint": "server.mjs:7 was not reached"}
    assert "expression: Expression does not parse: SyntaxError" in wrong["content"][0]["text"]
    assert eve["structuredContent"] == {"result": {"content": [{"type": "text", "text": "hello Eve"}]}}


def parameters(config: str) -> Any:
    """The server as the target of the SDK client."""
    from mcp import StdioServerParameters  # noqa: PLC0415 - slow to import

    return StdioServerParameters(command=warm.command("mcpi-serve"), args=["--config", config], env=clean_environment())


HOSTILE = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}
        result = {"protocolVersion": "2025-11-25", **about}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
    elif asked.get("method") == "tools/call":
        print(f'{{"jsonrpc":"2.0","id":{asked["id"]},"result":{{"content":' + sys.argv[1] * 5_000_000, flush=True)
"""


@pytest.mark.parametrize("unit", ["[", '{"a":'])
def test_huge_result_does_not_delay_another_connection(unit: str, config: str) -> None:
    from mcp import Client  # noqa: PLC0415 - slow to import
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - see above

    servers = json.loads(Path(config).read_text())["mcpServers"]
    servers["hostile"] = {"command": sys.executable, "args": ["-c", HOSTILE, unit]}
    Path(config).write_text(json.dumps({"mcpServers": servers}))

    async def work() -> list[float]:
        took: list[float] = []
        async with Client(stdio_client(parameters(config))) as client:
            await client.call_tool("connect", {"server": "demo"})
            await client.call_tool("connect", {"server": "hostile", "era": "handshake"})
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "tools_call", {"connection": "connection-2", "toolName": "a"})
                for _ in range(10):
                    began = anyio.current_time()
                    echo = {"connection": "connection-1", "toolName": "echo", "toolArgs": {"text": "hi"}}
                    assert not (await client.call_tool("tools_call", echo)).is_error
                    took.append(anyio.current_time() - began)
        return took

    assert max(anyio.run(work)) < 10


def test_lone_surrogate_in_an_argument_is_a_tool_error(config: str) -> None:
    lines = (
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE_PARAMS}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"connect","arguments":{"server":"\\ud800"}}}',
    )
    with subprocess.Popen(
        [warm.command("mcpi-serve"), "--config", config], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write("".join(f"{line}\n" for line in lines).encode())
        running.stdin.flush()
        answers = [json.loads(running.stdout.readline()) for _ in range(2)]
        running.stdin.close()
        assert running.wait(timeout=20) == 0

    assert (answers[1]["id"], answers[1]["result"]["isError"]) == (2, True)


def test_disconnect_interrupts_a_running_call(config: str) -> None:
    from mcp import Client  # noqa: PLC0415 - slow to import
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - see above

    async def work() -> Any:
        async with Client(stdio_client(parameters(config))) as client:
            await client.call_tool("connect", {"server": "demo"})
            found: list[Any] = []

            async def call() -> None:
                found.append(await client.call_tool("tools_call", {"toolName": "slow", "toolArgs": {"steps": 500}}))

            async with anyio.create_task_group() as group:
                group.start_soon(call)
                await anyio.sleep(0.5)
                await client.call_tool("disconnect", {})
            return found[0], await client.call_tool("connect", {"server": "demo"})

    cut, again = anyio.run(work)
    assert (cut.is_error, cut.structured_content["error"]["code"]) == (True, "INTERRUPTED")
    assert again.structured_content["result"]["connection"] == "connection-2"


def test_sdk_client_can_call_tools(config: str) -> None:
    from mcp import Client  # noqa: PLC0415 - slow to import
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - see above

    async def work() -> Any:
        async with Client(stdio_client(parameters(config))) as client:
            await client.call_tool("connect", {"server": "demo"})
            return await client.call_tool("tools_call", {"toolName": "echo", "toolArgs": {"text": "hi"}})

    result = anyio.run(work)
    assert result.structured_content["result"]["content"] == [{"text": "hi", "type": "text"}]


def test_occupied_port_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = subprocess.run(
            [warm.command("mcpi-serve"), "--http", str(port)], capture_output=True, text=True, check=False, timeout=20
        )

    expected = f"mcpi-serve: --http: cannot listen on 127.0.0.1:{port}: Address already in use\n"
    assert (ran.returncode, ran.stderr) == (1, expected)


def test_mcpi_serve_runs_over_http(mcpi: Mcpi, config: str, served: Any) -> None:
    url = served(warm.command("mcpi-serve"), "--config", config, "--http", "PORT")

    ran = mcpi(url, "--method", "tools/call", "--tool-name", "connect", "--tool-arg", "server=demo")

    assert (ran.exit_code, ran.json["structuredContent"]["result"]["serverInfo"]["name"]) == (0, "mcpi-demo")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--confg", "x"), "did you mean --config?"),
        (("--config", "no-such-file.json"), "cannot read no-such-file.json"),
        (("server.js",), "unexpected argument; only flags are allowed"),
        (("--http", "x"), "expected an integer"),
        (("--allow-command", "node x.js"), "--allow-command: expected the first word of a command"),
        (("--http", "99999"), "cannot listen on 127.0.0.1:99999: expected a port from 0 to 65535"),
    ],
)
def test_invalid_command_line_is_reported(args: tuple[str, ...], message: str) -> None:
    ran = subprocess.run([warm.command("mcpi-serve"), *args], capture_output=True, text=True, check=False, timeout=60)

    assert (ran.returncode, ran.stdout, message in ran.stderr) == (1, "", True)


def test_tool_definitions_pass_lint(mcpi: Mcpi) -> None:
    ran = mcpi("lint", "--fail-on", "warning", "--", warm.command("mcpi-serve"))

    assert (ran.exit_code, ran.json["summary"]["errors"], ran.json["summary"]["warnings"]) == (0, 0, 0)
    assert ran.json["summary"]["tools"] <= 15
