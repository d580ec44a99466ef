"""Follow mode prints one line per event until the stream ends, as planned or with a failure."""

import json
import re
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.modes.follow import Follower, FollowOptions, announcing
from mcpi.core.modes.follow_states import FollowTrigger, State
from mcpi.core.outcome.faults import Exited, Fault, HttpFailed, Interrupted, Unreachable
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.responders import Accept, Handler, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import Call, Emit, Steps
from mcpi.core.session.effects import Effects
from mcpi.core.session.negotiate import open_session
from mcpi.core.wire.server_info import NegotiatedServer
from support.constants import HANDSHAKE, LOST
from support.conversation import (
    Close,
    Conversation,
    Expect,
    FailRequest,
    FailToOpen,
    Pause,
    ReportEvent,
    ServerAction,
    Write,
    answer,
    ask,
    connected,
    error,
    line,
    notify,
    starting,
)
from support.drive import observed
from support.replay import exact

CHANGING: Json = {"listChanged": True}
OFFER: Json = {"logging": {}, "resources": {"subscribe": True}, "tools": CHANGING, "prompts": CHANGING}
SERVER = NegotiatedServer("handshake", "2025-11-25", capabilities=exact(OFFER))
CLOSED: Json = {"event": "closed", "reason": "the pipe broke", "code": "CONNECTION_LOST"}
SIGNAL = Close(Interrupted("SIGINT"))
UPDATED = "notifications/resources/updated"
A, B = "file:///a", "file:///b"


def timestamp(at: float) -> str:
    """A timestamp for the given time."""
    return f"at {at:g}"


def without_timestamps(text: str) -> str:
    """Event lines without their timestamps, which follow the event name."""
    shown = re.sub(r'(?m)^(\{"event":"[^"]*"),"timestamp":"at [^"]*"', r"\1", text)
    assert "timestamp" not in shown
    return shown


class Stream:
    """The output of a follower, with the time of each line."""

    def __init__(self, conversation: Conversation, started: float = 0.0, **wishes: Any) -> None:
        """Create a follower with no output yet."""
        self.conversation = conversation
        seconds = wishes.pop("seconds", None)
        conversation.session.deadline = None if seconds is None else started + seconds
        self.follower = Follower(conversation.session, FollowOptions(**wishes), started, timestamp)
        self.shown: list[tuple[float, str]] = []
        conversation.session.keep_events = True

    def run(self) -> PlanResult:
        """Run the stream and return its result."""
        return self.conversation.run(observed(self.follower.stream(), self._observe))

    def _observe(self, effect: object) -> None:
        if isinstance(effect, Emit):
            self.shown.append((self.conversation.clock, without_timestamps(effect.text)))

    @property
    def text(self) -> str:
        """The whole output."""
        return "".join(text for _, text in self.shown)

    @property
    def lines(self) -> list[Any]:
        """The lines as JSON."""
        assert self.text == "" or self.text.endswith("\n")
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def times(self) -> list[float]:
        """The times of the output."""
        return [at for at, _ in self.shown]


def follow(
    *actions: ServerAction, server: NegotiatedServer = SERVER, time_limit: float = 30.0, **wishes: Any
) -> tuple[PlanResult, list[Any]]:
    """Run a follower and return its result and its lines."""
    stream = Stream(connected(server, *actions, timeout=time_limit), **wishes)
    return stream.run(), stream.lines


def notified(method: str, **params: Json) -> Json:
    return {"event": "notification", "method": method, "params": params}


# Events.


def test_each_notification_is_printed_immediately() -> None:
    conversation = connected(HANDSHAKE, notify("n", {"x": 1}), Pause(2), notify("m"), Pause(1), SIGNAL)
    stream = Stream(conversation)

    assert stream.run() == PlanResult()
    assert stream.shown == [
        (0.0, '{"event":"notification","method":"n","params":{"x":1}}\n'),
        (2.0, '{"event":"notification","method":"m"}\n'),
    ]


def test_a_notification_keeps_its_spelling_on_one_line() -> None:
    spelled = b'{"jsonrpc": "2.0", "method": "n/\\u0041\\n", "params": {"x" : 1.50, "u": "\\u00e9",\r "y": []}}\n'
    stream = Stream(connected(HANDSHAKE, Write(spelled), SIGNAL))
    stream.run()

    assert stream.text == ('{"event":"notification","method":"n/A\\n","params":{"x":1.50,"u":"\\u00e9","y":[]}}\n')


