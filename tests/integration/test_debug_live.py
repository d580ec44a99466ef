"""Breakpoints in a Node.js server during a call."""

import asyncio
import json
import shutil
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

import mcpi
from debugging import FIXTURES, NAMES, NODES
from running import Mcpi, processes, wait_until

SERVER = str(FIXTURES / "server.mjs")
CALL = ("--method", "tools/call", "--tool-name", "greet", "--tool-arg", "name=bo")
LOOK = ("--breakpoint", f"{SERVER}:7", "--expression", "args")
HIT = {"type": "object", "value": {"name": "bo"}}
GREETING_RESULT = {"content": [{"type": "text", "text": "hello bo"}]}


@pytest.fixture
def node() -> str:
    return NODES[0]


@pytest.mark.parametrize("node", NODES, ids=NAMES)
def test_envelope_contains_the_hits(mcpi: Mcpi, node: str) -> None:
    ran = mcpi(*CALL, *LOOK, "--structured", "--", node, SERVER)

    assert (ran.json["result"], ran.json["debug"]) == (GREETING_RESULT, {"results": [HIT]})
    assert (ran.json["stderr"], ran.exit_code) == ([], 0)


@pytest.mark.parametrize(
    ("expression", "hit"),
    [
        ("await new Promise((done) => setTimeout(done, 50, 5))", {"type": "number", "value": 5}),
        ("await new Promise(() => {})", {"type": "object", "subtype": "promise", "value": {"$promise": "pending"}}),
    ],
)
def test_promise_that_settles_after_the_response_is_a_hit(
    mcpi: Mcpi, node: str, expression: str, hit: dict[str, object]
) -> None:
    ran = mcpi(*CALL, *LOOK[:2], "--expression", expression, "--structured", "--", node, SERVER)

    assert (ran.json["result"], ran.json["debug"]) == (GREETING_RESULT, {"results": [hit]})


def test_raw_mode_prints_only_the_result_on_stdout(mcpi: Mcpi, node: str) -> None:
    ran = mcpi(*CALL, *LOOK, "--", node, SERVER)

    assert ran.json == GREETING_RESULT
    assert ran.stderr == 'mcpi: debug {"type":"object","value":{"name":"bo"}}\n'


@pytest.mark.parametrize(("line", "moved"), [(9, "moved to line 10"), (6, "moved to line 8, in `greet()`")])
def test_breakpoint_on_a_line_without_code_is_reported_as_moved(
    mcpi: Mcpi, node: str, tmp_path: Path, line: int, moved: str
) -> None:
    text = (
        Path(SERVER)
        .read_text("utf-8")
        .replace("  return {", "\n  return {")
        .replace("function greet", "\nfunction greet")
    )
    (tmp_path / "server.mjs").write_text(text)
    probe = ("--breakpoint", f"server.mjs:{line}", "--expression", "1")
    ran = mcpi(*CALL, *probe, "--", node, "server.mjs", cwd=tmp_path)

    told = f"mcpi: debug: server.mjs:{line} has no code, so the breakpoint was {moved}\n"
    assert sorted(ran.stderr.splitlines(keepends=True)) == sorted([told, 'mcpi: debug {"type":"number","value":1}\n'])


def test_follow_mode_prints_a_hit_as_an_event(mcpi: Mcpi, node: str) -> None:
    ran = mcpi(*CALL, *LOOK, "--follow", "--timeout", "4s", "--", node, SERVER)

    result, event = (json.loads(line) for line in ran.stdout.splitlines() if line)
    assert (result, event) == (GREETING_RESULT, {"event": "debug", "timestamp": event["timestamp"], **HIT})
    assert list(event)[:2] == ["event", "timestamp"]
    assert ran.exit_code == 0


def test_script_steps_have_separate_hits(mcpi: Mcpi, node: str) -> None:
    steps = [{"method": "tools/call", "toolName": "greet", "toolArgs": {"name": name}} for name in ("a", "b")]
    ran = mcpi("--script", "-", *LOOK, "--", node, SERVER, stdin=json.dumps([*steps, {"method": "tools/list"}]))

    assert [step["debug"]["results"] for step in ran.json] == [
        [{"type": "object", "value": {"name": "a"}}],
        [{"type": "object", "value": {"name": "b"}}],
        [],
    ]


@pytest.mark.parametrize(
    "command",
    [lambda node: ("sh", "-c", f"'{node}' '{SERVER}'"), lambda node: ("env", node, SERVER)],
    ids=["sh", "env"],
)
def test_wrapper_command_passes_the_inspect_flag_to_node(
    mcpi: Mcpi, node: str, command: Callable[[str], tuple[str, ...]]
) -> None:
    ran = mcpi(*CALL, *LOOK, "--structured", "--", *command(node))

    assert ran.json["debug"] == {"results": [HIT]}


