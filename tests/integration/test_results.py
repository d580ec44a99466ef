"""Results are printed once, on the right stream and with the right exit code."""

import json
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from running import Mcpi

JsonObject: TypeAlias = dict[str, Any]

SWIFT = (sys.executable, str(Path(__file__).parents[2] / "fixtures" / "servers" / "swift.py"))
OLD = ("--era", "handshake", "--", *SWIFT)
NOISY = (sys.executable, "-S", str(Path(__file__).parents[2] / "fixtures" / "servers" / "faulty.py"), "noise_before")
NOISE = "not a JSON-RPC message"
EMPTY_REPLY = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"]}), flush=True)
"""
MODERN = """
import json, sys
META = "io.modelcontextprotocol/"
def say(**members):
    print(json.dumps({"jsonrpc": "2.0", **members}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    about = asked.get("params", {}).get("_meta", {})
    if asked.get("method") == "server/discover":
        offers = {"supportedVersions": ["2026-07-28"], "capabilities": {"logging": {}}}
        say(id=asked["id"], result={"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **offers})
    if asked.get("method") == "subscriptions/listen":
        own = {META + "subscriptionId": asked["id"]}
        say(method="notifications/subscriptions/acknowledged", params={"_meta": own, "notifications": {}})
        say(method="notifications/message", params={"_meta": own, "level": about[META + "logLevel"], "data": "well"})
"""
"""A modern server that logs to its subscriber, at the level of the request."""


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_ping_prints_an_empty_object_in_every_era(mcpi: Mcpi, era: str) -> None:
    ran = mcpi("--demo", "ping", "--era", era, "--structured")

    assert (ran.exit_code, ran.json["result"]) == (0, {})
    found = [one for one in ran.json["implicit"] if "no ping" in one["reason"]]
    assert [list(one) for one in found] == ([["method", "params", "reason"]] if era == "modern" else [])
    assert [one["method"] for one in found] == (["server/discover"] if era == "modern" else [])


def test_verbose_prints_implicit_requests_once(mcpi: Mcpi) -> None:
    ran = mcpi("--demo", "ping", "--era", "modern", "--verbose")

    found = [line for line in ran.stderr.splitlines() if line.startswith("* sent by mcpi itself: ")]
    assert [line.partition(": ")[2].split()[0] for line in found] == ["server/discover", "server/discover"]
    assert ["no ping" in line for line in found] == [True, False]


def test_response_without_result_and_error_is_rejected(mcpi: Mcpi) -> None:
    ran = mcpi("--method", "ping", "--era", "handshake", "--structured", "--", sys.executable, "-c", EMPTY_REPLY)

    assert (ran.exit_code, ran.json["error"]["code"]) == (1, "INVALID_RESPONSE")


def test_unknown_tool_error_includes_the_server_message(mcpi: Mcpi) -> None:
    raw = mcpi("--demo", "tools/call", "ech")
    whole = mcpi("--demo", "tools/call", "ech", "--structured")

    assert (raw.exit_code, raw.json["error"]["code"]) == (1, -32602)
    expected = "mcpi: --tool-name: unknown tool 'ech' (Unknown tool: ech)"
    assert raw.stderr == f"{expected}; did you mean: mcpi --demo tools/call echo\n"
    assert (whole.json["error"]["code"], whole.json["error"]["rpc"]["code"]) == ("INVALID_ARGUMENT", -32602)
    assert (whole.json["result"], whole.json["method"]) == (None, "tools/call")


def test_unknown_tool_with_is_error_keeps_the_result(mcpi: Mcpi, everything: tuple[str, ...], tmp_path: Path) -> None:
    ran = mcpi("tools/call", "ecoh", "--structured", "--trace", str(tmp_path / "trace"), "--", *everything)
    sent = [json.loads(line)["parsed"] for line in (tmp_path / "trace").read_text().splitlines() if '"sent"' in line]

    assert (ran.exit_code, ran.json["error"]["code"], ran.json["result"]["isError"]) == (1, "INVALID_ARGUMENT", True)
    # The list is read after the call, not before it.
    assert [one["method"] for one in sent if one["method"].startswith("tools/")] == ["tools/call", "tools/list"]


@contextmanager
def serving(tool: JsonObject) -> Iterator[tuple[str, list[str]]]:
    """The URL of a modern server with one tool, and the methods it received."""
    methods: list[str] = []
    common = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    answers: dict[str, JsonObject] = {
        "server/discover": {**common, "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
        "tools/list": {**common, "tools": [tool]},
        "tools/call": {**common, "content": []},
    }

    class Modern(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            methods.append(message["method"])
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answers[message["method"]]}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Modern) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/mcp", methods
        server.shutdown()


@pytest.mark.parametrize(("header", "code"), [("Region", 0), (None, 1)])
def test_modern_http_call_without_arguments_reads_the_tool_definition(
    mcpi: Mcpi, header: str | None, code: int
) -> None:
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": header}}}
    with serving({"name": "find", "inputSchema": schema}) as (url, methods):
        ran = mcpi("tools/call", "--tool-name", "find", url, "--era", "modern")

    assert ran.exit_code == code
    assert methods == ["server/discover", "tools/list", *(["tools/call"] if code == 0 else [])]
    assert ("x-mcp-header" in ran.stderr) == (code == 1)


def test_json_rpc_error_is_also_one_line_on_stderr(mcpi: Mcpi) -> None:
    ran = mcpi("tools/call", "refuse", *OLD)

    assert ran.exit_code == 2
    (line,) = ran.stderr.splitlines()
    assert line == f"mcpi: tools/call failed: {ran.json['error']['code']} {ran.json['error']['message']}"


def test_task_id_is_a_top_level_member(mcpi: Mcpi) -> None:
    ran = mcpi("tools/call", "work", "--run-as-task", *OLD)

    assert ran.json["taskId"] == ran.json["task"]["taskId"]


def test_logs_are_printed_once(mcpi: Mcpi) -> None:
    call = ("tools/call", "log", *OLD)
    raw, whole = mcpi("--verbose", *call), mcpi("--structured", *call)
    followed = mcpi("--follow", "--max-events", "8", "--timeout", "20s", *call)

    found = [line for line in raw.stderr.splitlines() if not line.startswith(("> ", "< ", "* "))]
    assert (sum("at level" in line for line in found), "at level" in raw.stdout) == (8, False)
    assert "at level" not in whole.stderr + followed.stderr
    assert len(whole.json["logs"]) == followed.stdout.count("notifications/message") == 8


def test_violations_are_printed_once(mcpi: Mcpi) -> None:
    call = ("tools/list", "--era", "handshake", "--", *NOISY)
    raw, whole = mcpi(*call), mcpi("--structured", *call)
    followed = mcpi("--follow", "--max-events", "2", "--timeout", "20s", *call)

    assert (raw.stderr.count(NOISE), NOISE in raw.stdout) == (2, False)
    assert raw.stderr.splitlines()[1:2] == ["  stdout may contain only MCP messages; servers must log to stderr"]
    assert raw.stderr.count("must log to stderr") == 1
    compared = mcpi("diff", shlex.join(NOISY), shlex.join(NOISY), "--era", "handshake")
    assert compared.stderr.count("must log to stderr") == 1
    assert ([one["detail"].startswith(NOISE) for one in whole.json["violations"]], whole.stderr) == ([True] * 2, "")
    assert (followed.stdout.count(NOISE), followed.stderr) == (2, "")


def test_server_stderr_is_forwarded_or_in_the_document(mcpi: Mcpi) -> None:
    raw, whole = mcpi("ping", *OLD, "loud"), mcpi("ping", "--structured", *OLD, "loud")

    assert (raw.stdout, raw.stderr) == ("{}\n", "swift is up\n")
    assert (whole.json["stderr"], whole.stderr) == (["swift is up"], "")


STREAM = ("tools/call", "progress", "--follow", "--timeout", "20s")


def test_stream_prints_the_result_an_empty_line_and_the_events(mcpi: Mcpi) -> None:
    ran = mcpi(*STREAM, "--max-events", "2", *OLD)
    result, blank, *events = ran.stdout.splitlines()

    assert (ran.exit_code, "content" in json.loads(result), blank) == (0, True, "")
    assert [list(json.loads(one))[:2] for one in events] == [["event", "timestamp"]] * 2


def test_ndjson_events_precede_the_result_without_an_empty_line(mcpi: Mcpi) -> None:
    ran = mcpi(*STREAM, "--ndjson", "--max-events", "2", *OLD)
    events = [json.loads(line) for line in ran.stdout.splitlines()]

    assert ran.exit_code == 0
    assert [one["event"] for one in events] == ["notification", "notification", "result"]
    assert all(list(one)[:2] == ["event", "timestamp"] for one in events)
    assert events[-1]["result"]["content"] != []


def test_ndjson_of_a_call_prints_its_events_and_ends_with_the_result(mcpi: Mcpi) -> None:
    ran = mcpi("--demo", "tools/call", "slow", "steps=2", "delayMs=1", "--ndjson")
    events = [json.loads(line) for line in ran.stdout.splitlines()]

    assert (ran.exit_code, [one["event"] for one in events]) == (0, ["notification", "notification", "result"])


@pytest.mark.parametrize(("code", "flags"), [(124, ("--timeout", "1s")), (1, ("--fail-on-error",))])
def test_ndjson_does_not_change_the_exit_code(mcpi: Mcpi, code: int, flags: tuple[str, ...]) -> None:
    call = ("slow", "steps=1", "delayMs=60000", "--connect-timeout", "30s") if code == 124 else ("fail",)

    assert mcpi("--demo", "tools/call", *call, "--ndjson", *flags).exit_code == code


def test_max_events_zero_still_prints_the_result(mcpi: Mcpi) -> None:
    ran = mcpi(*STREAM, "--ndjson", "--max-events", "0", *OLD)

    assert (ran.exit_code, [json.loads(line)["event"] for line in ran.stdout.splitlines()]) == (0, ["result"])


def test_modern_log_notifications_are_log_events_after_set_level(mcpi: Mcpi) -> None:
    follow = ("--log-level", "warning", "--follow", "--max-events", "2", "--timeout", "20s")
    ran = mcpi("logging/setLevel", *follow, "--", sys.executable, "-c", MODERN)
    event = json.loads(ran.stdout.splitlines()[-1])

    assert (ran.exit_code, event["event"], event["level"], event["data"]) == (0, "log", "warning", "well")


def test_undeclared_prompt_argument_is_rejected_without_force(mcpi: Mcpi) -> None:
    words = ("--demo", "prompts/get", "summarize", "txt=hello", "--era", "handshake")
    refused, forced = mcpi(*words), mcpi(*words, "--force")

    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "--prompt-arg: the prompt 'summarize' has no argument 'txt'" in refused.stderr
    assert "did you mean: mcpi --demo prompts/get summarize text=" in refused.stderr
    assert forced.exit_code == 2


def test_invalid_tool_argument_is_sent_only_with_force(mcpi: Mcpi) -> None:
    words = ("--demo", "tools/call", "add", "a=one", "b=2", "--era", "handshake")
    refused, forced = mcpi(*words), mcpi(*words, "--force")

    assert (refused.exit_code, refused.stdout) == (1, "")
    assert (forced.exit_code, forced.json["isError"]) == (0, True)


def test_token_flag_with_authorization_header_is_rejected(mcpi: Mcpi) -> None:
    ran = mcpi("ping", "http://127.0.0.1:9/mcp", "--token", "abcdef", "-H", "Authorization: Bearer ghijkl")

    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith("mcpi: --token: conflicts with --header Authorization\n")


def test_discover_reports_the_tasks_extension_of_the_modern_era(mcpi: Mcpi) -> None:
    extended = Path(SWIFT[1]).with_name("extended.py")
    ran = mcpi("discover", "--", sys.executable, str(extended))

    assert ran.json["capabilities"]["tasks"] is True


def test_missing_argument_keeps_the_method_in_the_envelope(mcpi: Mcpi) -> None:
    ran = mcpi("--demo", "tools/call", "--structured")

    assert (ran.exit_code, ran.json["method"], ran.json["error"]["code"]) == (1, "tools/call", "MISSING_ARGUMENT")


def test_unknown_host_is_retryable(mcpi: Mcpi) -> None:
    ran = mcpi("http://no-such-host.invalid/mcp", "--method", "ping", "--structured")

    assert (ran.exit_code, ran.json["error"]["code"], ran.json["error"]["retryable"]) == (1, "HOST_NOT_FOUND", True)


def test_verbose_http_is_printed_like_curl_with_masked_secrets(
    mcpi: Mcpi, served: Callable[..., str], everything: tuple[str, ...]
) -> None:
    url = served(*everything, "streamableHttp")
    ran = mcpi(url, "--method", "tools/list", "--verbose", "--token", "a-secret-token")

    assert f"> POST {url}" in ran.stderr
    assert "> authorization: Bearer ***" in ran.stderr.lower().replace("bearer", "Bearer")
    assert "< HTTP/1.1 200 OK" in ran.stderr
    assert "a-secret-token" not in ran.stderr
    assert "{'" not in ran.stderr


def test_dry_run_prints_http_headers(mcpi: Mcpi) -> None:
    ran = mcpi("tools/list", "http://127.0.0.1:9/mcp", "--dry-run", "--era", "modern", "-H", "X-Api-Key: s3cret-value")

    (request,) = ran.json["http"]
    assert (request["method"], request["url"]) == ("POST", "http://127.0.0.1:9/mcp")
    assert (request["headers"]["mcp-method"], request["headers"]["x-api-key"]) == ("tools/list", "***")