def test_events_received_together_are_printed_together_in_order() -> None:
    conversation = connected(HANDSHAKE, notify("a"), notify("b"), notify("c"), Pause(1), SIGNAL)
    stream = Stream(conversation)
    stream.run()

    assert stream.times == [0.0]
    assert [one["method"] for one in stream.lines] == ["a", "b", "c"]


def test_earlier_events_are_printed_first() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), notify("early"), answer(1, {}), notify("late"), SIGNAL)
    conversation.session.keep_events = True
    stream = Stream(conversation)

    def effects() -> Effects[PlanResult]:
        yield from conversation.session.call(Call("x"))
        return (yield from stream.follower.stream())

    conversation.run(effects())
    assert [json.loads(one)["method"] for one in "".join(conversation.emitted).splitlines()] == ["early", "late"]


@given(st.lists(st.sampled_from("abc"), max_size=12), st.integers(1, 60), st.integers(0, 3))
def test_lines_are_complete_and_in_order_for_any_chunking(names: list[str], size: int, pause: int) -> None:
    actions: list[ServerAction] = []
    for name in names:
        actions += [Write(line({"method": name}), at_a_time=size), Pause(pause)]
    _, lines = follow(*actions, SIGNAL, server=HANDSHAKE)

    assert [one["method"] for one in lines] == names


