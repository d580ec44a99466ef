"""A stream of lines, one for each event as it happens, until an end that is meant or one that is not."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.modes.follow import Follower, FollowOptions
from mcpi.core.modes.follow_states import FollowTrigger, State
from mcpi.core.outcome.faults import Exited, Fault, HttpFailed, Interrupted, Unreachable
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.responders import Accept, Handler, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import Call, Emit, Steps
from mcpi.core.session.effects import Effects
from mcpi.core.wire.server_info import NegotiatedServer
from support.conversation import (
    Conversation,
    Deed,
    Ends,
    Happens,
    Hears,
    Refuses,
    Rests,
    Says,
    answer,
    ask,
    error,
    line,
    met,
    tell,
)
from support.drive import watched
from support.replay import exact

CHANGING: Json = {"listChanged": True}
OFFER: Json = {"logging": {}, "resources": {"subscribe": True}, "tools": CHANGING, "prompts": CHANGING}
OLD = NegotiatedServer("handshake", "2025-11-25", capabilities=exact(OFFER))
BARE = NegotiatedServer("handshake", "2025-11-25")
LOST = Unreachable("CONNECTION_LOST", "the pipe broke")
CLOSED: Json = {"event": "closed", "reason": "the pipe broke", "code": "CONNECTION_LOST"}
SIGNAL = Ends(Interrupted("SIGINT"))
UPDATED = "notifications/resources/updated"
A, B = "file:///a", "file:///b"


def stamp(at: float) -> str:
    """A timestamp."""
    return f"at {at:g}"


def untimed(text: str) -> str:
    """Lines of events without their timestamps, each of which follows the event's name."""
    shown = re.sub(r'(?m)^(\{"event":"[^"]*"),"timestamp":"at [^"]*"', r"\1", text)
    assert "timestamp" not in shown
    return shown


class Stream:
    """What a follower shows, and when."""

    def __init__(self, conversation: Conversation, started: float = 0.0, **wishes: Any) -> None:
        """Nothing has been shown."""
        self.conversation = conversation
        seconds = wishes.pop("seconds", None)
        conversation.session.deadline = None if seconds is None else started + seconds
        self.follower = Follower(conversation.session, FollowOptions(**wishes), started, stamp)
        self.shown: list[tuple[float, str]] = []
        conversation.session.keep_events = True

    def run(self) -> PlanResult:
        """How the stream ends."""
        return self.conversation.run(watched(self.follower.stream(), self._look))

    def _look(self, act: object) -> None:
        if isinstance(act, Emit):
            self.shown.append((self.conversation.clock, untimed(act.text)))

    @property
    def text(self) -> str:
        """All that was shown."""
        return "".join(text for _, text in self.shown)

    @property
    def lines(self) -> list[Any]:
        """The lines as JSON."""
        assert self.text == "" or self.text.endswith("\n")
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def times(self) -> list[float]:
        """When something was shown."""
        return [at for at, _ in self.shown]


def follow(
    *deeds: Deed, server: NegotiatedServer = OLD, patience: float = 30.0, **wishes: Any
) -> tuple[PlanResult, list[Any]]:
    """How the stream ends, and its lines."""
    stream = Stream(met(server, *deeds, timeout=patience), **wishes)
    return stream.run(), stream.lines


def notified(method: str, **params: Json) -> Json:
    return {"event": "notification", "method": method, "params": params}


# A line for each event.


def test_each_notification_is_a_line_at_once() -> None:
    conversation = met(BARE, tell("n", {"x": 1}), Rests(2), tell("m"), Rests(1), SIGNAL)
    stream = Stream(conversation)

    assert stream.run() == PlanResult()
    assert stream.shown == [
        (0.0, '{"event":"notification","method":"n","params":{"x":1}}\n'),
        (2.0, '{"event":"notification","method":"m"}\n'),
    ]


