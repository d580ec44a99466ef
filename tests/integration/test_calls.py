"""tools/list and tools/call from argv to exit code, against the MCP reference server."""

import json
import os
import shlex
import subprocess
import uuid
from pathlib import Path

import pytest

import warm
from running import COMMAND, Mcpi, processes, wait_until

Everything = tuple[str, ...]


def test_tools_are_listed_in_server_order(mcpi: Mcpi, everything: Everything) -> None:
    ran = mcpi(*everything, "--method", "tools/list")

    assert ran.exit_code == 0
    assert [tool["name"] for tool in ran.json["tools"]][:3] == ["echo", "get-annotated-message", "get-env"]
    assert list(ran.json["tools"][0]) == ["name", "title", "description", "inputSchema", "annotations", "execution"]


def test_output_can_be_piped(everything: Everything) -> None:
    command = f'{warm.command("mcpi")} {" ".join(everything)} --method tools/list --quiet | python3 -c "{_FIRST_NAME}"'

    piped = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)  # noqa: S607

    assert (piped.stdout, piped.stderr) == ("echo\n", "")


_FIRST_NAME = "import json, sys; print(json.load(sys.stdin)['tools'][0]['name'])"


def test_tools_call_prints_the_result(mcpi: Mcpi, everything: Everything) -> None:
    ran = mcpi(*everything, "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hi")

    assert (ran.exit_code, ran.json) == (0, {"content": [{"type": "text", "text": "Echo: hi"}]})


def test_arguments_are_converted_by_the_schema(mcpi: Mcpi, everything: Everything) -> None:
    ran = mcpi(
        *everything, "--method", "tools/call", "--tool-name", "get-sum", "--tool-arg", "a=2", "--tool-arg", "b=3.5"
    )

    assert (ran.exit_code, ran.json["content"][0]["text"]) == (0, "The sum of 2 and 3.5 is 5.5.")


def test_server_flags_follow_the_separator(mcpi: Mcpi, everything: Everything) -> None:
    ran = mcpi(*everything, "--", "stdio", "--port", "3000", "--method", "tools/list")

    assert (ran.exit_code, ran.json["tools"][0]["name"]) == (0, "echo")


def test_mcpi_flags_may_precede_the_separator(mcpi: Mcpi, everything: Everything) -> None:
    ran = mcpi("--method", "tools/list", "--compact", "--", *everything)

    assert ran.exit_code == 0
    assert ran.stdout.count("\n") == 1


def test_server_error_exits_with_2(mcpi: Mcpi, everything: Everything) -> None:
    ran = mcpi(*everything, "--method", "vendor/thing", "--params", "{}", "--quiet")

    assert (ran.exit_code, ran.json) == (2, {"error": {"code": -32601, "message": "Method not found"}})
    assert ran.stderr == "mcpi: vendor/thing failed: -32601 Method not found\n"


def test_config_file_server_is_started_with_expanded_env(mcpi: Mcpi, everything: Everything, tmp_path: Path) -> None:
    config = tmp_path / "servers.json"
    entry = {"command": everything[0], "args": list(everything[1:]), "env": {"GREETING": "${WHO:-nobody}"}}
    config.write_text(json.dumps({"mcpServers": {"my-server": entry}}))
    call = ("--method", "tools/call", "--tool-name", "get-env")

    ran = mcpi("--config", str(config), "--server", "my-server", *call, env={"WHO": "me"})

    assert ran.exit_code == 0
    assert json.loads(ran.json["content"][0]["text"])["GREETING"] == "me"


def test_env_and_cwd_are_applied_without_mcpi_variables(mcpi: Mcpi, everything: Everything, tmp_path: Path) -> None:
    call = ("--method", "tools/call", "--tool-name", "get-env")

    ran = mcpi(*everything, *call, "-e", "COLOR=red", "--cwd", str(tmp_path), env={"MCPI_TOKEN": "not for children"})

    seen = json.loads(ran.json["content"][0]["text"])
    assert (seen["COLOR"], "MCPI_TOKEN" in seen) == ("red", False)


