"""Events are recorded in envelope form up to a limit; dropped events are counted."""

import pytest

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Interrupted
from mcpi.core.outcome.result import Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    NotificationReceived,
    ResponseReceived,
    ServerRequestReceived,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.record.transcript import (
    MAX_ENTRIES,
    MAX_PER_RULE,
    MAX_STDERR_CHARACTERS,
    MAX_STDERR_LINES,
    Transcript,
    log_entry,
)
from mcpi.core.session.bounded_queue import MAX_CHARACTERS
from mcpi.core.wire.violations import Violation
from support.replay import exact

LARGE = exact("x" * (MAX_CHARACTERS // 2))


def transcript_of(*events: Event, keep: bool = True) -> Transcript:
    transcript = Transcript(1_000_000_000.0, keep=keep)
    for event in events:
        transcript.record(event)
    return transcript


def test_notification_has_a_wall_clock_timestamp() -> None:
    params = exact({"uri": "a"})

    assert transcript_of(NotificationReceived("notifications/resources/updated", params, 0.25)).notifications == [
        {"method": "notifications/resources/updated", "params": params, "timestamp": "2001-09-09T01:46:40.250Z"}
    ]


def test_log_message_is_recorded_as_a_log_only() -> None:
    params = exact({"level": "info", "logger": "db", "data": "slow"})
    transcript = transcript_of(NotificationReceived("notifications/message", params, 0.0))

    assert transcript.notifications == []
    assert transcript.logs == [
        {
            "level": "info",
            "logger": "db",
            "message": "slow",
            "data": exact("slow"),
            "timestamp": "2001-09-09T01:46:40.000Z",
        }
    ]


def test_server_request_is_recorded_with_its_response() -> None:
    assert transcript_of(ServerRequestReceived("roots/list", None, {"roots": []}, 1.0)).requests == [
        {"method": "roots/list", "params": None, "response": {"roots": []}, "timestamp": "2001-09-09T01:46:41.000Z"}
    ]


def test_violation_is_recorded_unchanged() -> None:
    assert transcript_of(ViolationSeen(Violation("batch", "a batch of 2", "[1,2]"), 1.0)).violations == [
        {"rule": "batch", "detail": "a batch of 2", "evidence": "[1,2]"}
    ]


@pytest.mark.parametrize(
    "event",
    [
        ResponseReceived(1, Success(exact({})), 1.0),
        TransportNote("x", {}, 1.0),
        ConnectionClosed(Interrupted("SIGINT"), 1.0),
        DeadlineReached(1.0),
    ],
)
def test_other_events_are_not_recorded(event: Event) -> None:
    transcript = transcript_of(event)

    assert (transcript.notifications, transcript.logs, transcript.requests, transcript.violations) == ([], [], [], [])


def test_logs_and_notifications_are_not_recorded_unless_kept() -> None:
    message = NotificationReceived("notifications/message", exact({"data": "x"}), 1.0)
    transcript = transcript_of(message, NotificationReceived("n", None, 1.0), keep=False)

    assert (transcript.logs, transcript.notifications) == ([], [])


def test_server_requests_and_violations_are_always_recorded() -> None:
    transcript = transcript_of(
        ServerRequestReceived("a", None, {}, 1.0), ViolationSeen(Violation("batch", "two"), 1.0), keep=False
    )

    assert (len(transcript.requests), len(transcript.violations)) == (1, 1)


def test_only_ten_violations_per_rule_are_recorded_and_the_rest_counted() -> None:
    noise = [ViolationSeen(Violation("not-json", "noise", str(n)), 1.0) for n in range(MAX_PER_RULE + 3)]
    transcript = transcript_of(*noise, ViolationSeen(Violation("batch", "two"), 1.0))

    assert [one["evidence"] for one in transcript.violations[:10]] == [str(n) for n in range(10)]  # type: ignore[call-overload,index]
    assert len(transcript.violations) == 11
    assert transcript.dropped == {"violations:not-json": 3}


def test_events_beyond_the_limit_are_only_counted() -> None:
    transcript = transcript_of(*[NotificationReceived("n", None, 0.0)] * (MAX_ENTRIES + 2))

    assert (len(transcript.notifications), transcript.dropped) == (MAX_ENTRIES, {"notifications": 2})


def test_last_stderr_lines_are_kept() -> None:
    transcript = transcript_of()
    for number in range(MAX_STDERR_LINES + 5):
        transcript.add_stderr_line(str(number))

    lines = list(transcript.stderr.items)
    assert (lines[0], lines[-1], len(lines), transcript.dropped) == ("5", "204", 200, {"stderr": 5})


def test_printed_lines_are_those_on_stdout_and_on_stderr() -> None:
    transcript = transcript_of(ViolationSeen(Violation("not-json", "no JSON", "out"), 0.0, on_stdout=True))
    transcript.add_stderr_line("err")

    assert transcript.printed_lines() == ("out", "err")


def test_fewer_long_stderr_lines_are_kept() -> None:
    transcript = transcript_of()
    for name in "abc":
        transcript.add_stderr_line(name * (MAX_STDERR_CHARACTERS // 2))

    assert [line[0] for line in transcript.stderr.items] == ["b", "c"]
    assert transcript.dropped == {"stderr": 1}


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (NotificationReceived("n", LARGE, 0.0), "notifications"),
        (NotificationReceived("notifications/message", LARGE, 0.0), "logs"),
        (ServerRequestReceived("roots/list", LARGE, {}, 0.0), "serverRequests"),
    ],
)
def test_fewer_large_messages_are_kept(event: Event, name: str) -> None:
    assert transcript_of(*[event] * 5).dropped == {name: 3}


def test_fewer_large_report_messages_are_kept() -> None:
    transcript = transcript_of()
    for _ in range(5):
        transcript.add_message({"raw": LARGE.text})

    assert (len(transcript.messages), transcript.dropped) == (2, {"messages": 3})


def test_take_returns_the_recorded_events_and_resets_the_transcript() -> None:
    noise = [ViolationSeen(Violation("not-json", "noise"), 1.0)] * (MAX_PER_RULE + 1)
    transcript = transcript_of(NotificationReceived("a", None, 0.0), *noise)
    transcript.add_stderr_line("line")
    part = transcript.take()
    transcript.record(noise[0])

    assert part is not None
    assert (len(part.notifications), list(part.stderr.items), part.dropped) == (1, ["line"], {"violations:not-json": 1})
    assert (transcript.notifications, list(transcript.stderr.items), transcript.dropped) == ([], [], {})
    assert (len(part.violations), len(transcript.violations)) == (MAX_PER_RULE, 1)
    assert part.keep_notifications is True


def test_report_messages_are_limited_in_number() -> None:
    transcript = transcript_of()
    for number in range(MAX_ENTRIES + 1):
        transcript.add_message({"raw": str(number)})

    assert (len(transcript.messages), transcript.dropped) == (MAX_ENTRIES, {"messages": 1})


@pytest.mark.parametrize(
    ("params", "message", "data"),
    [
        ({"level": "info", "data": "text"}, "text", exact("text")),
        ({"level": "info", "data": {"a": 1}}, '{"a":1}', exact({"a": 1})),
        ({"level": "info", "data": None}, "null", exact(None)),
        ({"level": "info"}, "", None),
    ],
)
def test_log_message_text_is_taken_from_its_data(params: Json, message: str, data: Exact | None) -> None:
    entry: dict[str, Printable] = {"level": "info", "logger": None, "message": message, "data": data}

    assert log_entry(exact(params), "now") == {**entry, "timestamp": "now"}


def test_log_without_params_has_empty_members() -> None:
    empty: dict[str, Printable] = {"level": None, "logger": None, "message": "", "data": None}

    assert log_entry(None, "now") == {**empty, "timestamp": "now"}


def test_there_is_nothing_to_take_from_an_empty_transcript() -> None:
    transcript = transcript_of(NotificationReceived("a", None, 0.0))

    assert transcript.take() is not None
    assert transcript.take() is None


def test_debugger_hits_are_recorded_separately_and_reset_by_take() -> None:
    transcript = Transcript(0.0, keep=False)
    transcript.debug = {}
    transcript.record(TransportNote("debug", {"type": "number", "value": 1}, 1.0))
    part = transcript.take()

    assert part is not None
    assert (part.debug_results, part.debug) == ([{"type": "number", "value": 1}], {})
    assert (transcript.debug_results, transcript.debug) == ([], {})


def test_recorded_events_are_plain_json() -> None:
    found = transcript_of(
        NotificationReceived("notifications/message", exact({"level": "info", "data": "x"}), 1.0),
        ServerRequestReceived("ping", None, {}, 2.0),
    ).events()

    stamp = "2001-09-09T01:46:4{}.000Z"
    assert found == {
        "logs": [{"level": "info", "logger": None, "message": "x", "data": "x", "timestamp": stamp.format(1)}],
        "notifications": [],
        "serverRequests": [{"method": "ping", "params": None, "response": {}, "timestamp": stamp.format(2)}],
        "violations": [],
    }
