"""The claims of SECURITY.md, tested against hostile servers."""

import json
import os
import pty
import re
import socket
import subprocess
import sys
import threading
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

import warm
from cases import CALL, Faulty, FaultyWeb
from running import COMMAND, Mcpi, clean_environment, free_port, listens, wait_until

ROOT = Path(__file__).parents[2]
INITIALIZE_PARAMS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
OTHER_LOOPBACK = "127.0.0.2"
"""A loopback address at which a server bound to 127.0.0.1 must not be reachable."""
SECRETS = {"T": "t0k3n-of-nobody", "H": "h34d3r-of-nobody", "P": "p4ssw0rd-of-nobody", "Q": "qu3ry-k3y-of-nobody"}
UNESCAPED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
ERASING, COLOURING = re.compile("\r\x1b\\[K"), re.compile("\r\x1b\\[K|\x1b\\[[0-9;]*m")
"""The escape sequences that mcpi writes to a terminal, without and with colors."""


OUT_OF_ORDER = """
import sys
from mcpi.shell.context import process_context
from mcpi.shell.main import main
from mcpi.shell.transports.credentials import Credentials
def fail(*_): raise LookupError("t0k3n-of-nobody")
Credentials.headers = fail
sys.exit(main(process_context()))
"""
"""Raise an unexpected exception in the code that holds a token."""