MISTAKES = [
    (("--method", "tools/list", "--verbos"), ("--verbos", "did you mean: mcpi ", " --verbose")),
    (("--method", "tools/lst"), ("unknown method 'tools/lst'", "did you mean: mcpi ", " tools/list")),
    (("--method", "tools/call"), ("--tool-name", "tools/call requires --tool-name")),
    (("--method", "tools/list", "--tool-name", "x"), ("--tool-name is a flag of tools/call",)),
    (("--method", "tools/list", "--timeout", "soon"), ("--timeout", "expected a duration", "'soon'")),
    (("--method", "tools/call", "--tool-name", "x", "--tool-args", "{"), ("--tool-args", "invalid JSON")),
    (("--method", "tools/call", "--tool-name", "x", "--tool-args", "[1]"), ("--tool-args", "a JSON object")),
    (("--method", "tools/call", "--tool-name", "x", "--tool-arg", "nonsense"), ("expected key=value", "'nonsense'")),
    (("--method",), ("--method", "requires a value")),
    (("--method", "tools/list", "--config", "x.json"), ("--config", "are both targets")),
    (("--method", "tools/list", "--header", "A: b"), ("--header", "applies only to a URL")),
]


@pytest.mark.parametrize(("args", "message"), MISTAKES)
def test_invalid_command_line_starts_no_server(
    mcpi: Mcpi, tmp_path: Path, args: tuple[str, ...], message: tuple[str, ...]
) -> None:
    started = tmp_path / "started"

    ran = mcpi("touch", str(started), *args)

    assert (ran.exit_code, ran.stdout, started.exists()) == (1, "", False)
    assert [word for word in message if word not in ran.stderr] == []


WRONG_CALLS = [
    (("--tool-name", "get-sum", "--tool-arg", "a=2", "--tool-arg", "b=x"), ("b: expected a number, got 'x'",)),
    (("--tool-name", "get-sum", "--tool-arg", "a=2"), ("requires the argument 'b'",)),
    (
        ("--tool-name", "ehco", "--tool-arg", "message=hi"),
        ("unknown tool 'ehco'", "did you mean: mcpi ", " --tool-name echo"),
    ),
    (("--tool-name", "get-annotated-message", "--tool-arg", "messageType=eror"), ("one of", '"error"')),
]


@pytest.mark.parametrize(("args", "message"), WRONG_CALLS)
def test_arguments_violating_the_schema_fail_before_the_call(
    mcpi: Mcpi, everything: Everything, args: tuple[str, ...], message: tuple[str, ...]
) -> None:
    ran = mcpi(*everything, "--method", "tools/call", *args, "--verbose")

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert [word for word in message if word not in ran.stderr] == []
    assert '"method":"tools/call"' not in ran.stderr


def test_unknown_command_is_reported_with_a_suggestion(mcpi: Mcpi) -> None:
    ran = mcpi("pyhton3", "server.py", "--method", "tools/list")

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "command not found: 'pyhton3'" in ran.stderr
    assert "did you mean: mcpi python3 server.py --method tools/list\n" in ran.stderr


def test_silent_server_exits_with_124(mcpi: Mcpi) -> None:
    ran = mcpi("sleep", "30", "--method", "tools/list", "--connect-timeout", "500ms")

    assert (ran.exit_code, ran.stdout) == (124, "")
    assert "no response to server/discover" in ran.stderr


def test_structured_prints_one_document_for_an_invalid_command_line(mcpi: Mcpi) -> None:
    ran = mcpi("--method", "tools/lst", "--structured", "node", "server.js")

    assert ran.exit_code == 1
    assert (ran.json["success"], ran.json["error"]["code"]) == (False, "UNKNOWN_METHOD")


@pytest.mark.parametrize("flags", [("--structured=true",), ("--compact", "--structured"), ()])
def test_structured_flag_and_variable_apply_to_an_invalid_command_line(flags: tuple[str, ...], mcpi: Mcpi) -> None:
    ran = mcpi("--no-such-flag", *flags, env={} if flags else {"MCPI_STRUCTURED": "1"})

    assert (ran.exit_code, ran.json["success"]) == (1, False)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_stream_does_not_affect_the_other_streams(closed: str) -> None:
    line = f'"$0" --era handshake --method ping -- {shlex.join(warm.demo())} {closed}'
    ran = subprocess.run(["/bin/sh", "-c", line, COMMAND], capture_output=True, text=True, check=True)

    assert (ran.stdout, ran.stderr) == ("" if closed == ">&-" else "{}\n", "")


