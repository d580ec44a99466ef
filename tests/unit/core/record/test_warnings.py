"""Warning and log lines on stderr."""

import pytest

from json_texts import DEEP, nested
from json_texts import exact as read
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Interrupted
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    NotificationReceived,
    ServerRequestReceived,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.record.warnings import warning_line
from mcpi.core.wire.violations import Violation
from support.replay import exact


def test_a_violation_is_a_warning_with_its_evidence() -> None:
    violation = Violation("not-json", "not a JSON-RPC message", "starting up")

    assert warning_line(ViolationSeen(violation, 1.0)) == "warning: not a JSON-RPC message: starting up"


def test_violation_without_evidence_is_a_warning() -> None:
    assert warning_line(ViolationSeen(Violation("batch", "a batch of 2"), 1.0)) == "warning: a batch of 2"


def test_invalid_user_answer_to_a_server_request_is_a_warning() -> None:
    request = ServerRequestReceived(
        "elicitation/create", None, {"error": {"code": -32602, "message": "it does not fit: /a"}}, 1.0
    )

    assert warning_line(request) == (
        "warning: invalid response to the server's elicitation/create: it does not fit: /a"
    )


def test_server_request_without_a_handler_is_a_warning() -> None:
    assert warning_line(ServerRequestReceived("roots/list", None, {}, 1.0, handled=False)) == (
        "warning: the server requested roots/list, but no handler was given; mcpi declined it (respond with --roots)"
    )


def test_warning_for_an_unhandled_request_includes_its_params() -> None:
    assert warning_line(ServerRequestReceived("vendor/ask", exact({"a": 1}), {}, 1.0, handled=False)) == (
        'warning: the server requested vendor/ask, but no handler was given; mcpi declined it: {"a":1}'
    )


@pytest.mark.parametrize(
    ("params", "line"),
    [
        ({"level": "info", "logger": "db", "data": "slow"}, "log info: db: slow"),
        ({"level": "error", "data": {"a": 1}}, 'log error: {"a":1}'),
        ({"level": 5, "logger": ["db"], "data": 1}, 'log 5: ["db"]: 1'),
        ({"data": 1}, "log null: 1"),
    ],
)
def test_log_message_is_printed_on_one_line(params: Json, line: str) -> None:
    assert warning_line(NotificationReceived("notifications/message", exact(params), 1.0)) == line


def test_deeply_nested_log_message_is_truncated() -> None:
    deep = nested(DEEP)
    params = read(f'{{"level":{deep},"logger":{deep},"data":"slow"}}')
    shown = f"{'[' * 300}… ({2 * DEEP} characters)"

    assert warning_line(NotificationReceived("notifications/message", params, 1.0)) == f"log {shown}: {shown}: slow"


@pytest.mark.parametrize("name", ["unchecked", "warning"])
def test_unchecked_schema_pattern_is_a_warning(name: str) -> None:
    event = TransportNote(name, {"reason": "the pattern '(?=x)' of a schema is not checked"}, 1.0)

    assert warning_line(event) == "warning: the pattern '(?=x)' of a schema is not checked"


def test_different_protocol_version_is_a_warning() -> None:
    event = TransportNote("another-version", {"requested": "2024-11-05", "used": "2025-11-25"}, 1.0)

    assert warning_line(event) == "warning: version 2024-11-05 was requested, but the server uses 2025-11-25"


def test_debugger_hit_is_printed_on_one_line() -> None:
    hit: Json = {"type": "number", "value": 1}

    assert warning_line(TransportNote("debug", hit, 1.0)) == 'debug {"type":"number","value":1}'


@pytest.mark.parametrize(
    "event",
    [
        ServerRequestReceived("roots/list", None, {}, 1.0),
        ServerRequestReceived("sampling/createMessage", None, {"error": {"code": -1, "message": "User rejected"}}, 1.0),
        TransportNote("resuming", {}, 1.0),
        NotificationReceived("notifications/progress", exact({}), 1.0),
        ConnectionClosed(Interrupted("SIGINT"), 1.0),
        DeadlineReached(1.0),
    ],
)
def test_other_events_have_no_warning(event: Event) -> None:
    assert warning_line(event) is None
