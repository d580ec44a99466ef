"""subscriptions/listen against the SDK server and a fixture server with tasks."""

import json
from pathlib import Path

import pytest

from running import Mcpi
from traced import TARGETS, Traced, check_starts_nothing, spelled, traced

METHOD = ("--method", "subscriptions/listen")
ALL = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


def acknowledged(seen: Traced) -> object:
    """The acknowledgement of the server, with its original spelling."""
    received = [spelled(raw) for direction, raw in seen.messages if direction == "received"]
    (found,) = [one["params"] for one in received if one.get("method") == ACKNOWLEDGED]
    return found


@pytest.mark.parametrize(
    ("args", "filters"),
    [
        ((), ALL),
        (("--tools-changed",), {"toolsListChanged": True}),
        (
            ("--prompts-changed", "--resources-changed", "--uri", "demo://counter", "--uri", "demo://readme"),
            {
                "promptsListChanged": True,
                "resourcesListChanged": True,
                "resourceSubscriptions": ["demo://counter", "demo://readme"],
            },
        ),
    ],
)
def test_acknowledgement_is_printed_verbatim(
    mcpi: Mcpi, tmp_path: Path, args: tuple[str, ...], filters: dict[str, object]
) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *METHOD, *args)

    (request,) = seen.sent("subscriptions/listen")
    assert (seen.ran.exit_code, request["params"]["notifications"]) == (0, filters)
    assert spelled(seen.ran.stdout) == acknowledged(seen)
    assert seen.ran.json["notifications"] == filters


def test_task_notifications_follow_the_acknowledgement(mcpi: Mcpi) -> None:
    follow = ("--task-id", "t-work", "--follow", "--max-events", "1", "--timeout", "20s")

    ran = mcpi(*TARGETS["extended"], *METHOD, *follow)

    first, _, event = ran.stdout.splitlines()
    assert (ran.exit_code, json.loads(first)["notifications"]) == (0, {"taskIds": ["t-work"]})
    assert json.loads(event)["method"] == "notifications/tasks"
    assert json.loads(event)["params"]["statusMessage"] == "half of it is done"


def test_listen_in_handshake_era_suggests_subscribe_or_follow(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *METHOD)

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("subscriptions/listen")) == (1, "", [])
    assert "use resources/subscribe or --follow instead" in seen.ran.stderr


WRONG = [
    (("--tools-changed=often",), "--tools-changed: expected true or false, got 'often'"),
    (("--prompts-changed=often",), "--prompts-changed: expected true or false, got 'often'"),
    (("--resources-changed=often",), "--resources-changed: expected true or false, got 'often'"),
    (("--uri",), "--uri requires a value"),
    (("--task-id", "--uri", "x"), "--task-id requires a value, got the flag '--uri'"),
    (("--tool-changed",), " --tools-changed"),
]


@pytest.mark.parametrize(("args", "message"), WRONG)
def test_invalid_flags_start_no_server(mcpi: Mcpi, tmp_path: Path, args: tuple[str, ...], message: str) -> None:
    assert message in check_starts_nothing(mcpi, tmp_path, *METHOD, *args)


def test_dry_run_prints_the_request(mcpi: Mcpi) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--era", "modern", *METHOD)

    (shown,) = ran.json["messages"]
    assert (ran.exit_code, shown["method"], shown["params"]["notifications"]) == (0, "subscriptions/listen", ALL)
