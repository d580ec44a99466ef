"""Every error code, triggered by a command, in plain and in structured output."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import frozen

import warm
from running import COMMAND, Mcpi, Ran, Web, clean_environment, free_port, wait_until

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "src" / "mcpi" / "schemas" / "envelope.json").read_text())
CODES = SCHEMA["$defs"]["error"]["properties"]["code"]["enum"]
HELP = "https://github.com/mcpi-cli/mcpi/blob/main/docs/errors.md#"
CALL = ("--method", "tools/call", "--tool-name")
SCHEMA_OF_X = '{"tools":[{"name":"x","inputSchema":{},"outputSchema":{"type":"object","required":["a"]}}]}'


@frozen
class Error:
    """An error code, the command line that triggers it, and the expected message."""

    code: str
    category: str
    exit: int
    words: tuple[str, ...]
    message: str
    retryable: bool = False
    stdin: str | None = None
    printed: str = ""
    """The expected stdout."""

    def __str__(self) -> str:
        """The test ID."""
        return self.code


def invalid(code: str, message: str, *words: str, stdin: str | None = None) -> Error:
    """An invalid command line, config or script."""
    return Error(code, "validation", 1, words, message, stdin=stdin)


def unreachable(code: str, message: str, *words: str, retryable: bool = True, exit_code: int = 1) -> Error:
    """A server that is unreachable or lost."""
    return Error(code, "transport", exit_code, words, message, retryable)


def invalid_message(code: str, message: str, *words: str) -> Error:
    """A server that violates the protocol."""
    return Error(code, "protocol", 1, words, message)


def failed(code: str, message: str, *words: str, printed: str = "") -> Error:
    """A call or run that failed."""
    return Error(code, "application", 1, words, message, printed=printed)


# Words in capitals are placeholders for commands and URLs of fixture servers.
ERRORS = (
    invalid("INVALID_ARGUMENT", "--timeout", "--demo", "--method", "tools/list", "--timeout", "soon"),
    invalid("INVALID_CONFIG", "cannot read nowhere.json", "--config", "nowhere.json", "--method", "tools/list"),
    invalid("INVALID_SCRIPT", "standard input", "--demo", "--script", "-", stdin='[{"method": "tools/lst"}]'),
    invalid("MISSING_ARGUMENT", "--tool-name", "--demo", "--method", "tools/call"),
    invalid("UNKNOWN_METHOD", "unknown method 'tools/lst'", "--demo", "--method", "tools/lst"),
    invalid("PLUGIN_FAILED", "the plugin 'broken' of mcpi-broken failed", "--demo", "--method", "broken/x"),
    unreachable(
        "COMMAND_NOT_FOUND",
        "command not found: 'no-such-command'",
        "--method",
        "ping",
        "--",
        "no-such-command",
        retryable=False,
    ),
    unreachable("HOST_NOT_FOUND", "cannot resolve the host", "--method", "ping", "http://no-such-host.invalid/mcp"),
    unreachable("CONNECTION_REFUSED", "Connection refused", "--method", "ping", "http://127.0.0.1:FREE/mcp"),
    unreachable("CONNECTION_LOST", "Connection reset by peer", *CALL, "echo", "WEB:resets_connection"),
    unreachable(
        "SERVER_EXITED",
        "exited with code 3",
        "--method",
        "ping",
        "--",
        "sh",
        "-c",
        "exit 3",
        retryable=False,
    ),
    unreachable("HTTP_STATUS", "HTTP status 500", *CALL, "echo", "WEB:status_500"),
    unreachable(
        "AUTHENTICATION_FAILED", "HTTP status 401", *CALL, "echo", "--auth", "none", "WEB:status_401", retryable=False
    ),
    unreachable("RATE_LIMITED", "HTTP status 429", *CALL, "echo", "WEB:status_429"),
    unreachable("TLS_FAILED", "no secure connection to", *CALL, "echo", "TLS:ssh_server", retryable=False),
    unreachable(
        "CONNECTION_TIMEOUT",
        "no response to server/discover",
        *("--method", "ping", "--connect-timeout", "500ms", "--", "sleep", "60"),
        exit_code=124,
    ),
    unreachable(
        "REQUEST_TIMEOUT",
        "no response to tools/call",
        *(*CALL, "stall", "--timeout", "2s", "--", "SWIFT"),
        exit_code=124,
    ),
    unreachable("INTERRUPTED", "interrupted by SIGINT", *CALL, "stall", "--", "SWIFT", exit_code=130),
    invalid_message("INVALID_RESPONSE", "an empty body", *CALL, "echo", "WEB:status_204"),
    invalid_message("HANDSHAKE_FAILED", "no such client", *CALL, "echo", "--", "FAULTY:initialize_rejected"),
    invalid_message("PROTOCOL_VERSION_MISMATCH", "1999-12-31", *CALL, "echo", "--", "FAULTY:unknown_version"),
    Error("CAPABILITY_MISSING", "capability", 1, ("--method", "prompts/list", "--", "ACME"), "capability prompts"),
    Error(
        "JSON_RPC_ERROR",
        "application",
        2,
        (*CALL, "rent", "--", "ACME"),
        "tools/call failed: -32077 quota",
        printed='{"error":{"code":-32077,"message":"quota"}}',
    ),
    failed(
        "TOOL_ERROR",
        "the tool 'fail' reports an error",
        *(*CALL, "fail", "--fail-on-error", "--", "SWIFT"),
        printed='{"content":[{"type":"text","text":"It did not work."}],"isError":true}',
    ),
    failed(
        "SCHEMA_MISMATCH",
        "does not match its outputSchema",
        *(
            *CALL,
            "x",
            "--output-schema-validate",
            "--",
            "ODD",
            "tools/list",
            SCHEMA_OF_X,
            "tools/call",
            '{"content":[]}',
        ),
        printed='{"content":[]}',
    ),
    failed(
        "EXPECTATION_FAILED",
        "1 of 1 expectations failed",
        *("--method", "ping", "--expect", "/a=1", "--", "SWIFT"),
        printed="{}",
    ),
    failed(
        "TASK_FAILED",
        "the task t7 ended with status failed: too fast",
        *(*CALL, "bad-end", "--run-as-task", "--poll", "--compact", "--", "EXTENDED"),
        printed='{"taskId":"t7","status":"failed","error":{"code":-32603,"message":"rate limit"},'
        '"statusMessage":"too fast"}',
    ),
    Error(
        "VIOLATION",
        "protocol",
        1,
        (
            "--method",
            "tools/list",
            "--era",
            "handshake",
            "--fail-on-violation",
            "--",
            "ODD",
            "tools/list",
            '{"tools":[{"name":1}]}',
        ),
        "the server violated the protocol",
        printed='{"tools":[{"name":1}]}',
    ),
    failed("INPUT_REJECTED", "User rejected sampling request", *CALL, "ask-model", "--demo", "--era", "modern"),
    failed(
        "FINDINGS",
        "lint: 1 error in 8 tools",
        *("lint", "--demo", "--expect-tokens", "1"),
        printed='{"findings":[{"rule":"token-budget","severity":"error","pointer":"/tools","message":"the tool '
        'list has about 424 tokens; expected at most 1","rejectedBy":[],"evidence":"https://www.an'
        'thropic.com/engineering/code-execution-with-mcp","fix":"Shorten descriptions and schemas, or of'
        'fer fewer tools."}],"summary":{"errors":1,"warnings":0,"infos":0,"tools":8,"tokens":424,"toolTo'
        'kens":{"echo":47,"add":97,"slow":89,"fail":31,"ask-model":59,"ask-user":36,"log":32,"touch":33}'
        "}}",
    ),
    failed(
        "CONTRACT_CHANGED",
        "1 change: 1 breaking",
        *(
            "diff",
            '{"lockVersion":1,"protocolVersion":"2025-11-25","prompts":[{"name":"p"}]}',
            '{"lockVersion":1,"protocolVersion":"2025-11-25"}',
            "--compact",
        ),
        printed='{"changes":[{"rule":"prompt-removed","class":"breaking","prompt":"p","pointer":"","old":{"name":"p"},'
        '"new":null,"why":"the prompt was removed: requests for it fail"}],'
        '"summary":{"breaking":1,"additive":0,"routing":0,"cosmetic":0}}',
    ),
    failed(
        "BREAKPOINT_NOT_HIT",
        "PROGRAM",
        *("--method", "debug/script", "--debug-command", "node --inspect-brk=0 PROGRAM"),
        *("--breakpoint", "PROGRAM:2", "--expression", "1"),
    ),
)


@pytest.fixture
def filled(
    server: Callable[..., tuple[str, ...]],
    faulty: Callable[[str], tuple[str, ...]],
    faulty_web: Callable[[str, str], Web],
    tmp_path: Path,
) -> Callable[[Error], list[str]]:
    """Start the servers of an error case, and fill in its placeholders."""
    program = tmp_path / "program.js"
    program.write_text("if (process.argv.length > 9) {\n  console.log(1);\n}\n")

    def fill(word: str) -> tuple[str, ...]:
        kind, _, name = word.partition(":")
        match kind:
            case "FAULTY":
                return faulty(name)
            case "WEB":
                return (faulty_web("faulty_http", name).url(),)
            case "TLS":
                return (faulty_web("faulty_http", name).url().replace("http:", "https:"),)
            case "ACME" | "EXTENDED" | "ODD" | "SWIFT":
                return server(kind.lower())
            case _:
                return (word.replace("FREE", str(free_port())).replace("PROGRAM", str(program)),)

    return lambda error: [filled for word in error.words for filled in fill(word)]


def run_error(mcpi: Mcpi, error: Error, words: list[str], trace: Path) -> Ran:
    """Run the command; for INTERRUPTED, send SIGINT once the request has been sent."""
    if error.code != "INTERRUPTED":
        return mcpi(*words, stdin=error.stdin)
    command = [COMMAND, "--trace", str(trace), *words]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment()
    )
    wait_until(lambda: trace.exists() and '"tools/call"' in trace.read_text())
    os.kill(running.pid, signal.SIGINT)
    stdout, stderr = running.communicate(timeout=20)
    return Ran(running.returncode, stdout, stderr, 0.0)


@pytest.mark.parametrize("error", ERRORS, ids=str)
def test_error_is_printed_on_stderr(
    mcpi: Mcpi, filled: Callable[[Error], list[str]], error: Error, tmp_path: Path
) -> None:
    ran = run_error(mcpi, error, [*filled(error)], tmp_path / "trace")

    stderr = ran.stderr + ran.stdout if error.code == "JSON_RPC_ERROR" else ran.stderr
    assert (ran.exit_code, "mcpi: " in ran.stderr) == (error.exit, True)
    assert error.message.replace("PROGRAM", "program.js") in stderr
    if error.code != "BREAKPOINT_NOT_HIT":
        assert compact(ran.stdout) == error.printed


@pytest.mark.parametrize("error", ERRORS, ids=str)
def test_error_is_in_the_structured_document(
    mcpi: Mcpi, filled: Callable[[Error], list[str]], error: Error, tmp_path: Path
) -> None:
    words = filled(error)
    place = words.index("--") if "--" in words else len(words)
    ran = run_error(mcpi, error, [*words[:place], "--structured", *words[place:]], tmp_path / "trace")

    found = ran.json["error"]
    assert (ran.exit_code, ran.json["success"]) == (error.exit, False)
    assert (found["code"], found["category"], found["retryable"]) == (error.code, error.category, error.retryable)
    assert found["helpUrl"] == HELP + error.code.lower().replace("_", "-")
    assert error.message.replace("PROGRAM", "program.js") in json.dumps(found, ensure_ascii=False)


def test_errors_page_states_category_and_exit_code_of_each_code() -> None:
    page = (ROOT / "docs" / "errors.md").read_text("utf-8")
    found = re.findall(
        r"^`([A-Z_]+)`, category (depends on the JSON-RPC error code|\w+), exit code (\d+)(, retryable(?: if .+)?)?\.$",
        page,
        re.MULTILINE,
    )
    known = {error.code: (error.category, error.exit, error.retryable) for error in ERRORS}
    # The category depends on the error code, the exit code on --fail-on-error.
    known["JSON_RPC_ERROR"] = ("depends on the JSON-RPC error code", *known["JSON_RPC_ERROR"][1:])
    known["TOOL_ERROR"] = ("application", 0, False)

    assert {code: (category, int(number), bool(retry)) for code, category, number, retry in found} == known


def test_every_error_code_has_a_case() -> None:
    assert sorted(error.code for error in ERRORS) == sorted(CODES)


def compact(text: str) -> str:
    """The JSON on one line."""
    return json.dumps(json.loads(text), separators=(",", ":")) if text else ""


@pytest.mark.parametrize(
    "words",
    [
        ["mcpi", "--version"],
        ["mcpi", "--help"],
        ["mcpi", "--complete", "bash", "mcpi "],
        ["mcpi", "--demo", "--era", "handshake", "--method", "ping"],
        ["mcpi-serve", "--help"],
        ["mcpi-debug-script", "--version"],
    ],
    ids=" ".join,
)
def test_full_disk_on_stdout_is_reported_in_one_line(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [warm.command(words[0]), *words[1:]]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=30)

    expected = f"{words[0]}: standard output cannot be written: No space left on device\n"
    assert (ran.returncode, ran.stderr) == (1, expected)


def test_full_disk_on_stderr_does_not_change_the_exit_code() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [warm.command("mcpi"), "--demo", "--era", "handshake", "--method", "ping", "--verbose"]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=full, text=True, check=False, timeout=30)

    assert (ran.returncode, ran.stdout) == (0, "{}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tool-name", "ec\udcffho"], "--tool-name: contains invalid UTF-8: 0xff at byte 3"),
        (["--tool-name", "echo", "--tool-arg", "text=\udcff"], "--tool-arg: contains invalid UTF-8: 0xff"),
        (["--tool-name", "echo", "-H", "X: \udcff"], "--header: the value of X contains invalid UTF-8: 0xff"),
    ],
)
def test_non_utf8_bytes_are_rejected_before_the_call(mcpi: Mcpi, words: list[str], message: str) -> None:
    ran = mcpi("--method", "tools/call", *words, "http://127.0.0.1:9/mcp")

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"mcpi: {message}")


def test_unreachable_proxy_is_reported_without_its_credentials(mcpi: Mcpi) -> None:
    proxy = f"http://user:s3cr3t-w0rd@127.0.0.1:{free_port()}"
    ran = mcpi("--method", "ping", "http://mcp.example/mcp", env={"http_proxy": proxy, "no_proxy": ""})

    shown = proxy.replace("user:s3cr3t-w0rd", "***")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith(
        f"mcpi: cannot connect to the proxy {shown} for http://mcp.example/mcp: Connection refused"
    )
    assert "s3cr3t" not in ran.stderr