def test_npm_run_passes_the_inspect_flag_to_node(mcpi: Mcpi, tmp_path: Path) -> None:
    shutil.copy(SERVER, tmp_path)
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"start": "node server.mjs"}}))
    probe = ("--breakpoint", "server.mjs:7", "--expression", "args")
    ran = mcpi(*CALL, *probe, "--structured", "--cwd", str(tmp_path), "--", "npm", "run", "--silent", "start")

    assert ran.json["debug"] == {"results": [HIT]}


def mapped_server(tmp_path: Path) -> None:
    """Write a server compiled from src/server.ts."""
    shutil.copytree(FIXTURES / "typed", tmp_path, dirs_exist_ok=True)
    # One line more than in the source: only the map resolves it.
    (tmp_path / "dist").mkdir()
    text = Path(SERVER).read_text("utf-8")
    (tmp_path / "dist" / "server.mjs").write_text(f"\n\n{text}\n//# sourceMappingURL=server.mjs.map\n")
    (tmp_path / "src" / "server.ts").write_text(text)
    lines = text.count("\n")
    document = {"version": 3, "sources": ["../src/server.ts"], "mappings": ";;AAAA" + ";AACA" * (lines - 1)}
    (tmp_path / "dist" / "server.mjs.map").write_text(json.dumps(document))


def test_breakpoint_in_a_source_is_resolved_by_source_map(mcpi: Mcpi, node: str, tmp_path: Path) -> None:
    mapped_server(tmp_path)
    probe = ("--breakpoint", "src/server.ts:7", "--expression", "args")
    ran = mcpi(*CALL, *probe, "--structured", "--", node, "dist/server.mjs", cwd=tmp_path)

    assert ran.json["debug"] == {"results": [HIT]}


def test_fail_on_no_hit_exits_with_1(mcpi: Mcpi, node: str) -> None:
    probe = ("--breakpoint", str(FIXTURES / "stripped.ts:5"), "--expression", "1")
    ran = mcpi(*CALL, *probe, "--fail-on-no-hit", "--", node, SERVER)

    assert (ran.exit_code, ran.json) == (1, GREETING_RESULT)
    assert "the breakpoint was never hit" in ran.stderr


def test_non_node_server_is_called_without_breakpoints(mcpi: Mcpi) -> None:
    ran = mcpi("--demo", "--method", "tools/list", *LOOK, "--structured")

    hint = "no inspector found: the server does not run on Node.js, or its stderr is hidden"
    assert ran.json["debug"] == {"results": [], "hint": hint}


def test_unparsable_expression_ends_the_run(mcpi: Mcpi, node: str) -> None:
    probe = ("--breakpoint", f"{SERVER}:7", "--expression", "args(")
    ran = mcpi(*CALL, *probe, "--", node, SERVER)

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith("mcpi: --expression: Expression does not parse: SyntaxError:")
    assert ran.seconds < 10


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--breakpoint", "a.mjs:1"), "--breakpoint requires --expression"),
        (("--expression", "x"), "--expression requires --breakpoint"),
        (("--max-results", "5"), "--max-results requires --breakpoint"),
        (("--breakpoint", "nowhere.mjs:1", "--expression", "x"), "--breakpoint: Breakpoint file not found: /"),
    ],
)
def test_invalid_flags_start_no_server(mcpi: Mcpi, tmp_path: Path, flags: tuple[str, ...], problem: str) -> None:
    ran = mcpi(*CALL, *flags, "--", "touch", "ran", cwd=tmp_path)

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"mcpi: {problem}")
    assert not (tmp_path / "ran").exists()


def test_breakpoint_with_a_url_is_rejected(mcpi: Mcpi) -> None:
    ran = mcpi(*CALL, *LOOK, "http://127.0.0.1:9/mcp")

    assert "--breakpoint applies only to a command" in ran.stderr


def test_server_exits_soon_after_the_call(mcpi: Mcpi, node: str) -> None:
    word = f"word-{uuid.uuid4().hex}"
    began = time.monotonic()
    mcpi(*CALL, *LOOK, "--", node, SERVER, word)

    wait_until(lambda: not processes(word), within=10.0)
    assert time.monotonic() - began < 10


