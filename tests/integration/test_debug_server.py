"""mcpi-debug-script: its tool, called by the SDK client and by mcpi."""

import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import warm
from debugging import FIXTURES, NODES
from running import Mcpi, clean_environment, free_port, processes, wait_until

SERVER = str(Path(sys.executable).with_name("mcpi-debug-script"))
NODE = NODES[0]
LOOP = "function hit(n) {\n  return n;\n}\nfor (let i = 42; i < 44; i++) hit(i);\n"
HANGS = "process.on('SIGTERM', () => {});\nsetInterval(() => {\n  String(1);\n}, 50);\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.js").write_text(LOOP)
    (tmp_path / "h.js").write_text(HANGS)
    return tmp_path


SDK = """
import asyncio, json, sys
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

async def talk():
    async with Client(stdio_client(StdioServerParameters(command=sys.argv[1], cwd="."))) as client:
        listed = await client.list_tools()
        result = await client.call_tool("debug-script", json.loads(sys.argv[2]))
        return [one.model_dump(mode="json", by_alias=True) for one in (listed, result)]

print(json.dumps(asyncio.run(talk())))
"""


def debug_arguments(command: str = f"'{NODE}' --inspect-brk=0 a.js", **more: Any) -> dict[str, Any]:
    """The arguments of a call."""
    place = {"file": "a.js", "line": 2}
    return {"command": command, "breakpoint": place, "expression": "n", "timeout": 20000, **more}


def call(mcpi: Mcpi, folder: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    """The tool result without the members added by the SDK."""
    flags = ("--method", "tools/call", "--tool-name", "debug-script", "--tool-args", json.dumps(arguments))
    result: dict[str, Any] = mcpi(*flags, "--validate", warm.command("mcpi-debug-script"), cwd=folder).json
    return {name: result[name] for name in ("content", "structuredContent", "isError")}


def test_mcpi_calls_the_tool(mcpi: Mcpi, folder: Path) -> None:
    results = [{"type": "number", "value": 42}, {"type": "number", "value": 43}]

    assert call(mcpi, folder, debug_arguments()) == {
        "content": [],
        "structuredContent": {"results": results},
        "isError": False,
    }


def test_compiled_typescript_call_returns_the_value(mcpi: Mcpi, folder: Path) -> None:
    shutil.copytree(FIXTURES / "typed", folder, dirs_exist_ok=True)
    place = {"file": "src/test.ts", "line": 17}
    command = f"'{NODE}' --inspect-brk={free_port()} ./built-commonjs/test.js"
    arguments = {"command": command, "breakpoint": place, "expression": "older", "timeout": 30000}

    results = [{"type": "object", "value": {"name": "John", "age": 60}}]
    assert call(mcpi, folder, arguments)["structuredContent"] == {"results": results}


def test_sdk_client_validates_the_result_against_the_schema(folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SDK, warm.command("mcpi-debug-script"), json.dumps(debug_arguments())],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    listed, result = json.loads(ran.stdout)
    assert [(tool["name"], tool["inputSchema"]["required"]) for tool in listed["tools"]] == [
        ("debug-script", ["command", "breakpoint", "expression", "timeout"])
    ]
    results = [{"type": "number", "value": 42}, {"type": "number", "value": 43}]
    assert result["structuredContent"] == {"results": results}
    assert (result["content"], result["isError"]) == ([], False)


def failed(mcpi: Mcpi, folder: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    """The error document of a failed call, checked to be in both text and structured content."""
    result = call(mcpi, folder, arguments)
    structured: dict[str, Any] = result["structuredContent"]
    assert (result["isError"], result["content"]) == (True, [{"type": "text", "text": structured["error"]}])
    return structured


def test_exited_program_is_a_tool_error(mcpi: Mcpi, folder: Path) -> None:
    command = f"exec '{NODE}' --inspect-brk=0 -e 'console.error(1); process.exit(7)'"

    assert failed(mcpi, folder, debug_arguments(command)) == {
        "error": "Process exited before breakpoint was hit",
        "exitCode": 7,
        "signal": None,
        "stderr": ["1"],
        "hint": "no loaded script has code at a.js:2, either directly or through a source map; "
        "for code in child processes, put NODE_OPTIONS=--inspect-brk=0 before the command instead of --inspect-brk",
    }


def test_timeout_without_hits_is_a_tool_error(mcpi: Mcpi, folder: Path) -> None:
    found = failed(mcpi, folder, debug_arguments(f"'{NODE}' --inspect-brk=0 h.js", timeout=1200))

    assert found["error"] == "Timeout waiting for breakpoint after 1200ms"


def test_timeout_after_a_hit_is_not_an_error(mcpi: Mcpi, folder: Path) -> None:
    place = {"file": "h.js", "line": 3}
    arguments = debug_arguments(
        f"'{NODE}' --inspect-brk=0 h.js", timeout=2000, breakpoint=place, expression="7", maxResults=2
    )
    found = call(mcpi, folder, arguments)

    results = [{"type": "number", "value": 7}] * 2
    assert found["structuredContent"] == {"results": results, "truncated": True, "timedOut": True}
    assert not found["isError"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"expression": "n +"}, "Expression does not parse: SyntaxError: Unexpected token ')'"),
        ({"expresion": "n"}, "expresion: unknown argument"),
        ({"timeout": "30s"}, "timeout: expected milliseconds, greater than 0 and at most one day, got string"),
        ({"breakpoint": {"file": "a.js", "line": 0}}, "breakpoint.line: expected an integer from 1, got 0"),
    ],
)
def test_invalid_argument_is_a_tool_error(mcpi: Mcpi, folder: Path, change: dict[str, Any], error: str) -> None:
    assert failed(mcpi, folder, {**debug_arguments(), **change})["error"] == error


