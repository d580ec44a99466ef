"""Each event is one line with its name, its timestamp and its data."""

import json

import pytest

from mcpi.core.modes.follow_events import EventLines
from mcpi.core.outcome.faults import Exited, RpcError
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    ImplicitRequest,
    NotificationReceived,
    ResponseReceived,
    ServerRequestReceived,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.wire.violations import Violation
from support.replay import exact

GONE = Exited("node", "tools/list", exit_code=3)
LINES = EventLines(lambda at: f"T{at:g}", {"roots/list": "roots"}, shows_logs=True)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            NotificationReceived("notifications/message", exact({"level": "info"}), 1.0),
            {"event": "log", "timestamp": "T1", "level": "info"},
        ),
        (
            NotificationReceived("notifications/message", exact({"event": "x", "timestamp": "y"}), 1.0),
            {"event": "log", "timestamp": "T1"},
        ),
        (
            NotificationReceived("notifications/message", exact([]), 1.0),
            {"event": "notification", "timestamp": "T1", "method": "notifications/message", "params": []},
        ),
        (
            ServerRequestReceived("roots/list", None, {"result": {}}, 2.0),
            {"event": "roots", "timestamp": "T2", "request": None, "response": {"result": {}}},
        ),
        (
            ServerRequestReceived("x", None, {}, 2.0),
            {"event": "request", "timestamp": "T2", "method": "x", "request": None, "response": {}},
        ),
        (TransportNote("reconnected", {"n": 1}, 3.0), {"event": "reconnected", "timestamp": "T3", "n": 1}),
        (TransportNote("resuming", None, 3.0), {"event": "resuming", "timestamp": "T3"}),
        (
            ResponseReceived(4, Success(exact({})), 4.0),
            {"event": "answer", "timestamp": "T4", "id": 4, "result": {}},
        ),
        (
            ViolationSeen(Violation("batch", "a batch"), 5.0),
            {"event": "violation", "timestamp": "T5", **Violation("batch", "a batch").as_json()},
        ),
    ],
)
def test_event_is_formatted_as_a_line(event: Event, line: object) -> None:
    (shown,) = LINES.of(event)

    assert json.loads(shown) == line
    assert list(json.loads(shown))[:2] == ["event", "timestamp"]


@pytest.mark.parametrize(
    "event", [ConnectionClosed(GONE, 1.0), DeadlineReached(1.0), ImplicitRequest("ping", None, "why", 1.0)]
)
def test_some_events_have_no_line(event: Event) -> None:
    assert LINES.of(event) == []


def test_closed_event_shows_how_the_server_ended() -> None:
    shown = json.loads(LINES.closed(GONE, 6.0))

    assert (shown["event"], shown["timestamp"], shown["code"], shown["exitCode"]) == (
        "closed",
        "T6",
        "SERVER_EXITED",
        3,
    )


def test_failed_refetch_event_includes_the_uri_and_the_error() -> None:
    failed = Failure(RpcError(-1, "no", exact({}), "resources/read"))

    assert json.loads(LINES.fetched("file:///a", failed, 7.0)) == {
        "event": "updated",
        "timestamp": "T7",
        "uri": "file:///a",
        "error": {"code": "JSON_RPC_ERROR", "message": "resources/read failed: -1 no"},
    }
