"""ping, server/info, server/discover, discover and vendor methods on real servers in both eras."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from running import Mcpi
from traced import TARGETS, Members, check_printed_verbatim, check_starts_nothing, spelled, traced

LISTS = {
    "tools": "tools/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}
ABOUT = ["serverInfo", "protocolVersion", "era", "instructions", "capabilities", "rawCapabilities"]


@pytest.mark.parametrize("name", ["everything", "demo"])
def test_ping_returns_an_empty_object(mcpi: Mcpi, tmp_path: Path, name: str) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], "--method", "ping")

    check_printed_verbatim(seen, "ping")
    assert seen.ran.json == {}


@pytest.mark.parametrize("item", ["add", "summarize", "demo://readme"])
def test_call_that_describe_prints_works_in_its_place(mcpi: Mcpi, item: str) -> None:
    described = mcpi("describe", item, "--demo").json

    assert mcpi(*shlex.split(described["call"]), "--demo").exit_code == 0


def test_modern_ping_sends_server_discover(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], "--method", "ping")

    assert (seen.ran.exit_code, seen.ran.json, seen.sent("ping")) == (0, {}, [])
    assert len(seen.sent("server/discover")) > 0


def test_ping_of_an_unreachable_server_exits_with_1(mcpi: Mcpi) -> None:
    ran = mcpi("http://127.0.0.1:9/mcp", "--method", "ping", "--quiet")

    assert (ran.exit_code, ran.stdout) == (1, "")


@pytest.mark.parametrize("name", ["everything", "filesystem", "memory", "demo"])
def test_server_info_prints_the_initialize_result(mcpi: Mcpi, tmp_path: Path, name: str) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], "--method", "server/info")

    initialized = seen.answer("initialize")["result"]
    found = {"instructions": initialized["instructions"]} if "instructions" in initialized else {}
    negotiated = {"capabilities": initialized["capabilities"], "protocolVersion": "2025-11-25"}
    assert spelled(seen.ran.stdout) == Members({**initialized["serverInfo"], **negotiated, **found})


def test_server_info_of_a_modern_server_prints_the_discovery(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["extended"], "--method", "server/info")

    found = seen.answer("server/discover")["result"]
    negotiated = {"capabilities": found["capabilities"], "protocolVersion": "2026-07-28"}
    assert spelled(seen.ran.stdout) == Members({"name": "extended", "version": "1.0", **negotiated})


@pytest.mark.parametrize("name", ["demo, modern", "extended"])
def test_server_discover_is_printed_verbatim(mcpi: Mcpi, tmp_path: Path, name: str) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], "--method", "server/discover")

    check_printed_verbatim(seen, "server/discover")
    assert seen.ran.json["supportedVersions"] == ["2026-07-28"]


def test_server_discover_in_handshake_era_suggests_discover(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], "--era", "handshake", "--method", "server/discover")

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("server/discover")) == (1, "", [])
    assert "use --method discover instead" in seen.ran.stderr


@pytest.mark.parametrize(
    ("name", "lists", "declared"),
    [
        ("everything", list(LISTS), ["tools", "resources", "prompts", "logging", "completions", "tasks"]),
        ("filesystem", ["tools"], ["tools"]),
        ("memory", ["tools", "resources", "resourceTemplates"], ["tools", "resources"]),
        ("demo", list(LISTS), ["tools", "resources", "prompts", "logging", "completions"]),
        ("demo, modern", list(LISTS), ["tools", "resources", "prompts", "logging", "completions"]),
    ],
)
def test_discover_prints_one_document_with_all_lists(
    mcpi: Mcpi, tmp_path: Path, name: str, lists: list[str], declared: list[str]
) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], "--method", "discover")

    document = spelled(seen.ran.stdout)
    assert (seen.ran.exit_code, [key for key in document if key not in ABOUT]) == (0, lists)
    assert [key for key, there in document["capabilities"].items() if there] == declared
    for key in lists:
        assert document[key] == seen.answer(LISTS[key])["result"][key]


def test_discover_requests_the_lists_concurrently(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], "--method", "discover")

    numbers = [seen.sent(method)[0]["id"] for method in LISTS.values()]
    sent = [place for place, (direction, raw) in enumerate(seen.messages) if direction == "sent" and "/list" in raw]
    received = [place for place, (direction, raw) in enumerate(seen.messages) if _answers(direction, raw, numbers)]
    assert max(sent) < min(received)


def _answers(direction: str, raw: str, numbers: list[int]) -> bool:
    message: Any = spelled(raw)
    return direction == "received" and "result" in message and int(message["id"]) in numbers


def test_discover_output_is_reproducible(mcpi: Mcpi) -> None:
    once, again = (mcpi(*TARGETS["everything"], "--method", "discover", "--quiet") for _ in range(2))

    assert once.stdout == again.stdout


def test_vendor_method_is_sent_with_its_params_verbatim(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--method", "vendor/thing", "--params", '{"n": 1.50, "deep": [{"a": null}]}')
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *args)

    check_printed_verbatim(seen, "vendor/thing")
    (raw,) = [raw for direction, raw in seen.messages if direction == "sent" and "vendor/thing" in raw]
    assert spelled(raw)["params"] == Members(n="1.50", deep=[Members(a=None)])
    assert (seen.ran.exit_code, seen.ran.json["error"]["code"]) == (2, -32601)


def test_params_flag_sets_the_params_of_a_known_method(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--method", "tools/call", "--params", '{"name": "echo", "arguments": {"message": "hi"}}')
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *args)

    check_printed_verbatim(seen, "tools/call")
    assert seen.ran.json["content"][0]["text"] == "Echo: hi"


@pytest.mark.parametrize("method", ["ping", "server/info", "server/discover", "discover"])
def test_flag_of_another_method_starts_no_server(mcpi: Mcpi, tmp_path: Path, method: str) -> None:
    assert "--uri is a flag of" in check_starts_nothing(mcpi, tmp_path, "--method", method, "--uri", "x")


@pytest.mark.parametrize(
    ("era", "method", "messages"),
    [
        ("handshake", "ping", ["ping"]),
        ("handshake", "server/info", []),
        ("handshake", "discover", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]),
        ("modern", "server/discover", ["server/discover"]),
    ],
)
def test_dry_run_prints_the_requests(mcpi: Mcpi, era: str, method: str, messages: list[str]) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--era", era, "--method", method)

    assert (ran.exit_code, [one["method"] for one in ran.json["messages"]]) == (0, messages)