def test_structured_reports_the_negotiated_connection(mcpi: Mcpi, everything: Everything) -> None:
    ran = mcpi(*everything, "--method", "tools/list", "--structured")

    document = ran.json
    assert (ran.exit_code, document["success"], document["error"]) == (0, True, None)
    assert document["connection"]["protocolVersion"] == "2025-11-25"
    assert document["connection"]["serverInfo"]["name"] == "mcp-servers/everything"
    assert document["stderr"] == ["Starting default (STDIO) server..."]


def test_output_file_is_written_without_leftovers(mcpi: Mcpi, everything: Everything, tmp_path: Path) -> None:
    ran = mcpi(*everything, "--method", "tools/list", "--output", str(tmp_path / "tools.json"))

    assert (ran.exit_code, ran.stdout) == (0, "")
    assert json.loads((tmp_path / "tools.json").read_text())["tools"][0]["name"] == "echo"
    assert [path.name for path in tmp_path.iterdir()] == ["tools.json"]


def test_dry_run_prints_the_request_without_connecting(mcpi: Mcpi) -> None:
    ran = mcpi(
        "no-such-command", "--dry-run", "--method", "tools/call", "--tool-name", "t", "--tool-args", '{"n": 1.50}'
    )

    assert ran.exit_code == 0
    params = ran.json["messages"][0]["params"]
    assert params == {"name": "t", "arguments": {"n": 1.5}, "_meta": {"progressToken": 1}}
    assert '"n": 1.50' in ran.stdout
    assert ran.json["presumes"].startswith("the server belongs to the handshake era")


def test_dry_run_of_a_modern_method_shows_the_modern_request(mcpi: Mcpi) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--method", "server/discover")

    meta = ran.json["messages"][0]["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"


def test_output_preserves_fifo_and_symlink(mcpi: Mcpi, tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for path in (pipe, link):
        assert mcpi("--demo", "--method", "ping", "--era", "handshake", "--output", str(path)).exit_code == 0
    read = os.read(reader, 100)
    os.close(reader)

    assert (read, (tmp_path / "file").read_text()) == (b"{}\n", "{}\n")
    assert (pipe.is_fifo(), link.is_symlink()) == (True, True)


def test_npx_server_responds_and_exits_soon_after(mcpi: Mcpi) -> None:
    word = f"mcpi-test-{uuid.uuid4().hex}"
    folder = str(Path(__file__).parents[2] / "fixtures" / "node")
    server = ("npx", "--no-install", "mcp-server-everything", "stdio", word)

    ran = mcpi(
        *("--cwd", folder, "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hi", "--", *server)
    )

    assert (ran.exit_code, ran.json["content"]) == (0, [{"type": "text", "text": "Echo: hi"}])
    wait_until(lambda: not processes(word), within=10.0)


def test_unknown_tool_is_matched_against_the_tool_list(mcpi: Mcpi, everything: tuple[str, ...]) -> None:
    misspelled = ("--method", "tools/call", "--tool-name", "ecoh")
    as_error, as_result = mcpi("--demo", *misspelled), mcpi(*everything, "--quiet", *misspelled)

    assert (as_error.exit_code, as_error.json["error"]["code"]) == (1, -32602)
    assert (as_result.exit_code, as_result.json["isError"]) == (1, True)
    for ran in (as_error, as_result):
        assert ran.stderr.startswith("mcpi: --tool-name: unknown tool 'ecoh' (")
        assert "); did you mean: mcpi " in ran.stderr
        assert ran.stderr.endswith(" --tool-name echo\n")


def test_relative_command_is_looked_up_in_the_cwd(mcpi: Mcpi, tmp_path: Path) -> None:
    for name in ("bin/python", "srv/run", "srv/x.py"):
        program = tmp_path / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/no/such/interpreter\n")
        program.chmod(0o755)
    call = ("tools/list", "--cwd", "srv", "--")
    missing = "mcpi: command not found in the server's working directory 'srv': "
    there = "  to start the file in the current directory: mcpi tools/list --cwd srv --"

    commands = ("bin/python", "srv/run", "srv/x.py", "bin/node", "./run")
    assert [mcpi(*call, one, cwd=tmp_path).stderr for one in commands] == [
        f"{missing}'bin/python'\n{there} ../bin/python\n",
        f"{missing}'srv/run'\n{there} ./run\n",
        f"{missing.replace('command not found', 'no such file or command')}'srv/x.py'\n{there} python3 ./x.py\n",
        f"{missing}'bin/node'\n",
        "mcpi: './run' cannot be executed: its interpreter '/no/such/interpreter' does not exist\n",
    ]
