"""logging/setLevel against real servers, in both eras."""

import json
from pathlib import Path

import pytest

from running import Mcpi
from traced import TARGETS, check_printed_verbatim, check_starts_nothing, traced

METHOD = ("--method", "logging/setLevel", "--log-level")
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


@pytest.mark.parametrize("name", ["everything", "demo"])
def test_result_is_printed_verbatim(mcpi: Mcpi, tmp_path: Path, name: str) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], *METHOD, "warning")

    check_printed_verbatim(seen, "logging/setLevel")
    assert [one["params"] for one in seen.sent("logging/setLevel")] == [{"level": "warning"}]
    assert seen.ran.json == {}


def test_unknown_level_is_sent_with_force_and_the_server_error_is_printed(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *METHOD, "trace", "--force")

    check_printed_verbatim(seen, "logging/setLevel")
    assert (seen.ran.exit_code, seen.ran.json["error"]["code"]) == (2, -32603)


def test_modern_level_is_sent_with_each_request(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *METHOD, "warning")

    assert seen.sent("logging/setLevel") == []
    assert (seen.ran.exit_code, seen.ran.json) == (
        0,
        {
            "logLevel": "warning",
            "sentWith": "each later request on this connection, for example in a --script or with --follow",
        },
    )


@pytest.mark.parametrize("name", ["demo", "demo, modern"])
def test_level_applies_to_later_requests(mcpi: Mcpi, name: str) -> None:
    steps = [{"method": "logging/setLevel", "logLevel": "critical"}, {"method": "tools/call", "toolName": "log"}]

    ran = mcpi(*TARGETS[name], "--script", "-", "--quiet", stdin=json.dumps(steps))

    _, called = ran.json
    assert (ran.exit_code, called["result"]["content"][0]["text"]) == (0, "Sent 3 of 8 log messages.")
    assert [one["level"] for one in called["logs"]] == ["critical", "alert", "emergency"]
    assert called["logs"][0]["message"] == "A message at level critical."


def test_server_without_logging_fails_before_the_request(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["memory"], *METHOD, "info")

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("logging/setLevel")) == (1, "", [])
    assert "did not declare the capability logging" in seen.ran.stderr


WRONG = [
    ((), "logging/setLevel requires --log-level"),
    (("--log-level",), "--log-level: requires a value"),
    (("--log-level", "trace"), f"--log-level: unknown level 'trace'; expected {', '.join(LEVELS)}"),
    (("--log-level", "warn"), " --log-level warning"),
    (("--log-level", "info", "--force=perhaps"), "--force: expected true or false, got 'perhaps'"),
]


@pytest.mark.parametrize(("args", "message"), WRONG)
def test_invalid_flags_start_no_server(mcpi: Mcpi, tmp_path: Path, args: tuple[str, ...], message: str) -> None:
    assert message in check_starts_nothing(mcpi, tmp_path, "--method", "logging/setLevel", *args)


@pytest.mark.parametrize(
    ("era", "messages"),
    [
        (
            "handshake",
            [{"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "info"}}],
        ),
        ("modern", []),
    ],
)
def test_dry_run_prints_the_request(mcpi: Mcpi, era: str, messages: list[object]) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--era", era, *METHOD, "info")

    assert (ran.exit_code, ran.json) == (0, {"messages": messages})
