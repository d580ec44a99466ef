"""Results that can be trusted: each is told once, at the right place, with the right exit code."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from running import Mcpi

SWIFT = (sys.executable, str(Path(__file__).parents[2] / "fixtures" / "servers" / "swift.py"))
OLD = ("--era", "handshake", "--", *SWIFT)
EMPTY_REPLY = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"]}), flush=True)
"""


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_a_ping_prints_an_empty_object_in_every_era(mcpi: Mcpi, era: str) -> None:
    ran = mcpi("--demo", "ping", "--era", era, "--structured")

    assert (ran.exit_code, ran.json["result"]) == (0, {})
    told = [one["method"] for one in ran.json["implicit"] if "no ping" in one["reason"]]
    assert told == (["server/discover"] if era == "modern" else [])


def test_a_reply_without_result_and_error_is_refused_at_once(mcpi: Mcpi) -> None:
    ran = mcpi("--method", "ping", "--era", "handshake", "--structured", "--", sys.executable, "-c", EMPTY_REPLY)

    assert (ran.exit_code, ran.json["error"]["code"]) == (1, "INVALID_RESPONSE")


def test_an_unknown_tool_is_a_mistake_with_the_servers_own_words(mcpi: Mcpi) -> None:
    raw = mcpi("--demo", "tools/call", "ech")
    whole = mcpi("--demo", "tools/call", "ech", "--structured")

    assert (raw.exit_code, raw.json["error"]["code"]) == (1, -32602)
    assert raw.stderr == "mcpi: --tool-name: the server has no tool 'ech' (Unknown tool: ech); did you mean echo?\n"
    assert (whole.json["error"]["code"], whole.json["error"]["rpc"]["code"]) == ("INVALID_ARGUMENT", -32602)
    assert (whole.json["result"], whole.json["method"]) == (None, "tools/call")


def test_a_json_rpc_error_is_also_one_line_on_stderr(mcpi: Mcpi) -> None:
    ran = mcpi("tools/call", "refuse", *OLD)

    assert ran.exit_code == 2
    (line,) = ran.stderr.splitlines()
    assert line == f"mcpi: tools/call failed: {ran.json['error']['code']} {ran.json['error']['message']}"


def test_a_task_has_its_id_at_the_top(mcpi: Mcpi) -> None:
    ran = mcpi("tools/call", "work", "--run-as-task", *OLD)

    assert ran.json["taskId"] == ran.json["task"]["taskId"]


def test_logs_are_told_once(mcpi: Mcpi) -> None:
    call = ("tools/call", "log", *OLD)
    whole, followed = mcpi("--structured", *call), mcpi("--follow", "--timeout", "2s", *call)

    assert "log " not in whole.stderr + followed.stderr
    assert len(whole.json["logs"]) == followed.stdout.count("notifications/message") > 0


def test_live_events_precede_the_result(mcpi: Mcpi) -> None:
    ran = mcpi("tools/call", "progress", "--follow", "--ndjson", "--timeout", "2s", *OLD)
    events = [json.loads(line) for line in ran.stdout.splitlines()]

    assert ran.exit_code == 0
    assert all(list(one)[:2] == ["event", "timestamp"] for one in events)
    assert events[0]["event"] == "notification"
    assert "result" in [one["event"] for one in events]


def test_a_missing_argument_leaves_the_method_in_the_envelope(mcpi: Mcpi) -> None:
    ran = mcpi("--demo", "tools/call", "--structured")

    assert (ran.exit_code, ran.json["method"], ran.json["error"]["code"]) == (1, "tools/call", "MISSING_ARGUMENT")


def test_an_unknown_host_may_be_tried_again(mcpi: Mcpi) -> None:
    ran = mcpi("http://no-such-host.invalid/mcp", "--method", "ping", "--structured")

    assert (ran.exit_code, ran.json["error"]["code"], ran.json["error"]["retryable"]) == (1, "HOST_NOT_FOUND", True)


def test_http_is_shown_like_curl_does_without_secrets(
    mcpi: Mcpi, served: Callable[..., str], everything: tuple[str, ...]
) -> None:
    url = served(*everything, "streamableHttp")
    ran = mcpi(url, "--method", "tools/list", "--verbose", "--token", "a-secret-token")

    assert f"> POST {url}" in ran.stderr
    assert "> authorization: Bearer ***" in ran.stderr.lower().replace("bearer", "Bearer")
    assert "< HTTP/1.1 200 OK" in ran.stderr
    assert "a-secret-token" not in ran.stderr
    assert "{'" not in ran.stderr


def test_a_dry_run_shows_the_headers(mcpi: Mcpi) -> None:
    ran = mcpi("tools/list", "http://127.0.0.1:9/mcp", "--dry-run", "--era", "modern", "-H", "X-Api-Key: s3cret-value")

    (request,) = ran.json["http"]
    assert (request["method"], request["url"]) == ("POST", "http://127.0.0.1:9/mcp")
    assert (request["headers"]["mcp-method"], request["headers"]["x-api-key"]) == ("tools/list", "***")