def test_missing_breakpoint_file_is_reported(mcpi: Mcpi, folder: Path) -> None:
    found = failed(mcpi, folder, debug_arguments(breakpoint={"file": "b.js", "line": 1}))

    assert found["error"] == f"Breakpoint file not found: {folder}/b.js"


def test_lone_surrogate_and_non_finite_numbers_reach_the_client(mcpi: Mcpi, folder: Path) -> None:
    result = call(mcpi, folder, debug_arguments(expression="['a\\ud83d', NaN, [n], 1e400]"))

    assert result["structuredContent"]["results"][0]["value"] == [
        "a\ufffd",
        {"$number": "NaN"},
        [42],
        {"$number": "Infinity"},
    ]


def test_unknown_tool_is_rejected(mcpi: Mcpi) -> None:
    ran = mcpi("--method", "tools/call", "--tool-name", "x", "--tool-args", "{}", warm.command("mcpi-debug-script"))

    assert (ran.exit_code, ran.json["error"]["code"]) == (1, -32602)
    assert ran.stderr.startswith("mcpi: --tool-name: unknown tool 'x' (")


class ServerSession:
    """A JSON-RPC conversation with the server over its pipes."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [SERVER], cwd=folder, env=clean_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.send(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO})
        assert self.receive()["id"] == 1
        self.send(None, "notifications/initialized", {})

    def send(self, number: int | None, method: str, params: dict[str, Any]) -> None:
        """Send one message; with an ID it is a request."""
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        """Read the next message."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


INFO = {"name": "test", "version": "1"}


@pytest.fixture
def session(folder: Path) -> Iterator[ServerSession]:
    one = ServerSession(folder)
    yield one
    one.process.kill()
    one.process.wait()
    for pipe in (one.process.stdin, one.process.stdout):
        assert pipe is not None
        pipe.close()


def start_long_call(session: ServerSession) -> str:
    """Start a call that debugs for a minute, and return a word in its program's command line."""
    word = f"word-{uuid.uuid4().hex}"
    command = f"'{NODE}' --inspect-brk=0 h.js {word}"
    session.send(2, "tools/call", {"name": "debug-script", "arguments": debug_arguments(command, timeout=60000)})
    wait_until(lambda: len(processes(word)) >= 1)
    return word


