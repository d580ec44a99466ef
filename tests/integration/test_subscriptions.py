"""subscriptions/listen against the SDK's server and against one of ours that has tasks."""

import json
from pathlib import Path

import pytest

from running import Mcpi
from traced import TARGETS, Traced, check_starts_nothing, spelled, traced

METHOD = ("--method", "subscriptions/listen")
ALL = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


def acknowledged(seen: Traced) -> object:
    """What the server agreed to tell, as it was spelled."""
    heard = [spelled(raw) for direction, raw in seen.messages if direction == "received"]
    (found,) = [one["params"] for one in heard if one.get("method") == ACKNOWLEDGED]
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
def test_what_the_server_agrees_to_is_printed_as_it_came(
    mcpi: Mcpi, tmp_path: Path, args: tuple[str, ...], filters: dict[str, object]
) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["demo, modern"], *METHOD, *args)

    (asked,) = seen.sent("subscriptions/listen")
    assert (seen.ran.exit_code, asked["params"]["notifications"]) == (0, filters)
    assert spelled(seen.ran.stdout) == acknowledged(seen)
    assert seen.ran.json["notifications"] == filters


def test_the_news_of_a_task_follow(mcpi: Mcpi) -> None:
    follow = ("--task-id", "t-work", "--follow", "--max-events", "1", "--timeout", "20s")

    ran = mcpi(*TARGETS["extended"], *METHOD, *follow)

    first, _, event = ran.stdout.splitlines()
    assert (ran.exit_code, json.loads(first)["notifications"]) == (0, {"taskIds": ["t-work"]})
    assert json.loads(event)["method"] == "notifications/tasks"
    assert json.loads(event)["params"]["statusMessage"] == "half of it is done"


def test_the_handshake_era_has_no_such_stream_and_what_it_has_is_named(mcpi: Mcpi, tmp_path: Path) -> None:
    seen = traced(mcpi, tmp_path, *TARGETS["everything"], *METHOD)

    assert (seen.ran.exit_code, seen.ran.stdout, seen.sent("subscriptions/listen")) == (1, "", [])
    assert "use resources/subscribe or --follow instead" in seen.ran.stderr


WRONG = [
    (("--tools-changed=often",), "--tools-changed: expected true or false, got 'often'"),
    (("--prompts-changed=often",), "--prompts-changed: expected true or false, got 'often'"),
    (("--resources-changed=often",), "--resources-changed: expected true or false, got 'often'"),
    (("--uri",), "--uri: requires a value"),
    (("--task-id", "--uri", "x"), "--task-id: requires a value, got the flag '--uri'"),
    (("--tool-changed",), " --tools-changed"),
]


@pytest.mark.parametrize(("args", "told"), WRONG)
def test_a_mistake_is_named_and_starts_nothing(mcpi: Mcpi, tmp_path: Path, args: tuple[str, ...], told: str) -> None:
    assert told in check_starts_nothing(mcpi, tmp_path, *METHOD, *args)


def test_what_would_be_sent_can_be_seen(mcpi: Mcpi) -> None:
    ran = mcpi("no-such-command", "--dry-run", "--era", "modern", *METHOD)

    (shown,) = ran.json["messages"]
    assert (ran.exit_code, shown["method"], shown["params"]["notifications"]) == (0, "subscriptions/listen", ALL)