def on_a_terminal(*args: str, seconds: float = 20.0, env: dict[str, str] | None = None) -> str:
    """All output to a terminal, from stdout and stderr."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [warm.command("mcpi"), *args], stdout=theirs, stderr=theirs, stdin=theirs, env=clean_environment(env)
    )
    os.close(theirs)
    timer = threading.Timer(seconds, running.terminate)
    timer.start()
    shown = b""
    try:
        while chunk := os.read(ours, 1 << 16):
            shown += chunk
    except OSError:
        pass  # the other end of the terminal is closed
    running.wait()
    timer.cancel()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("where", ["in_result", "in_error", "before_exit"])
@pytest.mark.parametrize("more", [(), ("--structured",), ("--verbose",), ("--follow", "--timeout", "3s")], ids=str)
def test_server_output_is_escaped_on_a_terminal(where: str, more: tuple[str, ...], faulty: Faulty) -> None:
    for variables, ours in (({"NO_COLOR": "1"}, ERASING), ({"TERM": "xterm"}, COLOURING)):
        shown = on_a_terminal(*CALL, *more, "--", *faulty(f"escape_sequences_{where}"), env=variables)

        assert "31m" in shown
        assert not UNESCAPED.search(ours.sub("", shown))


def test_output_to_a_pipe_keeps_every_character(faulty: Faulty, mcpi: Mcpi) -> None:
    assert "\x9b31m \x7f \u202e" in mcpi(*CALL, "--", *faulty("escape_sequences_in_result")).json["content"][0]["text"]


def test_secrets_are_masked_in_every_output(faulty_web: FaultyWeb, tmp_path: Path) -> None:
    web = faulty_web("faulty_http", "echoes_request_headers")
    (tmp_path / "token").write_text(SECRETS["T"])
    files = {name: str(tmp_path / name) for name in ("trace", "html", "junit", "tap", "out")}
    ran = subprocess.run(
        [
            *(warm.command("mcpi"), *CALL, "--structured", "--verbose", "--watch", "100ms", "--trace", files["trace"]),
            *("--report-html", files["html"], "--report-junit", files["junit"], "--report-tap", files["tap"]),
            *("--token", f"file:{tmp_path / 'token'}", "--header", "X-Key: env:H"),
            web.url().replace("//", f"//me:{SECRETS['P']}@") + f"?apiKey={SECRETS['Q']}",
        ],
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(SECRETS),
    )

    texts = {"stdout": ran.stdout, "stderr": ran.stderr}
    texts |= {name: Path(path).read_text() for name, path in files.items() if name != "out"}
    assert [(name, one) for name, text in texts.items() for one in SECRETS.values() if one in text] == []
    assert ran.stdout.count("***") > 3
    received = next(request for request in web.seen() if request["message"].get("method") == "tools/call")
    assert all(secret in json.dumps(received) for secret in (SECRETS["H"], SECRETS["Q"]))


@pytest.mark.parametrize("more", [(), ("--ndjson",)], ids=str)
def test_secrets_are_masked_in_script_output(more: tuple[str, ...], faulty_web: FaultyWeb, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"method": "tools/call", "toolName": "x"}]')
    web = faulty_web("faulty_http", "echoes_request_headers")
    wanted = ("--script", str(script), *more, "--header", "X-Key: env:H", "--token", "env:T", web.url())
    ran = subprocess.run(
        [warm.command("mcpi"), *wanted], capture_output=True, text=True, check=False, env=clean_environment(SECRETS)
    )

    assert '"structuredVersion":' in ran.stdout
    assert [one for one in SECRETS.values() if one in ran.stdout + ran.stderr] == []
    assert "***" in ran.stdout


def test_secrets_are_masked_in_stream_output(faulty_web: FaultyWeb) -> None:
    web = faulty_web("faulty_http", "echoes_request_headers")
    wanted = (*CALL, "--follow", "--max-events", "2", "--token", "env:T", web.url() + f"?apiKey={SECRETS['Q']}")
    ran = subprocess.run(
        [warm.command("mcpi"), *wanted], capture_output=True, text=True, check=False, env=clean_environment(SECRETS)
    )

    result, _, lines = ran.stdout.partition("\n\n")
    assert SECRETS["T"] in result
    # The event of the missing notification stream may come before the two or after the end.
    assert len([line for line in lines.splitlines() if '"no-stream"' not in line]) == 2
    assert "***" in lines
    assert [one for one in SECRETS.values() if one in lines + ran.stderr] == []


def test_secrets_from_variables_are_in_no_command_line(faulty: Faulty, faulty_web: FaultyWeb, mcpi: Mcpi) -> None:
    web = faulty_web("faulty_http", "no_response")
    args = [COMMAND, *CALL, "--token", "env:T", "--header", "X-Key: env:H", "--timeout", "20s", web.url()]
    calling = subprocess.Popen(args, env=clean_environment(SECRETS), stderr=subprocess.DEVNULL)
    try:
        seen = mcpi(*CALL, "--", *faulty("reports_environment")).json["_meta"]["processes"]
    finally:
        calling.kill()
        calling.wait()

    assert any(web.url() in line for line in seen)
    assert [line for line in seen for secret in SECRETS.values() if secret in line] == []


def test_mcpi_variables_are_not_passed_to_the_server(faulty: Faulty, mcpi: Mcpi) -> None:
    ours = {"MCPI_TIMEOUT": "20s", "MCPI_AUTH_STORE": "x", "MCPI_ANYTHING": "secret"}

    ran = mcpi(
        *CALL,
        "--env",
        "GIVEN=yes",
        "--",
        *faulty("reports_environment"),
        env={"INHERITED": "yes", **ours},
    )

    seen = ran.json["_meta"]["environment"]
    assert [name for name in seen if name.startswith("MCPI_")] == []
    assert (seen["GIVEN"], seen["INHERITED"]) == ("yes", "yes")


def test_remote_schema_reference_is_not_fetched(faulty: Faulty, mcpi: Mcpi) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        port = str(listener.getsockname()[1])
        ran = mcpi(*CALL, "--output-schema-validate", "--", *faulty("remote_schema_reference"), port)

        assert ran.exit_code == 1
        assert f"Unresolvable: http://127.0.0.1:{port}/schema.json" in ran.stderr
        with pytest.raises(TimeoutError):
            listener.accept()


OLD_DRAFT = "http://json-schema.org/draft-04/schema#"


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ('{"$schema":[]}', "{}", "the schema cannot be applied: unhashable type"),
        (f'{{"$schema":"{OLD_DRAFT}","$ref":5}}', "{}", "the schema cannot be applied: 'int' object"),
        ('{"$ref":"#/x","x":{"multipleOf":0}}', "4", "the schema cannot be applied: "),
        ('{"$ref":"#/x","x":{"type":"text"}}', '"4"', "the schema itself is invalid: unknown type 'text'"),
    ],
)
def test_schema_that_cannot_be_applied_is_reported(schema: str, value: str, message: str, mcpi: Mcpi) -> None:
    tools = f'{{"tools":[{{"name":"x","inputSchema":{{}},"outputSchema":{schema}}}]}}'
    server = (sys.executable, str(ROOT / "fixtures" / "servers" / "odd.py"))
    answers = ("tools/list", tools, "tools/call", f'{{"content":[],"structuredContent":{value}}}')

    ran = mcpi("--method", "tools/call", "--tool-name", "x", "--output-schema-validate", "--", *server, *answers)

    assert (ran.exit_code, message in ran.stderr) == (1, True), ran.stderr


def test_schema_validation_is_limited_to_5_seconds(faulty: Faulty, mcpi: Mcpi) -> None:
    ran = mcpi(*CALL, "--output-schema-validate", "--", *faulty("exponential_schema"))

    assert ran.exit_code == 1
    assert "the value could not be checked within 5 s" in ran.stderr
    assert ran.seconds < 15


def test_result_that_takes_too_long_to_validate_is_not_a_violation(faulty: Faulty, mcpi: Mcpi) -> None:
    ran = mcpi(*CALL, "--fail-on-violation", "--", *faulty("exponential_schema"))

    warning = "warning: the result of 'echo' was not validated against its outputSchema: the value could not be checked"
    assert (ran.exit_code, warning in ran.stderr) == (0, True), ran.stderr


LARGE_RESULT = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "a", "version": "1"}}
        results = {"initialize": result, "tools/list": {"tools": []}}
        result = results.get(request["method"]) or {"content": eval(sys.argv[1])}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("['x'] * 2_000_000", "warning: the result of tools/call was not validated, as it has more than 50000 values"),
        ("[{'type': 'text', 'text': 'a,' * 100_000}]", None),
        ("['a,' * 100_000]", "violates the schema of 2025-11-25 at /content/0"),
    ],
)
def test_messages_of_many_values_are_not_validated(content: str, problem: str | None, mcpi: Mcpi) -> None:
    server = (sys.executable, "-c", LARGE_RESULT, content)

    ran = mcpi(*CALL, "--era", "handshake", "--force", "--validate", "--timeout", "60s", "--", *server)

    assert ran.exit_code == 0, ran.stderr
    assert (problem or "") in ran.stderr
    assert bool(ran.stderr) == bool(problem)


@pytest.mark.parametrize("name", [".mcp.json", "mcp.json", ".mcpi.json", "mcpi.json", "claude_desktop_config.json"])
def test_config_file_is_not_read_unless_named(name: str, mcpi: Mcpi, tmp_path: Path) -> None:
    config = {"mcpServers": {"one": {"command": "touch", "args": [str(tmp_path / "started")]}}}
    (tmp_path / name).write_text(json.dumps(config))

    ran = mcpi("--method", "tools/list", cwd=tmp_path, env={"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)})

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert not (tmp_path / "started").exists()


def test_config_values_are_not_evaluated_by_a_shell(faulty: Faulty, mcpi: Mcpi, tmp_path: Path) -> None:
    first, *rest = faulty("blank_lines")
    marker = tmp_path / "marker"
    injections = [f"$(touch {marker})", f"`touch {marker}`", f"; touch {marker}", "${NOBODY:-$(id)}"]
    server = {"command": first, "args": [*rest, *injections], "env": {"X": f"$(touch {marker})"}}
    (tmp_path / "config.json").write_text(json.dumps({"mcpServers": {"one": server}}))

    ran = mcpi(*CALL, "--config", str(tmp_path / "config.json"))

    assert ran.exit_code == 0
    assert not marker.exists()


@pytest.mark.parametrize(
    "step",
    [
        {
            "toolName": "call_method",
            "toolArgs": {"method": "tools/call", "arguments": {"toolName": "echo", "toolArg": ["message=@FILE"]}},
        },
        {"toolName": "tools_call", "toolArgs": {"toolName": "echo", "toolArgs": "@FILE"}},
        {
            "toolName": "run_script",
            "toolArgs": {"steps": [{"method": "tools/call", "toolName": "echo", "toolArg": ["a=@FILE"]}]},
        },
    ],
    ids=["argument", "arguments", "script"],
)
def test_mcpi_serve_does_not_read_files_for_an_agent(step: dict[str, Any], mcpi: Mcpi, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("pr1v4te")
    command, *args = warm.demo()
    demo = {"command": command, "args": args}
    (tmp_path / "config.json").write_text(json.dumps({"mcpServers": {"demo": demo}}))
    calls = [{"toolName": "connect", "toolArgs": {"server": "demo"}}, step]
    script = json.dumps([{"method": "tools/call", "onError": "continue", **one} for one in calls])

    ran = mcpi(
        *("--script", "-", "--", warm.command("mcpi-serve"), "--config", str(tmp_path / "config.json")),
        stdin=script.replace("FILE", str(tmp_path / "private")),
    )

    assert ran.json[0]["success"] is True
    assert ran.json[1]["result"] is not None
    assert "pr1v4te" not in ran.stdout + ran.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("--demo", "tools/call", "echo", "text=hi"),
        ("--complete", "fish", "--demo", "--method", "tools/call", "--tool-name", "ech"),
    ],
    ids=["demo", "completion"],
)
def test_modules_of_the_working_directory_are_not_imported(args: tuple[str, ...], tmp_path: Path) -> None:
    for name in ("mcpi", "mcp", "json", "anyio"):
        (tmp_path / f"{name}.py").write_text(f"open('{name}.imported', 'w')")

    subprocess.run([COMMAND, *args], capture_output=True, check=True, cwd=tmp_path, env=clean_environment(), timeout=60)

    assert [*tmp_path.glob("*.imported")] == []


@pytest.mark.parametrize(
    ("header", "status"),
    [(("X", "y"), 200), (("Host", "evil.example"), 421), (("Origin", "http://evil.example"), 403)],
)
def test_mcpi_serve_rejects_requests_from_a_browser_page(header: tuple[str, str], status: int) -> None:
    port = free_port()
    serving = subprocess.Popen([warm.command("mcpi-serve"), "--http", str(port)], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: listens(port))
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE_PARAMS}
        connection = HTTPConnection("127.0.0.1", port)
        accept = "application/json, text/event-stream"
        headers = dict([("Content-Type", "application/json"), ("Accept", accept), header])
        connection.request("POST", "/mcp", json.dumps(request), headers)
        assert connection.getresponse().status == status
        connection.close()
        with socket.socket() as elsewhere:
            assert elsewhere.connect_ex((OTHER_LOOPBACK, port)) != 0
    finally:
        serving.terminate()
        serving.wait()


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_internal_error_message_contains_no_token(transport: str, faulty_web: FaultyWeb) -> None:
    url = faulty_web("faulty_http", "stays_open").url()
    command = [sys.executable, "-c", OUT_OF_ORDER, *CALL, "--timeout", "20s", "--transport", transport, url]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment(), timeout=10)

    message = f"mcpi: internal error in an exchange with {url} (LookupError); please report it\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", message)


def test_tests_named_in_security_md_exist() -> None:
    named = re.findall(r"`(\w+\.py)::(\w+)`", (ROOT / "SECURITY.md").read_text())
    sources = [(path.name, path.read_text()) for path in (ROOT / "tests").rglob("test_*.py")]

    assert len(named) > 30
    assert [
        one for one in named if not any(one[0] == file and f"def {one[1]}(" in text for file, text in sources)
    ] == []


def test_each_claim_and_limit_in_security_md_names_a_test() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    tables = re.findall(r"^\|[^\n]*\| test \|\n\| --- .*\n((?:\|.*\n)+)", text, re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()]

    assert (len(rows) > 60, re.findall("^## Limits$", text, re.MULTILINE)) == (True, ["## Limits"])
    assert [row for row in rows if not re.search(r"`test_\w+\.py::test_\w+`[^|]* \|$", row)] == []