def test_closed_stdin_ends_all_processes(session: ServerSession) -> None:
    word = start_long_call(session)
    assert session.process.stdin is not None
    session.process.stdin.close()

    wait_until(lambda: not processes(word), within=10.0)
    assert session.process.wait(5) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM])
def test_signal_ends_all_processes(session: ServerSession, number: int) -> None:
    word = start_long_call(session)
    os.kill(session.process.pid, number)

    wait_until(lambda: not processes(word), within=10.0)
    assert session.process.wait(5) == 128 + number


STARTS = """
import os, signal, subprocess, sys
from mcpi.shell.process.spawn import exit_on_signals, start_tracked

def start():
    process = subprocess.Popen(["sleep", "60"])
    os.kill(os.getpid(), signal.SIGHUP)
    started.append(process)
    return process

def stop(number, _):
    for process in started:
        process.kill()
        process.wait()
    os._exit(len(started))

started = []
exit_on_signals(stop)
start_tracked(start)
"""


def test_signal_while_a_process_starts_takes_effect_when_it_has_started() -> None:
    ran = subprocess.run([sys.executable, "-c", STARTS], env=clean_environment(), check=False, timeout=30)

    assert ran.returncode == 1


def test_cancelled_call_leaves_no_processes_and_the_next_call_works(session: ServerSession) -> None:
    word = start_long_call(session)
    session.send(None, "notifications/cancelled", {"requestId": 2})
    wait_until(lambda: not processes(word), within=10.0)
    session.send(3, "tools/call", {"name": "debug-script", "arguments": debug_arguments()})

    answer = session.receive()
    assert (answer["id"], len(answer["result"]["structuredContent"]["results"])) == (3, 2)


def test_debugged_program_cannot_read_protocol_stdin(session: ServerSession) -> None:
    reads = f"'{NODE}' --inspect-brk=0 -e 'process.stdin.pipe(process.stdout)'"
    session.send(2, "tools/call", {"name": "debug-script", "arguments": debug_arguments(reads)})
    for number in range(3, 20):
        session.send(number, "ping", {})
    answers = {answer["id"]: answer for answer in (session.receive() for _ in range(18))}

    assert sorted(answers) == list(range(2, 20))
    # The program has reached the end of its standard input.
    assert answers[2]["result"]["structuredContent"]["error"] == "Process exited before breakpoint was hit"


def test_concurrent_calls_are_independent(session: ServerSession) -> None:
    for number, expression in ((2, "n"), (3, "-n")):
        session.send(
            number, "tools/call", {"name": "debug-script", "arguments": debug_arguments(expression=expression)}
        )
    answers = {
        answer["id"]: answer["result"]["structuredContent"]["results"]
        for answer in (session.receive(), session.receive())
    }

    assert [one["value"] for one in answers[2]] == [42, 43]
    assert [one["value"] for one in answers[3]] == [-42, -43]


@pytest.mark.parametrize(
    ("flag", "exit_code", "words"),
    [("--help", 0, "usage"), ("--version", 0, "."), ("--port", 1, "takes no arguments, got '--port'")],
)
def test_only_help_and_version_flags_are_accepted(flag: str, exit_code: int, words: str) -> None:
    ran = subprocess.run(
        [warm.command("mcpi-debug-script"), flag], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )

    found, empty = (ran.stderr, ran.stdout) if exit_code else (ran.stdout, ran.stderr)
    assert (ran.returncode, empty) == (exit_code, "")
    assert found.startswith(("mcpi-debug-script", "usage: mcpi-debug-script"))
    assert words in found


def test_server_runs_over_http(mcpi: Mcpi, server: Callable[..., tuple[str, ...]], served: Callable[..., str]) -> None:
    url = served(*server("debug_http"))

    assert [tool["name"] for tool in mcpi(url, "--method", "tools/list", "--validate").json["tools"]] == [
        "debug-script"
    ]