def no_answer(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept({"roots": []})


def test_server_request_is_an_event_with_its_response() -> None:
    responder = Responder("roots/list", "roots", str, lambda _, __: {}, no_answer, bool)
    conversation = connected(
        SERVER,
        ask("q", "roots/list", {"_meta": {}}),
        ask("r", "sampling/createMessage"),
        ask("s", "ping"),
        SIGNAL,
        handlers={"roots/list": Handler(responder, "")},
    )
    stream = Stream(conversation, event_names={"roots/list": "roots"})
    stream.run()

    refusal = {"error": {"code": -32601, "message": "Method not found"}}
    assert stream.lines == [
        {"event": "roots", "request": {"_meta": {}}, "response": {"roots": []}},
        {"event": "request", "method": "sampling/createMessage", "request": None, "response": refusal},
    ]


def test_a_violation_is_an_event() -> None:
    _, lines = follow(Write(b"noise\n"), SIGNAL)

    assert [(one["event"], one["rule"], one["evidence"]) for one in lines] == [("violation", "not-json", "noise")]


def test_transport_note_is_an_event() -> None:
    _, lines = follow(ReportEvent("reconnected", {"lastEventId": "7"}), ReportEvent("resuming", None), SIGNAL)

    assert lines == [{"event": "reconnected", "lastEventId": "7"}, {"event": "resuming"}]


def test_response_to_an_unawaited_request_is_an_event() -> None:
    conversation = connected(SERVER, Expect("x"), answer(1, {"a": 1}), Expect("x"), error(2, -32000, "no"), SIGNAL)
    stream = Stream(conversation)

    def effects() -> Effects[PlanResult]:
        yield from conversation.session.send(Call("x"))
        yield from conversation.session.send(Call("x"))
        return (yield from stream.follower.stream())

    conversation.run(effects())
    message = "x failed: -32000 no"
    assert [json.loads(one) for one in without_timestamps("".join(conversation.emitted)).splitlines()] == [
        {"event": "answer", "id": 1, "result": {"a": 1}},
        {"event": "answer", "id": 2, "error": {"code": "JSON_RPC_ERROR", "message": message}},
    ]


LOG: dict[str, Json] = {"level": "info", "logger": "db", "data": {"n": 1}}


def test_log_message_is_a_log_event_after_set_level() -> None:
    _, lines = follow(notify("notifications/message", LOG), notify("n"), SIGNAL, logs=True)

    assert lines == [{"event": "log", **LOG}, {"event": "notification", "method": "n"}]


def test_log_message_without_set_level_is_a_notification() -> None:
    _, lines = follow(notify("notifications/message", LOG), SIGNAL)

    assert lines == [notified("notifications/message", **LOG)]


def test_log_message_cannot_override_the_event_name() -> None:
    stream = Stream(
        connected(SERVER, notify("notifications/message", {"level": "info", "event": "closed"}), SIGNAL), logs=True
    )
    stream.run()

    assert stream.text == '{"event":"log","level":"info"}\n'


@pytest.mark.parametrize("params", [{}, None])
def test_log_message_without_params_is_a_notification(params: Json) -> None:
    _, (one,) = follow(notify("notifications/message", params), SIGNAL, logs=True)

    assert (one["event"], one.get("params")) == ("notification", params)


def test_dropped_count_is_printed_before_the_remaining_events() -> None:
    conversation = connected(HANDSHAKE, notify("n"), Pause(1), notify("m"), SIGNAL)
    conversation.session.dropped = 7
    stream = Stream(conversation)
    stream.run()

    assert [(one["event"], one.get("count"), one.get("method")) for one in stream.lines] == [
        ("dropped", 7, None),
        ("notification", None, "n"),
        ("notification", None, "m"),
    ]
    assert conversation.session.dropped == 0


# Changed resources.


def test_subscription_is_the_first_event() -> None:
    assert follow(SIGNAL, uri=A) == (PlanResult(), [{"event": "subscribed", "uri": A}])


def test_updated_resource_is_read_again() -> None:
    contents = Exact('[{"n":1.50}]', [{"n": 1.5}])
    conversation = connected(
        SERVER,
        Pause(1),
        notify(UPDATED, {"uri": A}),
        Expect("resources/read"),
        Pause(1),
        answer(1, {"contents": contents}),
        SIGNAL,
    )
    stream = Stream(conversation, uri=A)

    assert stream.run() == PlanResult()
    assert stream.shown == [
        (0.0, f'{{"event":"subscribed","uri":"{A}"}}\n'),
        (2.0, f'{{"event":"updated","uri":"{A}","contents":[{{"n":1.50}}]}}\n'),
    ]
    assert conversation.messages == [{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": A}}]


def read(number: int, *contents: Json) -> tuple[ServerAction, ServerAction]:
    return (Expect("resources/read"), answer(number, {"contents": list(contents)}))


def test_burst_of_updates_reads_each_resource_once() -> None:
    burst = [notify(UPDATED, {"uri": uri}) for uri in (A, A, B, A, B)]
    ended, lines = follow(*burst, *read(1, "a"), *read(2, "b"), SIGNAL, uri=A)

    assert ended == PlanResult()
    assert lines[1:] == [
        {"event": "updated", "uri": A, "contents": ["a"]},
        {"event": "updated", "uri": B, "contents": ["b"]},
    ]


def test_updates_during_a_read_trigger_one_more_read() -> None:
    again = [notify(UPDATED, {"uri": A})] * 3
    actions: list[ServerAction] = [notify(UPDATED, {"uri": A}), Expect("resources/read"), *again]
    actions += [answer(1, {"contents": ["old"]})]
    _, lines = follow(*actions, *read(2, "new"), SIGNAL, uri=A)

    assert [one.get("contents") for one in lines[1:]] == [["old"], ["new"]]


def test_events_during_a_read_are_printed_after_it() -> None:
    actions: list[ServerAction] = [
        notify(UPDATED, {"uri": A}),
        Expect("resources/read"),
        notify("n"),
        answer(1, {"contents": []}),
    ]
    _, lines = follow(*actions, SIGNAL, uri=A)

    assert [one["event"] for one in lines] == ["subscribed", "updated", "notification"]


def test_failed_read_of_an_updated_resource_is_an_updated_event_with_an_error() -> None:
    _, lines = follow(notify(UPDATED, {"uri": A}), Expect("resources/read"), error(1, -32002, "gone"), SIGNAL, uri=A)

    message = "resources/read failed: -32002 gone"
    assert lines[1:] == [{"event": "updated", "uri": A, "error": {"code": "JSON_RPC_ERROR", "message": message}}]


def test_read_without_contents_is_printed_as_null() -> None:
    _, lines = follow(notify(UPDATED, {"uri": A}), Expect("resources/read"), answer(1, {}), SIGNAL, uri=A)

    assert lines[1:] == [{"event": "updated", "uri": A, "contents": None}]


@pytest.mark.parametrize("params", [{"uri": 5}, {}])
def test_update_without_a_valid_uri_is_a_notification(params: dict[str, Json]) -> None:
    _, lines = follow(notify(UPDATED, params), SIGNAL, uri=A)

    assert lines[1:] == [notified(UPDATED, **params)]


def test_update_without_a_subscription_is_a_notification() -> None:
    assert follow(notify(UPDATED, {"uri": A}), SIGNAL) == (PlanResult(), [notified(UPDATED, uri=A)])


# Changed lists.

CHANGED = "notifications/tools/list_changed"


def test_list_change_is_only_a_notification_by_default() -> None:
    assert follow(notify(CHANGED), SIGNAL)[1] == [{"event": "notification", "method": CHANGED}]


def test_refetch_reads_all_pages_of_a_changed_list() -> None:
    pages: list[ServerAction] = [
        answer(1, {"tools": [1], "nextCursor": "2"}),
        Expect("tools/list"),
        answer(2, {"tools": [2]}),
    ]
    _, lines = follow(notify(CHANGED), notify(CHANGED), Expect("tools/list"), *pages, SIGNAL, refetch=True)

    assert lines[2:] == [{"event": "refetched", "method": "tools/list", "result": {"tools": [1, 2]}}]


def test_refetch_reads_each_changed_list() -> None:
    other = "notifications/prompts/list_changed"
    lists: list[ServerAction] = [
        Expect("tools/list"),
        answer(1, {"tools": []}),
        Expect("prompts/list"),
        error(2, -32000, "no"),
    ]
    _, lines = follow(notify(CHANGED), notify(other), *lists, SIGNAL, refetch=True)

    message = "prompts/list failed: -32000 no"
    assert lines[2:] == [
        {"event": "refetched", "method": "tools/list", "result": {"tools": []}},
        {"event": "refetched", "method": "prompts/list", "error": {"code": "JSON_RPC_ERROR", "message": message}},
    ]


# End of the run.


@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
def test_signal_ends_the_stream_without_failure(signal: str) -> None:
    stream = Stream(connected(HANDSHAKE, notify("n"), Close(Interrupted(signal))))

    assert stream.run() == PlanResult()
    assert [one["event"] for one in stream.lines] == ["notification"]
    assert stream.follower.state == "disconnecting"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (LOST, CLOSED),
        (
            Exited("node", "", 3, None, ("oops",)),
            {
                "event": "closed",
                "reason": "the server 'node' exited with code 3",
                "code": "SERVER_EXITED",
                "exitCode": 3,
                "signal": None,
            },
        ),
        (
            Exited("node", "", None, "SIGKILL"),
            {
                "event": "closed",
                "reason": "the server 'node' was terminated by SIGKILL",
                "code": "SERVER_EXITED",
                "exitCode": None,
                "signal": "SIGKILL",
            },
        ),
        (
            HttpFailed(404, "http://x/mcp"),
            {
                "event": "closed",
                "reason": "http://x/mcp answered with HTTP status 404",
                "code": "HTTP_STATUS",
            },
        ),
    ],
)
def test_lost_server_is_a_closed_event_and_a_failure(fault: Fault, message: Json) -> None:
    stream = Stream(connected(HANDSHAKE, notify("n"), Close(fault)), ping_interval=30.0, seconds=60.0)

    assert stream.run() == PlanResult(None, fault)
    assert stream.lines == [{"event": "notification", "method": "n"}, message]
    assert stream.follower.state == "error"


def test_connection_lost_during_a_read_still_reports_the_update() -> None:
    ended, lines = follow(notify(UPDATED, {"uri": A}), Expect("resources/read"), Close(LOST), uri=A)

    failed = {"code": "CONNECTION_LOST", "message": "the pipe broke"}
    assert (ended, lines[1:]) == (PlanResult(None, LOST), [{"event": "updated", "uri": A, "error": failed}, CLOSED])


def test_update_just_before_the_connection_is_lost_is_reported() -> None:
    ended, lines = follow(notify(UPDATED, {"uri": A}), Close(LOST), uri=A)

    failed = {"code": "CONNECTION_LOST", "message": "the pipe broke"}
    assert (ended, lines[1:]) == (PlanResult(None, LOST), [{"event": "updated", "uri": A, "error": failed}, CLOSED])


@pytest.mark.parametrize("actions", [(SIGNAL,), (Expect("resources/read"), SIGNAL)])
def test_interrupt_does_not_wait_for_a_read(actions: tuple[ServerAction, ...]) -> None:
    ended, lines = follow(notify(UPDATED, {"uri": A}), *actions, uri=A)

    assert (ended, [one["event"] for one in lines]) == (PlanResult(), ["subscribed"])


def test_timeout_counts_from_the_start_of_the_stream() -> None:
    conversation = connected(HANDSHAKE, Pause(4), notify("n"))
    conversation.clock = 3.0
    stream = Stream(conversation, started=2.0, seconds=5.0)

    assert stream.run() == PlanResult()
    assert (conversation.clock, stream.times) == (7.0, [4.0])
    assert stream.follower.state == "disconnecting"


def test_continuous_events_do_not_delay_the_timeout() -> None:
    flood: list[ServerAction] = [Pause(0.5), notify("n")] * 4
    conversation = connected(HANDSHAKE, *flood)
    stream = Stream(conversation, seconds=2.0)

    assert stream.run() == PlanResult()
    assert (conversation.clock, len(stream.lines)) == (2.0, 4)


def test_silent_stream_ends_at_the_timeout() -> None:
    conversation = connected(HANDSHAKE)

    assert Stream(conversation, seconds=2.5).run() == PlanResult()
    assert conversation.clock == 2.5


def test_stream_ends_after_max_events() -> None:
    actions: list[ServerAction] = [notify("a"), Pause(1), notify("b"), notify("c"), notify("d")]
    ended, lines = follow(*actions, server=HANDSHAKE, max_events=3)

    assert (ended, [one["method"] for one in lines]) == (PlanResult(), ["a", "b", "c"])


@given(st.integers(0, 6), st.integers(1, 4))
def test_number_of_lines_never_exceeds_max_events(total: int, limit: int) -> None:
    ended, lines = follow(
        *[notify("n")] * total, *([SIGNAL] if total < limit else []), server=HANDSHAKE, max_events=limit
    )

    assert (ended, len(lines)) == (PlanResult(), min(total, limit))


def test_no_stream_event_does_not_count_towards_max_events() -> None:
    _, lines = follow(
        ReportEvent("no-stream", {"reason": "405"}), notify("a"), notify("b"), server=HANDSHAKE, max_events=2
    )

    assert [one.get("method", one["event"]) for one in lines] == ["no-stream", "a", "b"]


def test_max_events_0_ends_immediately() -> None:
    assert follow(max_events=0) == (PlanResult(), [])


def test_subscribed_event_counts_towards_max_events() -> None:
    assert follow(uri=A, max_events=1) == (PlanResult(), [{"event": "subscribed", "uri": A}])


def test_no_read_is_started_beyond_max_events() -> None:
    burst = [notify(UPDATED, {"uri": uri}) for uri in (A, B)]
    ended, lines = follow(*burst, *read(1, "a"), uri=A, max_events=2)

    assert (ended, lines[1:]) == (PlanResult(), [{"event": "updated", "uri": A, "contents": ["a"]}])
    assert follow(notify(CHANGED), refetch=True, max_events=1)[1] == [{"event": "notification", "method": CHANGED}]


def test_dropped_event_counts_towards_max_events() -> None:
    conversation = connected(HANDSHAKE, notify("n"), notify("m"))
    conversation.session.dropped = 1
    stream = Stream(conversation, max_events=2)
    stream.run()

    assert [one["event"] for one in stream.lines] == ["dropped", "notification"]


def test_connection_lost_after_max_events_is_not_a_failure() -> None:
    conversation = connected(HANDSHAKE, notify("n"), Close(LOST))
    stream = Stream(conversation, max_events=1)

    assert stream.run() == PlanResult()
    assert stream.follower.state == "disconnecting"


def test_read_timeout_is_limited_by_the_end_of_the_stream() -> None:
    conversation = connected(SERVER, Pause(4), notify(UPDATED, {"uri": A}), timeout=5.0)
    stream = Stream(conversation, uri=A, seconds=5.0)

    assert stream.run() == PlanResult()
    assert (conversation.clock, stream.times) == (5.0, [0.0, 5.0])
    failed = {"code": "REQUEST_TIMEOUT", "message": "no response to resources/read (request 1) within 5 s"}
    assert stream.lines[1:] == [{"event": "updated", "uri": A, "error": failed}]
    assert conversation.session.terms.timeout == 5.0


def test_read_uses_the_request_timeout() -> None:
    conversation = connected(SERVER, notify(UPDATED, {"uri": A}), timeout=2.0)
    stream = Stream(conversation, uri=A, seconds=60.0)

    stream.run()
    assert (conversation.clock, stream.times) == (60.0, [0.0, 2.0])


# Pings.

PING: Json = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_ping_is_sent_after_the_interval_without_activity() -> None:
    conversation = connected(HANDSHAKE, Expect("ping"), Pause(1), answer(1, {}), Expect("ping"), answer(2, {}))
    stream = Stream(conversation, ping_interval=10.0, seconds=25.0)

    assert stream.run() == PlanResult()
    assert [entry for entry in conversation.log if entry[1] == "ping"] == [(10.0, "ping"), (21.0, "ping")]
    assert conversation.messages[0] == PING
    assert stream.lines == []


def test_any_server_activity_resets_the_ping_interval() -> None:
    actions: list[ServerAction] = [
        Pause(8),
        notify("n"),
        Pause(8),
        Write(b"noise\n"),
        Pause(8),
        ask("q", "x/y"),
    ]
    conversation = connected(HANDSHAKE, *actions)
    Stream(conversation, ping_interval=10.0, seconds=30.0).run()

    assert [method for _, method in conversation.log] == ["x/y"]


def test_error_response_to_a_ping_counts_as_activity() -> None:
    conversation = connected(HANDSHAKE, Expect("ping"), error(1, -32601, "Method not found"))
    stream = Stream(conversation, ping_interval=10.0, seconds=15.0)

    assert (stream.run(), stream.lines) == (PlanResult(), [])


def test_stream_over_a_response_ends_with_its_connection() -> None:
    lost = Unreachable("CONNECTION_LOST", "it was cut")
    conversation = connected(HANDSHAKE, Expect("subscriptions/listen"), FailRequest(1, lost))
    stream = Stream(conversation)

    def effects() -> Effects[PlanResult]:
        yield from conversation.session.send(Call("subscriptions/listen"))
        return (yield from stream.follower.stream())

    assert conversation.run(effects()) == PlanResult(None, lost)
    assert [json.loads(one)["event"] for one in "".join(conversation.emitted).splitlines()] == ["answer", "closed"]


@pytest.mark.parametrize(
    ("action", "events"),
    [
        (answer(1, {}), ["answer", "closed"]),
        (notify("notifications/cancelled", {"requestId": 1}), ["notification", "closed"]),
    ],
)
def test_subscription_ended_by_the_server_closes_the_stream(action: ServerAction, events: list[str]) -> None:
    conversation = connected(HANDSHAKE, Expect("subscriptions/listen"), action)
    stream = Stream(conversation)

    def effects() -> Effects[PlanResult]:
        yield from conversation.session.send(Call("subscriptions/listen"))
        return (yield from stream.follower.stream())

    ended = Unreachable("CONNECTION_LOST", "the server has ended the subscription")
    assert conversation.run(effects()) == PlanResult(None, ended)
    assert [json.loads(one)["event"] for one in "".join(conversation.emitted).splitlines()] == events


@pytest.mark.parametrize("number", [9, "1", None, True, [1], {"a": 1}])
def test_unrelated_cancellation_does_not_end_the_stream(number: Json) -> None:
    cancelled = notify("notifications/cancelled", {"requestId": number})

    assert follow(cancelled, notify("notifications/cancelled"), SIGNAL)[0] == PlanResult()


def test_unanswered_ping_closes_the_stream() -> None:
    conversation = connected(HANDSHAKE, timeout=5.0)
    stream = Stream(conversation, ping_interval=10.0)

    silence = "the server did not answer a ping within 5 s"
    assert stream.run() == PlanResult(None, Unreachable("CONNECTION_LOST", silence))
    assert stream.shown == [(15.0, f'{{"event":"closed","reason":"{silence}","code":"CONNECTION_LOST"}}\n')]
    assert [message["method"] for message in conversation.messages] == ["ping", "notifications/cancelled"]
    assert stream.follower.state == "error"


def test_lines_are_printed_while_a_ping_is_pending() -> None:
    conversation = connected(HANDSHAKE, Expect("ping"), Pause(2), notify("n"), Pause(2), answer(1, {}), notify("m"))
    stream = Stream(conversation, ping_interval=10.0, seconds=20.0)

    stream.run()
    assert [(at, json.loads(text)["method"]) for at, text in stream.shown] == [(12.0, "n"), (14.0, "m")]


def test_timeout_ends_the_stream_while_a_ping_is_pending() -> None:
    conversation = connected(HANDSHAKE, timeout=30.0)

    assert Stream(conversation, ping_interval=10.0, seconds=12.0).run() == PlanResult()
    assert conversation.clock == 12.0


def test_second_ping_waits_for_the_first_response() -> None:
    conversation = connected(HANDSHAKE, timeout=15.0)
    Stream(conversation, ping_interval=2.0).run()

    assert conversation.log == [(2.0, "ping"), (17.0, "notifications/cancelled")]


def test_interrupt_ends_a_pending_ping() -> None:
    conversation = connected(HANDSHAKE, Expect("ping"), Pause(1), SIGNAL)

    assert Stream(conversation, ping_interval=10.0).run() == PlanResult()
    assert conversation.clock == 11.0


def test_refused_connection_for_a_ping_closes_the_stream() -> None:
    refused = Unreachable("CONNECTION_REFUSED", "nobody listens")
    ended, lines = follow(Expect("ping"), FailRequest(1, refused), server=HANDSHAKE, ping_interval=10.0)

    assert ended == PlanResult(None, refused)
    assert lines == [{"event": "closed", "reason": "nobody listens", "code": "CONNECTION_REFUSED"}]


def test_http_error_for_a_ping_counts_as_activity() -> None:
    busy = HttpFailed(503, "http://x/mcp")

    assert follow(Expect("ping"), FailRequest(1, busy), server=HANDSHAKE, ping_interval=10.0, seconds=15.0) == (
        PlanResult(),
        [],
    )


def test_http_error_for_a_ping_does_not_hide_a_lost_connection() -> None:
    busy = HttpFailed(404, "http://x/mcp")

    assert follow(
        Expect("ping"), Close(LOST), FailRequest(1, busy), server=HANDSHAKE, ping_interval=10.0, seconds=15.0
    ) == (
        PlanResult(None, LOST),
        [CLOSED],
    )


def test_response_to_another_request_does_not_answer_the_ping() -> None:
    conversation = connected(HANDSHAKE, Expect("ping"), answer(1, {"a": 1}), answer(2, {}))
    stream = Stream(conversation, ping_interval=10.0, seconds=15.0)

    def effects() -> Effects[PlanResult]:
        yield from conversation.session.send(Call("x"))
        return (yield from stream.follower.stream())

    assert conversation.run(effects()) == PlanResult()
    assert list(map(without_timestamps, conversation.emitted)) == ['{"event":"answer","id":1,"result":{"a":1}}\n']


def test_no_ping_is_sent_without_an_interval() -> None:
    conversation = connected(HANDSHAKE)
    Stream(conversation, seconds=1000.0).run()

    assert conversation.messages == []


# States.


@pytest.mark.parametrize(
    ("start", "turn", "end"),
    [
        ("init", "connect", "connected"),
        ("init", "failure", "error"),
        ("connected", "result", "streaming"),
        ("connected", "failure", "error"),
        ("streaming", "notification", "streaming"),
        ("streaming", "signal", "disconnecting"),
        ("streaming", "timeout", "disconnecting"),
        ("streaming", "enough", "disconnecting"),
        ("streaming", "closed", "error"),
    ],
)
def test_each_transition_leads_to_its_state(start: State, turn: FollowTrigger, end: State) -> None:
    follower = Follower(connected(HANDSHAKE).session, FollowOptions(), 0.0, timestamp)
    follower.state = start
    follower.transition(turn)

    assert follower.state == end


def test_invalid_transition_raises_key_error() -> None:
    with pytest.raises(KeyError):
        Follower(connected(HANDSHAKE).session, FollowOptions(), 0.0, timestamp).transition("signal")


@pytest.mark.parametrize(("info", "name"), [({"name": "sums"}, "sums"), ({}, "the server")])
def test_user_is_told_once_that_the_connection_is_established(info: JsonObject, name: str) -> None:
    told: list[str] = []
    conversation = connected(evolve(SERVER, info=exact(info)), Pause(1), notify("x"), Pause(1))
    effects = conversation.session.sleep(3.0)

    conversation.run(announcing(effects, conversation.session, told.append))
    assert told == [f"connected to {name}; waiting for events (Ctrl-C to stop)"]


def test_user_is_not_told_before_the_connection_is_established() -> None:
    told: list[str] = []
    conversation = starting(FailToOpen(LOST))

    conversation.run(announcing(open_session(conversation.session), conversation.session, told.append))
    assert told == []