def test_a_notification_keeps_its_spelling_on_one_line() -> None:
    spelled = b'{"jsonrpc": "2.0", "method": "n/\\u0041\\n", "params": {"x" : 1.50, "u": "\\u00e9",\r "y": []}}\n'
    stream = Stream(met(BARE, Says(spelled), SIGNAL))
    stream.run()

    assert stream.text == ('{"event":"notification","method":"n/A\\n","params":{"x":1.50,"u":"\\u00e9","y":[]}}\n')


def test_what_arrives_together_is_shown_together_in_order() -> None:
    conversation = met(BARE, tell("a"), tell("b"), tell("c"), Rests(1), SIGNAL)
    stream = Stream(conversation)
    stream.run()

    assert stream.times == [0.0]
    assert [one["method"] for one in stream.lines] == ["a", "b", "c"]


def test_what_happened_before_is_shown_first() -> None:
    conversation = met(BARE, Hears("x"), tell("early"), answer(1, {}), tell("late"), SIGNAL)
    conversation.session.keep_events = True
    stream = Stream(conversation)

    def acts() -> Effects[PlanResult]:
        yield from conversation.session.call(Call("x"))
        return (yield from stream.follower.stream())

    conversation.run(acts())
    assert [json.loads(one)["method"] for one in "".join(conversation.emitted).splitlines()] == ["early", "late"]


@given(st.lists(st.sampled_from("abc"), max_size=12), st.integers(1, 60), st.integers(0, 3))
def test_no_line_is_lost_or_out_of_order_however_it_arrives(names: list[str], size: int, pause: int) -> None:
    deeds: list[Deed] = []
    for name in names:
        deeds += [Says(line({"method": name}), at_a_time=size), Rests(pause)]
    _, lines = follow(*deeds, SIGNAL, server=BARE)

    assert [one["method"] for one in lines] == names


