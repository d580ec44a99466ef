"""mcpi-serve, as an agent works with it: through mcpi itself and through the SDK's client."""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from running import Mcpi

SERVE = str(Path(sys.executable).with_name("mcpi-serve"))


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A config file with the demo server."""
    path = tmp_path / "servers.json"
    path.write_text(
        json.dumps({"mcpServers": {"demo": {"command": sys.executable, "args": ["-m", "mcpi.shell.demo"]}}})
    )
    return str(path)


def call(name: str, arguments: Any, **more: Any) -> Any:
    """A step that calls a tool of mcpi-serve."""
    return {"method": "tools/call", "toolName": name, "toolArgs": arguments, "onError": "continue", **more}


def test_an_agent_finds_its_way(mcpi: Mcpi, config: str) -> None:
    steps = [
        {"method": "tools/list"},
        call("tools_list", {}),
        call("connect", {"server": "dmo"}),
        call("connect", {"target": "rm -rf /nowhere"}),
        call("connect", {"server": "demo", "era": "handshake"}, capture={"c": "/structuredContent/result/connection"}),
        call("tools_call", {"toolName": "add", "toolArg": ["a=1", "b=x"]}),
        call("tools_call", {"connection": "${c}", "toolName": "add", "toolArg": ["a=1", "b=2"]}),
        call("messages", {"limit": 1}),
        call("run_script", {"steps": [{"method": "ping"}, {"method": "tools/lst"}]}),
        call("run_script", {"steps": [{"method": "ping"}]}),
        call("watch", {"seconds": 0.05}),
        call("acme_count", {}),
        call("disconnect", {}),
    ]

    ran = mcpi("--script", "-", "--quiet", "--", SERVE, "--config", config, stdin=json.dumps(steps))

    results = [step["result"] for step in ran.json]
    names = [tool["name"] for tool in results[0]["tools"]]
    assert {"connect", "tools_list", "tools_call", "resources_read", "discover", "run_script"} <= set(names)
    told = [result["content"][0]["text"] if result["isError"] else "" for result in results[1:]]
    assert "use connect first" in told[0]
    assert "did you mean demo?" in told[1]
    assert "the command 'rm' may not be started" in told[2]
    assert told[3] == ""
    assert "b='x' cannot be number" in told[4]
    assert results[6]["structuredContent"]["result"]["structuredContent"] == {"sum": 3}
    assert len(results[7]["structuredContent"]["result"]["messages"]) == 1
    assert "did you mean tools/list?" in told[7]
    assert results[9]["structuredContent"]["result"]["envelopes"][0]["success"] is True
    assert results[10]["structuredContent"]["result"]["notifications"] == []
    assert results[12]["structuredContent"]["result"] == {"disconnected": "connection-1"}


def test_the_sdk_s_own_client_gets_along(config: str) -> None:
    from mcp import Client, StdioServerParameters  # noqa: PLC0415 - heavy, and only wanted here
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - see above

    async def work() -> Any:
        parameters = StdioServerParameters(command=SERVE, args=["--config", config])
        async with Client(stdio_client(parameters)) as client:
            await client.call_tool("connect", {"server": "demo"})
            return await client.call_tool("tools_call", {"toolName": "echo", "toolArgs": {"text": "hi"}})

    result = anyio.run(work)
    assert result.structured_content["result"]["content"] == [{"text": "hi", "type": "text"}]


def test_it_is_served_by_http_as_well(mcpi: Mcpi, config: str, served: Any) -> None:
    url = served(SERVE, "--config", config, "--http", "PORT")

    ran = mcpi(url, "--method", "tools/call", "--tool-name", "connect", "--tool-arg", "server=demo")

    assert (ran.exit_code, ran.json["structuredContent"]["result"]["serverInfo"]["name"]) == (0, "mcpi-demo")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--confg", "x"), "did you mean --config?"),
        (("--config", "no-such-file.json"), "cannot read no-such-file.json"),
        (("server.js",), "only flags are expected"),
        (("--http", "x"), "expected a whole number"),
    ],
)
def test_a_mistake_is_told(args: tuple[str, ...], told: str) -> None:
    import subprocess  # noqa: PLC0415 - one test starts it directly

    ran = subprocess.run([SERVE, *args], capture_output=True, text=True, check=False, timeout=60)

    assert (ran.returncode, ran.stdout, told in ran.stderr) == (1, "", True)
