"""resources/list, read, templates/list, subscribe and unsubscribe against real servers, in both eras."""

from pathlib import Path

import pytest

from running import Mcpi
from traced import TARGETS, check_printed_verbatim, check_starts_nothing, traced

STATIC = "demo://resource/static/document/features.md"
DYNAMIC = "demo://resource/dynamic/text/1"
ASKED = [
    ("everything", "resources/list", ()),
    ("everything", "resources/templates/list", ()),
    ("everything", "resources/read", ("--uri", STATIC)),
    ("everything", "resources/read", ("--uri", "demo://resource/dynamic/blob/1")),
    ("everything", "resources/read", ("--uri", "demo://nothing")),
    ("everything", "resources/subscribe", ("--uri", DYNAMIC)),
    ("everything", "resources/unsubscribe", ("--uri", DYNAMIC)),
    ("memory", "resources/list", ()),
    ("demo", "resources/read", ("--uri", "demo://logo")),
    ("demo", "resources/subscribe", ("--uri", "demo://counter")),
    ("demo", "resources/subscribe", ("--uri", "demo://nothing")),
    ("demo, modern", "resources/list", ()),
    ("demo, modern", "resources/templates/list", ("--one-page",)),
    ("demo, modern", "resources/read", ("--uri", "demo://greeting/Ada")),
    ("demo, modern", "resources/read", ("--uri", "demo://nothing")),
]


@pytest.mark.parametrize(("name", "method", "args"), ASKED)
def test_result_is_printed_verbatim(mcpi: Mcpi, tmp_path: Path, name: str, method: str, args: tuple[str, ...]) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS[name], "--method", method, *args)

    check_printed_verbatim(seen, method)


def test_resources_of_the_reference_server_are_listed(mcpi: Mcpi) -> None:
    ran = mcpi(*TARGETS["everything"], "--method", "resources/list")

    assert ran.json["resources"][0] == {
        "uri": "demo://resource/static/document/architecture.md",
        "name": "architecture.md",
        "mimeType": "text/markdown",
        "description": "Static document file exposed from /docs: architecture.md",
    }


def test_unknown_resource_returns_the_server_error(mcpi: Mcpi) -> None:
    ran = mcpi(*TARGETS["everything"], "--method", "resources/read", "--uri", "demo://nothing")

    assert ran.exit_code == 2
    assert ran.json == {"error": {"code": -32602, "message": "MCP error -32602: Resource demo://nothing not found"}}


def test_cursor_is_sent_verbatim(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--method", "resources/list", "--cursor", "a/b=", "--one-page")
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *args)

    assert seen.sent("resources/list")[0]["params"] == {"cursor": "a/b="}


def test_modern_subscribe_sends_listen_and_prints_the_acknowledgement(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--method", "resources/subscribe", "--uri", "demo://counter")
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *args)

    (request,) = seen.sent("subscriptions/listen")
    assert request["params"]["notifications"] == {"resourceSubscriptions": ["demo://counter"]}
    assert seen.sent("resources/subscribe") == []
    assert seen.ran.json == {
        "_meta": {"io.modelcontextprotocol/subscriptionId": request["id"]},
        "notifications": {"resourceSubscriptions": ["demo://counter"]},
    }


def test_unsubscribe_in_modern_era_suggests_closing_the_stream(mcpi: Mcpi, tmp_path: Path) -> None:
    args = ("--method", "resources/unsubscribe", "--uri", "demo://counter")
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *args)

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("resources/unsubscribe")) == (1, "", [])
    assert "use subscriptions/listen and close its stream instead" in seen.ran.stderr


def test_server_without_resources_fails_before_the_request(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["filesystem"], "--method", "resources/list")

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("resources/list")) == (1, "", [])
    assert "did not declare the capability resources" in seen.ran.stderr


def test_force_sends_the_request_to_a_server_without_resources(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["filesystem"], "--method", "resources/list", "--force")

    check_printed_verbatim(seen, "resources/list")
    assert seen.ran.json == {"error": {"code": -32601, "message": "Method not found"}}


WRONG = [
    ("resources/list", ("--cursor",), "--cursor: requires a value"),
    ("resources/list", ("--one-page=some",), "--one-page: expected true or false, got 'some'"),
    ("resources/list", ("--uri", "x"), "--uri is a flag of"),
    ("resources/templates/list", ("--cursor",), "--cursor: requires a value"),
    ("resources/templates/list", ("--one-page=some",), "--one-page: expected true or false, got 'some'"),
    ("resources/read", (), "resources/read requires --uri"),
    ("resources/read", ("--uri",), "--uri: requires a value"),
    ("resources/read", ("--url", "x"), " --uri x"),
    ("resources/subscribe", (), "resources/subscribe requires --uri"),
    ("resources/unsubscribe", (), "resources/unsubscribe requires --uri"),
]


@pytest.mark.parametrize(("method", "args", "message"), WRONG)
def test_invalid_flags_start_no_server(
    mcpi: Mcpi, tmp_path: Path, method: str, args: tuple[str, ...], message: str
) -> None:
    assert message in check_starts_nothing(mcpi, tmp_path, "--method", method, *args)


DRY = [
    ("resources/list", (), "handshake", {"method": "resources/list"}),
    ("resources/templates/list", (), "handshake", {"method": "resources/templates/list"}),
    ("resources/read", ("--uri", "x:y"), "handshake", {"method": "resources/read", "params": {"uri": "x:y"}}),
    ("resources/subscribe", ("--uri", "x:y"), "handshake", {"method": "resources/subscribe", "params": {"uri": "x:y"}}),
    (
        "resources/unsubscribe",
        ("--uri", "x:y"),
        "handshake",
        {"method": "resources/unsubscribe", "params": {"uri": "x:y"}},
    ),
    (
        "resources/subscribe",
        ("--uri", "x:y"),
        "modern",
        {"method": "subscriptions/listen", "params": {"notifications": {"resourceSubscriptions": ["x:y"]}}},
    ),
]


@pytest.mark.parametrize(("method", "args", "era", "message"), DRY)
def test_dry_run_prints_the_request(
    mcpi: Mcpi, method: str, args: tuple[str, ...], era: str, message: dict[str, object]
) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--era", era, "--method", method, *args)

    (shown,) = ran.json["messages"]
    shown.get("params", {}).pop("_meta", None)
    assert (ran.exit_code, shown) == (0, {"jsonrpc": "2.0", "id": 1, **message})