def silent(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept({"roots": []})


def test_what_the_server_asks_is_an_event_with_its_answer() -> None:
    responder = Responder("roots/list", "roots", str, lambda _, __: {}, silent, bool)
    conversation = met(
        OLD,
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
    _, lines = follow(Says(b"noise\n"), SIGNAL)

    assert [(one["event"], one["rule"], one["evidence"]) for one in lines] == [("violation", "not-json", "noise")]


def test_what_the_transport_does_is_an_event() -> None:
    _, lines = follow(Happens("reconnected", {"lastEventId": "7"}), Happens("resuming", None), SIGNAL)

    assert lines == [{"event": "reconnected", "lastEventId": "7"}, {"event": "resuming"}]


def test_an_answer_that_nobody_waited_for_is_an_event() -> None:
    conversation = met(OLD, Hears("x"), answer(1, {"a": 1}), Hears("x"), error(2, -32000, "no"), SIGNAL)
    stream = Stream(conversation)

    def acts() -> Effects[PlanResult]:
        yield from conversation.session.send(Call("x"))
        yield from conversation.session.send(Call("x"))
        return (yield from stream.follower.stream())

    conversation.run(acts())
    said = "x failed: -32000 no"
    assert [json.loads(one) for one in untimed("".join(conversation.emitted)).splitlines()] == [
        {"event": "answer", "id": 1, "result": {"a": 1}},
        {"event": "answer", "id": 2, "error": {"code": "JSON_RPC_ERROR", "message": said}},
    ]


LOG: dict[str, Json] = {"level": "info", "logger": "db", "data": {"n": 1}}


def test_after_set_level_a_log_message_is_a_log_event() -> None:
    _, lines = follow(tell("notifications/message", LOG), tell("n"), SIGNAL, logs=True)

    assert lines == [{"event": "log", **LOG}, {"event": "notification", "method": "n"}]


def test_without_it_a_log_message_is_a_notification() -> None:
    _, lines = follow(tell("notifications/message", LOG), SIGNAL)

    assert lines == [notified("notifications/message", **LOG)]


def test_a_log_message_cannot_pass_for_another_event() -> None:
    stream = Stream(met(OLD, tell("notifications/message", {"level": "info", "event": "closed"}), SIGNAL), logs=True)
    stream.run()

    assert stream.text == '{"event":"log","level":"info"}\n'


@pytest.mark.parametrize("params", [{}, None])
def test_a_log_message_that_says_nothing_is_a_notification(params: Json) -> None:
    _, (one,) = follow(tell("notifications/message", params), SIGNAL, logs=True)

    assert (one["event"], one.get("params")) == ("notification", params)


def test_of_what_was_dropped_the_count_is_told_before_what_is_left() -> None:
    conversation = met(BARE, tell("n"), Rests(1), tell("m"), SIGNAL)
    conversation.session.dropped = 7
    stream = Stream(conversation)
    stream.run()

    assert [(one["event"], one.get("count"), one.get("method")) for one in stream.lines] == [
        ("dropped", 7, None),
        ("notification", None, "n"),
        ("notification", None, "m"),
    ]
    assert conversation.session.dropped == 0


# A resource that changes.


def test_a_subscription_is_told_first() -> None:
    assert follow(SIGNAL, uri=A) == (PlanResult(), [{"event": "subscribed", "uri": A}])


def test_a_resource_that_changed_is_read_again() -> None:
    contents = Exact('[{"n":1.50}]', [{"n": 1.5}])
    conversation = met(
        OLD,
        Rests(1),
        tell(UPDATED, {"uri": A}),
        Hears("resources/read"),
        Rests(1),
        answer(1, {"contents": contents}),
        SIGNAL,
    )
    stream = Stream(conversation, uri=A)

    assert stream.run() == PlanResult()
    assert stream.shown == [
        (0.0, f'{{"event":"subscribed","uri":"{A}"}}\n'),
        (2.0, f'{{"event":"updated","uri":"{A}","contents":[{{"n":1.50}}]}}\n'),
    ]
    assert conversation.said == [{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": A}}]


def read(number: int, *contents: Json) -> tuple[Deed, Deed]:
    return (Hears("resources/read"), answer(number, {"contents": list(contents)}))


def test_of_many_changes_at_once_the_last_state_is_read_once_for_each_resource() -> None:
    burst = [tell(UPDATED, {"uri": uri}) for uri in (A, A, B, A, B)]
    ended, lines = follow(*burst, *read(1, "a"), *read(2, "b"), SIGNAL, uri=A)

    assert ended == PlanResult()
    assert lines[1:] == [
        {"event": "updated", "uri": A, "contents": ["a"]},
        {"event": "updated", "uri": B, "contents": ["b"]},
    ]


def test_changes_while_it_is_read_are_read_once_more() -> None:
    again = [tell(UPDATED, {"uri": A})] * 3
    deeds: list[Deed] = [tell(UPDATED, {"uri": A}), Hears("resources/read"), *again]
    deeds += [answer(1, {"contents": ["old"]})]
    _, lines = follow(*deeds, *read(2, "new"), SIGNAL, uri=A)

    assert [one.get("contents") for one in lines[1:]] == [["old"], ["new"]]


def test_what_happens_while_it_is_read_is_shown_after_it() -> None:
    deeds: list[Deed] = [tell(UPDATED, {"uri": A}), Hears("resources/read"), tell("n"), answer(1, {"contents": []})]
    _, lines = follow(*deeds, SIGNAL, uri=A)

    assert [one["event"] for one in lines] == ["subscribed", "updated", "notification"]


def test_a_resource_that_cannot_be_read_again_has_changed_all_the_same() -> None:
    _, lines = follow(tell(UPDATED, {"uri": A}), Hears("resources/read"), error(1, -32002, "gone"), SIGNAL, uri=A)

    said = "resources/read failed: -32002 gone"
    assert lines[1:] == [{"event": "updated", "uri": A, "error": {"code": "JSON_RPC_ERROR", "message": said}}]


def test_a_reading_without_contents_has_none() -> None:
    _, lines = follow(tell(UPDATED, {"uri": A}), Hears("resources/read"), answer(1, {}), SIGNAL, uri=A)

    assert lines[1:] == [{"event": "updated", "uri": A, "contents": None}]


@pytest.mark.parametrize("params", [{"uri": 5}, {}])
def test_a_change_of_nothing_in_particular_is_a_notification(params: dict[str, Json]) -> None:
    _, lines = follow(tell(UPDATED, params), SIGNAL, uri=A)

    assert lines[1:] == [notified(UPDATED, **params)]


def test_without_a_subscription_a_change_is_a_notification() -> None:
    assert follow(tell(UPDATED, {"uri": A}), SIGNAL) == (PlanResult(), [notified(UPDATED, uri=A)])


# A list that changes.

CHANGED = "notifications/tools/list_changed"


def test_a_list_that_changed_is_a_notification_and_no_more() -> None:
    assert follow(tell(CHANGED), SIGNAL)[1] == [{"event": "notification", "method": CHANGED}]


def test_a_list_that_changed_is_read_again_to_its_end_if_that_is_wished() -> None:
    pages: list[Deed] = [answer(1, {"tools": [1], "nextCursor": "2"}), Hears("tools/list"), answer(2, {"tools": [2]})]
    _, lines = follow(tell(CHANGED), tell(CHANGED), Hears("tools/list"), *pages, SIGNAL, refetch=True)

    assert lines[2:] == [{"event": "refetched", "method": "tools/list", "result": {"tools": [1, 2]}}]


def test_each_list_that_changed_is_read_again() -> None:
    other = "notifications/prompts/list_changed"
    lists: list[Deed] = [Hears("tools/list"), answer(1, {"tools": []}), Hears("prompts/list"), error(2, -32000, "no")]
    _, lines = follow(tell(CHANGED), tell(other), *lists, SIGNAL, refetch=True)

    said = "prompts/list failed: -32000 no"
    assert lines[2:] == [
        {"event": "refetched", "method": "tools/list", "result": {"tools": []}},
        {"event": "refetched", "method": "prompts/list", "error": {"code": "JSON_RPC_ERROR", "message": said}},
    ]


# The end.


@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
def test_a_signal_is_an_end_that_is_meant(signal: str) -> None:
    stream = Stream(met(BARE, tell("n"), Ends(Interrupted(signal))))

    assert stream.run() == PlanResult()
    assert [one["event"] for one in stream.lines] == ["notification"]
    assert stream.follower.state == "disconnecting"


@pytest.mark.parametrize(
    ("fault", "said"),
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
                "reason": "the server 'node' was ended by SIGKILL",
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
def test_a_server_that_is_gone_is_told_and_is_a_failure(fault: Fault, said: Json) -> None:
    stream = Stream(met(BARE, tell("n"), Ends(fault)), ping_interval=30.0, seconds=60.0)

    assert stream.run() == PlanResult(None, fault)
    assert stream.lines == [{"event": "notification", "method": "n"}, said]
    assert stream.follower.state == "error"


def test_a_server_that_goes_while_a_resource_is_read_does_not_hide_the_change() -> None:
    ended, lines = follow(tell(UPDATED, {"uri": A}), Hears("resources/read"), Ends(LOST), uri=A)

    failed = {"code": "CONNECTION_LOST", "message": "the pipe broke"}
    assert (ended, lines[1:]) == (PlanResult(None, LOST), [{"event": "updated", "uri": A, "error": failed}, CLOSED])


def test_a_change_just_before_the_end_is_told() -> None:
    ended, lines = follow(tell(UPDATED, {"uri": A}), Ends(LOST), uri=A)

    failed = {"code": "CONNECTION_LOST", "message": "the pipe broke"}
    assert (ended, lines[1:]) == (PlanResult(None, LOST), [{"event": "updated", "uri": A, "error": failed}, CLOSED])


@pytest.mark.parametrize("deeds", [(SIGNAL,), (Hears("resources/read"), SIGNAL)])
def test_who_interrupts_does_not_wait_for_a_reading(deeds: tuple[Deed, ...]) -> None:
    ended, lines = follow(tell(UPDATED, {"uri": A}), *deeds, uri=A)

    assert (ended, [one["event"] for one in lines]) == (PlanResult(), ["subscribed"])


def test_the_stream_ends_after_so_many_seconds_from_the_start() -> None:
    conversation = met(BARE, Rests(4), tell("n"))
    conversation.clock = 3.0
    stream = Stream(conversation, started=2.0, seconds=5.0)

    assert stream.run() == PlanResult()
    assert (conversation.clock, stream.times) == (7.0, [4.0])
    assert stream.follower.state == "disconnecting"


def test_who_never_stops_talking_does_not_put_off_the_end() -> None:
    flood: list[Deed] = [Rests(0.5), tell("n")] * 4
    conversation = met(BARE, *flood)
    stream = Stream(conversation, seconds=2.0)

    assert stream.run() == PlanResult()
    assert (conversation.clock, len(stream.lines)) == (2.0, 4)


def test_silence_ends_with_the_time() -> None:
    conversation = met(BARE)

    assert Stream(conversation, seconds=2.5).run() == PlanResult()
    assert conversation.clock == 2.5


def test_the_stream_ends_after_so_many_events() -> None:
    deeds: list[Deed] = [tell("a"), Rests(1), tell("b"), tell("c"), tell("d")]
    ended, lines = follow(*deeds, server=BARE, max_events=3)

    assert (ended, [one["method"] for one in lines]) == (PlanResult(), ["a", "b", "c"])


@given(st.integers(0, 6), st.integers(1, 4))
def test_there_are_as_many_lines_as_were_wished_and_no_more(total: int, wished: int) -> None:
    ended, lines = follow(*[tell("n")] * total, *([SIGNAL] if total < wished else []), server=BARE, max_events=wished)

    assert (ended, len(lines)) == (PlanResult(), min(total, wished))


def test_that_there_is_no_stream_is_no_event_that_was_wished_for() -> None:
    _, lines = follow(Happens("no-stream", {"reason": "405"}), tell("a"), tell("b"), server=BARE, max_events=2)

    assert [one.get("method", one["event"]) for one in lines] == ["no-stream", "a", "b"]


def test_no_event_is_wished_for_and_none_is_waited_for() -> None:
    assert follow(max_events=0) == (PlanResult(), [])


def test_the_subscription_itself_is_an_event() -> None:
    assert follow(uri=A, max_events=1) == (PlanResult(), [{"event": "subscribed", "uri": A}])


def test_a_reading_beyond_the_events_that_are_wished_is_not_begun() -> None:
    burst = [tell(UPDATED, {"uri": uri}) for uri in (A, B)]
    ended, lines = follow(*burst, *read(1, "a"), uri=A, max_events=2)

    assert (ended, lines[1:]) == (PlanResult(), [{"event": "updated", "uri": A, "contents": ["a"]}])
    assert follow(tell(CHANGED), refetch=True, max_events=1)[1] == [{"event": "notification", "method": CHANGED}]


def test_the_count_of_what_was_dropped_is_an_event_too() -> None:
    conversation = met(BARE, tell("n"), tell("m"))
    conversation.session.dropped = 1
    stream = Stream(conversation, max_events=2)
    stream.run()

    assert [one["event"] for one in stream.lines] == ["dropped", "notification"]


def test_enough_is_an_end_that_is_meant_even_if_the_server_goes_then() -> None:
    conversation = met(BARE, tell("n"), Ends(LOST))
    stream = Stream(conversation, max_events=1)

    assert stream.run() == PlanResult()
    assert stream.follower.state == "disconnecting"


def test_a_reading_does_not_outlast_the_stream() -> None:
    conversation = met(OLD, Rests(4), tell(UPDATED, {"uri": A}), timeout=30.0)
    stream = Stream(conversation, uri=A, seconds=5.0)

    assert stream.run() == PlanResult()
    assert (conversation.clock, stream.times) == (5.0, [0.0, 5.0])
    failed = {"code": "REQUEST_TIMEOUT", "message": "no response to resources/read (request 1) within 1 s"}
    assert stream.lines[1:] == [{"event": "updated", "uri": A, "error": failed}]
    assert conversation.session.terms.timeout == 30.0


def test_a_reading_is_no_more_patient_than_usual() -> None:
    conversation = met(OLD, tell(UPDATED, {"uri": A}), timeout=2.0)
    stream = Stream(conversation, uri=A, seconds=60.0)

    stream.run()
    assert (conversation.clock, stream.times) == (60.0, [0.0, 2.0])


# Signs of life.

PING: Json = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_after_so_long_without_a_sign_of_life_one_is_asked_for() -> None:
    conversation = met(BARE, Hears("ping"), Rests(1), answer(1, {}), Hears("ping"), answer(2, {}))
    stream = Stream(conversation, ping_interval=10.0, seconds=25.0)

    assert stream.run() == PlanResult()
    assert [entry for entry in conversation.log if entry[1] == "ping"] == [(10.0, "ping"), (21.0, "ping")]
    assert conversation.said[0] == PING
    assert stream.lines == []


def test_whatever_the_server_does_is_a_sign_of_life() -> None:
    deeds: list[Deed] = [Rests(8), tell("n"), Rests(8), Says(b"noise\n"), Rests(8), ask("q", "x/y")]
    conversation = met(BARE, *deeds)
    Stream(conversation, ping_interval=10.0, seconds=30.0).run()

    assert [method for _, method in conversation.log] == ["x/y"]


def test_an_error_is_a_sign_of_life_too() -> None:
    conversation = met(BARE, Hears("ping"), error(1, -32601, "Method not found"))
    stream = Stream(conversation, ping_interval=10.0, seconds=15.0)

    assert (stream.run(), stream.lines) == (PlanResult(), [])


def test_a_stream_that_is_an_answer_ends_with_its_connection() -> None:
    lost = Unreachable("CONNECTION_LOST", "it was cut")
    conversation = met(BARE, Hears("subscriptions/listen"), Refuses(1, lost))
    stream = Stream(conversation)

    def acts() -> Effects[PlanResult]:
        yield from conversation.session.send(Call("subscriptions/listen"))
        return (yield from stream.follower.stream())

    assert conversation.run(acts()) == PlanResult(None, lost)
    assert [json.loads(one)["event"] for one in "".join(conversation.emitted).splitlines()] == ["answer", "closed"]


@pytest.mark.parametrize(
    ("farewell", "events"),
    [
        (answer(1, {}), ["answer", "closed"]),
        (tell("notifications/cancelled", {"requestId": 1}), ["notification", "closed"]),
    ],
)
def test_a_stream_that_the_server_ends_in_order_has_ended(farewell: Deed, events: list[str]) -> None:
    conversation = met(BARE, Hears("subscriptions/listen"), farewell)
    stream = Stream(conversation)

    def acts() -> Effects[PlanResult]:
        yield from conversation.session.send(Call("subscriptions/listen"))
        return (yield from stream.follower.stream())

    ended = Unreachable("CONNECTION_LOST", "the server has ended the subscription")
    assert conversation.run(acts()) == PlanResult(None, ended)
    assert [json.loads(one)["event"] for one in "".join(conversation.emitted).splitlines()] == events


@pytest.mark.parametrize("number", [9, "1", None, True, [1], {"a": 1}])
def test_another_cancellation_ends_no_stream(number: Json) -> None:
    cancelled = tell("notifications/cancelled", {"requestId": number})

    assert follow(cancelled, tell("notifications/cancelled"), SIGNAL)[0] == PlanResult()


def test_a_server_that_does_not_answer_a_ping_is_gone() -> None:
    conversation = met(BARE, timeout=5.0)
    stream = Stream(conversation, ping_interval=10.0)

    silence = "the server did not answer a ping within 5 s"
    assert stream.run() == PlanResult(None, Unreachable("CONNECTION_LOST", silence))
    assert stream.shown == [(15.0, f'{{"event":"closed","reason":"{silence}","code":"CONNECTION_LOST"}}\n')]
    assert [message["method"] for message in conversation.said] == ["ping", "notifications/cancelled"]
    assert stream.follower.state == "error"


def test_while_a_ping_is_out_lines_are_shown_as_they_come() -> None:
    conversation = met(BARE, Hears("ping"), Rests(2), tell("n"), Rests(2), answer(1, {}), tell("m"))
    stream = Stream(conversation, ping_interval=10.0, seconds=20.0)

    stream.run()
    assert [(at, json.loads(text)["method"]) for at, text in stream.shown] == [(12.0, "n"), (14.0, "m")]


def test_the_time_is_up_though_a_ping_is_out() -> None:
    conversation = met(BARE, timeout=30.0)

    assert Stream(conversation, ping_interval=10.0, seconds=12.0).run() == PlanResult()
    assert conversation.clock == 12.0


def test_a_second_ping_waits_for_the_answer_to_the_first() -> None:
    conversation = met(BARE, timeout=15.0)
    Stream(conversation, ping_interval=2.0).run()

    assert conversation.log == [(2.0, "ping"), (17.0, "notifications/cancelled")]


def test_an_interrupt_ends_a_ping() -> None:
    conversation = met(BARE, Hears("ping"), Rests(1), SIGNAL)

    assert Stream(conversation, ping_interval=10.0).run() == PlanResult()
    assert conversation.clock == 11.0


def test_a_ping_that_reaches_nobody_finds_the_server_gone() -> None:
    refused = Unreachable("CONNECTION_REFUSED", "nobody listens")
    ended, lines = follow(Hears("ping"), Refuses(1, refused), server=BARE, ping_interval=10.0)

    assert ended == PlanResult(None, refused)
    assert lines == [{"event": "closed", "reason": "nobody listens", "code": "CONNECTION_REFUSED"}]


def test_a_ping_that_is_refused_has_reached_somebody() -> None:
    busy = HttpFailed(503, "http://x/mcp")

    assert follow(Hears("ping"), Refuses(1, busy), server=BARE, ping_interval=10.0, seconds=15.0) == (PlanResult(), [])


def test_a_ping_that_is_refused_after_the_connection_was_lost_does_not_hide_that() -> None:
    busy = HttpFailed(404, "http://x/mcp")

    assert follow(Hears("ping"), Ends(LOST), Refuses(1, busy), server=BARE, ping_interval=10.0, seconds=15.0) == (
        PlanResult(None, LOST),
        [CLOSED],
    )


def test_the_answer_to_another_request_is_no_answer_to_the_ping() -> None:
    conversation = met(BARE, Hears("ping"), answer(1, {"a": 1}), answer(2, {}))
    stream = Stream(conversation, ping_interval=10.0, seconds=15.0)

    def acts() -> Effects[PlanResult]:
        yield from conversation.session.send(Call("x"))
        return (yield from stream.follower.stream())

    assert conversation.run(acts()) == PlanResult()
    assert list(map(untimed, conversation.emitted)) == ['{"event":"answer","id":1,"result":{"a":1}}\n']


def test_without_an_interval_nobody_is_pinged() -> None:
    conversation = met(BARE)
    Stream(conversation, seconds=1000.0).run()

    assert conversation.said == []


# The states.


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
def test_each_turn_leads_where_the_table_says(start: State, turn: FollowTrigger, end: State) -> None:
    follower = Follower(met(BARE).session, FollowOptions(), 0.0, stamp)
    follower.state = start
    follower.transition(turn)

    assert follower.state == end


def test_a_turn_out_of_place_is_a_programmers_error() -> None:
    with pytest.raises(KeyError):
        Follower(met(BARE).session, FollowOptions(), 0.0, stamp).transition("signal")