def test_wait_flag_returns_after_the_server_exits(mcpi: Mcpi, node: str) -> None:
    word = f"word-{uuid.uuid4().hex}"
    mcpi(*CALL, *LOOK, "--wait", "--", node, SERVER, word)

    assert processes(word) == []


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_client_sets_breakpoints_while_connected(backend: str, tmp_path: Path) -> None:
    mapped_server(tmp_path)

    async def work() -> None:
        options = mcpi.InspectorOptions(debug=True, retries=0)
        target = {"command": NODES[0], "args": ["dist/server.mjs"], "cwd": str(tmp_path)}
        async with mcpi.Inspector(target, options=options) as server:
            await server.call_tool("greet", {"name": "before"})
            async with server.breakpoint("src/server.ts:7", "args.name", condition="args.name !== 'Bob'") as hits:
                for name in ("Ada", "Bob", "Eve"):
                    await server.call_tool("greet", {"name": name})
                assert [hit.value for hit in hits] == ["Ada", "Eve"]
                assert (len(hits), hits[-1].type, [hit.value for hit in hits[:1]]) == (2, "string", ["Ada"])
                with pytest.raises(mcpi.McpiError, match="give all breakpoints at once"):
                    async with server.breakpoint("src/server.ts:7", "1"):
                        pass
            await server.call_tool("greet", {"name": "after"})
            assert hits.as_json() == {"results": [{"type": "string", "value": name} for name in ("Ada", "Eve")]}
            places, expressions = ["src/server.ts:7", "src/server.ts:8"], ["args.name", "text"]
            async with server.breakpoint(places, expressions, condition="args.name", stack=True) as hits:
                await server.call_tool("greet", {"name": "Zoe"})
            assert [(hit.breakpoint, hit.value) for hit in hits] == [(places[0], "Zoe"), (places[1], "hello Zoe")]
            assert [frame["function"] for frame in hits[1].stack or ()][:2] == ["greet", "respond"]
            assert server.stderr == []

    anyio.run(work, backend=backend)


@pytest.mark.parametrize(
    ("probe", "message"),
    [
        (("server.mjs:7", "args("), "expression: Expression does not parse: SyntaxError"),
        (("server.mjs:x", "1"), "breakpoint: expected FILE:LINE"),
        (("nowhere.mjs:1", "1"), "breakpoint: Breakpoint file not found: /"),
        ((["server.mjs:7"], ["1", "2"]), "expression: expected one, or one for each breakpoint, got 2"),
    ],
)
def test_failed_breakpoint_leaves_the_server_usable(probe: tuple[str, str], message: str) -> None:
    async def work() -> None:
        target = {"command": NODES[0], "args": ["server.mjs"], "cwd": str(FIXTURES)}
        async with mcpi.Inspector(target, options=mcpi.InspectorOptions(debug=True)) as server:
            with pytest.raises(mcpi.McpiError) as failed:
                async with server.breakpoint(*probe):
                    pass
            assert message in str(failed.value)
            assert (await server.call_tool("greet", {"name": "Ada"})).text == "hello Ada"

    asyncio.run(work())


def test_breakpoint_requires_a_node_server_started_with_debug() -> None:
    async def work() -> None:
        async with mcpi.Inspector([NODES[0], SERVER]) as server:
            with pytest.raises(mcpi.McpiError, match="the connection was not opened with debug=True"):
                async with server.breakpoint(f"{SERVER}:7", "1"):
                    pass
        python = [sys.executable, "-m", "mcpi.shell.demo.demo_server"]
        async with mcpi.Inspector(python, options=mcpi.InspectorOptions(debug=True)) as server:
            with pytest.raises(mcpi.McpiError, match="no inspector found"):
                async with server.breakpoint(f"{SERVER}:7", "1"):
                    pass
        with pytest.raises(mcpi.McpiError, match="applies only to a command, not to a URL"):
            mcpi.Inspector("http://127.0.0.1:1/mcp", options=mcpi.InspectorOptions(debug=True))

    asyncio.run(work())


def test_reconnected_server_can_be_debugged(tmp_path: Path) -> None:
    (tmp_path / "server.mjs").write_bytes(Path(SERVER).read_bytes())

    async def work() -> None:
        target = {"command": NODES[0], "args": ["server.mjs"], "cwd": str(tmp_path)}
        async with mcpi.Inspector(target, options=mcpi.InspectorOptions(debug=True)) as server:
            async with server.breakpoint("server.mjs:7", "process.exit()"):
                with pytest.raises(mcpi.McpiError):
                    await server.call_tool("greet", {"name": "Ada"})
            await server.list_tools()
            async with server.breakpoint("server.mjs:7", "args.name") as hits:
                await server.call_tool("greet", {"name": "Eve"})
            assert [hit.value for hit in hits] == ["Eve"]

    asyncio.run(work())
