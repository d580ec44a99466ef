"""Requests go out, and whatever comes back finds its place: in time, late, garbled, unasked or not at all."""

import json
from collections.abc import Mapping
from typing import cast

import pytest

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Exited, HttpFailed, InvalidResponse, RpcError, TimedOut, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    DeadlineReached,
    Event,
    NotificationReceived,
    ResponseReceived,
    ServerAsked,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.plans.responders import Accept, Handler, Handlers, Refuse, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import AskFunction, Call, Steps, check
from mcpi.core.session.effects import Effects
from mcpi.core.session.session import MAX_EVENTS
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation
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
    talk,
    tell,
)
from support.replay import exact

OLD = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"logging": {}}))
NEW = NegotiatedServer("modern", "2026-07-28", capabilities=exact({"logging": {}}))
OLD_HTTP = NegotiatedServer("handshake", "2025-11-25", transport="http")
NEW_HTTP = NegotiatedServer("modern", "2026-07-28", transport="http")
LOST = Unreachable("CONNECTION_LOST", "the pipe broke")
LONGER = ("a slow answer may need a longer --timeout",)
MOST = ("a slow answer may need a longer --max-total-timeout",)
ENVELOPE: dict[str, Json] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "mcpi", "version": "1.0"},
    "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
}


def call(conversation: Conversation, step: Call) -> Result[Exact]:
    return conversation.run(conversation.session.call(step))


def after(conversation: Conversation, seconds: float) -> None:
    conversation.run(conversation.session.sleep(seconds))


def text(message: Mapping[str, Printable]) -> str:
    return line(message).decode().strip()


# A request and its answer.


def test_a_request_goes_out_as_it_is_and_its_result_comes_back() -> None:
    conversation = met(OLD, Hears("tools/list"), answer(1, {"tools": []}))

    assert call(conversation, Call("tools/list", {"cursor": "7"})) == Success(exact({"tools": []}))
    assert conversation.said == [{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "7"}}]
    assert conversation.events == []


def test_an_answer_that_comes_a_byte_at_a_time_is_an_answer() -> None:
    whole = line({"id": 1, "result": {"a": "ü"}})
    conversation = met(OLD, Hears("x"), Says(whole, at_a_time=1))

    assert call(conversation, Call("x")) == Success(exact({"a": "ü"}))


def test_an_answer_in_two_halves_is_an_answer() -> None:
    whole = line({"id": 1, "result": {}})
    conversation = met(OLD, Hears("x"), Says(whole[:9]), Rests(1), Says(whole[9:]))

    assert call(conversation, Call("x")) == Success(exact({}))
    assert conversation.clock == 1.0


def test_requests_are_numbered_anew_each() -> None:
    conversation = met(OLD, Hears("x"), answer(1, {}), Hears("y"), answer(2, {}))

    def acts() -> Effects[None]:
        yield from conversation.session.call(Call("x"))
        yield from conversation.session.call(Call("y"))

    conversation.run(acts())
    assert [message["id"] for message in conversation.said] == [1, 2]


@pytest.mark.parametrize(
    ("deed", "fault"),
    [
        (
            error(1, -32602, "no", {"x": 1}),
            RpcError(-32602, "no", exact({"code": -32602, "message": "no", "data": {"x": 1}}), "x"),
        ),
        (Says(line({"id": 1, "error": "broken"})), RpcError(0, '"broken"', exact("broken"), "x")),
        (Says(line({"id": 1, "error": {"code": "5"}})), RpcError(0, '{"code":"5"}', exact({"code": "5"}), "x")),
    ],
)
def test_an_error_is_a_fault_that_keeps_it(deed: Deed, fault: RpcError) -> None:
    assert call(met(OLD, Hears("x"), deed), Call("x")) == Failure(fault)


def test_an_answer_that_cannot_be_read_is_a_fault_that_quotes_it() -> None:
    garbled = b'{"jsonrpc":"2.0","id":1,"result":}'
    conversation = met(OLD, Hears("x"), Says(garbled + b"\n"))

    problem = "the answer to x (request 1) is unreadable: a value is missing: line 1 column 34 (char 33)"
    assert call(conversation, Call("x")) == Failure(InvalidResponse("INVALID_RESPONSE", problem, (garbled.decode(),)))


def test_a_refused_request_is_the_transports_fault() -> None:
    fault = HttpFailed(500, "http://localhost")
    conversation = met(OLD_HTTP, Hears("x"), Refuses(1, fault))

    assert call(conversation, Call("x")) == Failure(fault)


def test_noise_between_the_messages_is_recorded_and_the_answer_counts() -> None:
    conversation = met(OLD, Hears("x"), Says(b"starting up\n"), answer(1, {}))

    assert call(conversation, Call("x")) == Success(exact({}))
    assert conversation.events == [ViolationSeen(Violation("not-json", "not a JSON-RPC message", "starting up"), 0.0)]


def test_a_second_answer_is_a_violation() -> None:
    conversation = met(OLD, Hears("x"), answer(1, {}), answer(1, {}), tell("end"))

    def acts() -> Effects[None]:
        yield from conversation.session.call(Call("x"))
        yield from conversation.session.sleep(1)

    conversation.run(acts())
    violation = Violation("repeated-id", "request 1 was answered before", text({"id": 1, "result": {}}))
    assert conversation.events == [ViolationSeen(violation, 0.0), NotificationReceived("end", None, 0.0)]


# Patience.


def test_no_answer_is_a_fault_that_names_the_request_and_what_was_seen_last() -> None:
    conversation = met(OLD, Hears("x"), Rests(1), tell("notifications/y"))

    seen = text({"method": "notifications/y"})
    assert call(conversation, Call("x")) == Failure(TimedOut("REQUEST_TIMEOUT", 30.0, "x (request 1)", seen, LONGER))
    assert conversation.clock == 30.0


@pytest.mark.parametrize(
    ("noise", "seen"),
    [
        (Says(b"  Listening on port 3000 \n"), "Listening on port 3000"),
        (Says(b"\xff\n"), "\ufffd"),
        (Says(b"x" * 301 + b"\n"), "x" * 300 + "… (301 characters)"),
        (tell("n", "x" * 301), text({"method": "n", "params": "x" * 301})[:300] + "… (343 characters)"),
    ],
)
def test_whatever_the_server_wrote_last_was_seen(noise: Deed, seen: str) -> None:
    assert call(met(OLD, noise), Call("x")) == Failure(TimedOut("REQUEST_TIMEOUT", 30.0, "x (request 1)", seen, LONGER))


def test_on_giving_up_the_server_is_told() -> None:
    conversation = met(OLD, timeout=2.0)
    call(conversation, Call("x"))

    params = {"requestId": 1, "reason": "no response within 2 s"}
    assert conversation.said[1] == {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    assert conversation.transmitted[1].cancels == 1
    assert [at for at, _ in conversation.log] == [0.0, 2.0]


def test_initialize_is_never_cancelled() -> None:
    conversation = met(OLD, timeout=2.0)
    call(conversation, Call("initialize"))

    assert [message["method"] for message in conversation.said] == ["initialize"]


def test_an_answer_just_in_time_is_an_answer() -> None:
    conversation = met(OLD, Hears("x"), Rests(30), answer(1, {}))

    assert call(conversation, Call("x")) == Success(exact({}))


@pytest.mark.parametrize("late", [answer(1, {}), error(1, -32800, "cancelled"), Refuses(1, LOST)])
def test_a_late_answer_is_quiet(late: Deed) -> None:
    conversation = met(OLD, Hears("x"), Rests(40), late, tell("end"))

    def acts() -> Effects[None]:
        yield from conversation.session.call(Call("x"))
        yield from conversation.session.sleep(20)

    conversation.run(acts())
    assert conversation.events == [NotificationReceived("end", None, 40.0)]


def test_a_stream_that_breaks_after_its_answer_is_quiet() -> None:
    conversation = met(OLD_HTTP, Hears("x"), answer(1, {}), Refuses(1, LOST), tell("end"))

    def acts() -> Effects[Result[Exact]]:
        outcome = yield from conversation.session.call(Call("x"))
        yield from conversation.session.sleep(1)
        return outcome

    assert conversation.run(acts()) == Success(exact({}))
    assert conversation.events == [NotificationReceived("end", None, 0.0)]


def test_what_was_given_up_is_no_longer_outstanding() -> None:
    conversation = met(OLD, Hears("y"), Ends(Exited("node", "", 1)), timeout=1.0)

    def acts() -> Effects[Result[Exact]]:
        yield from conversation.session.call(Call("x"))
        return (yield from conversation.session.call(Call("y")))

    assert conversation.run(acts()) == Failure(Exited("node", "y", 1))


def test_a_flood_does_not_hold_up_the_end_of_patience() -> None:
    flood = line({"method": "n"}) * 3 + line({"id": 1, "result": {}})
    conversation = met(OLD, Hears("x"), Rests(30), Says(flood))

    assert call(conversation, Call("x")) == Failure(
        TimedOut("REQUEST_TIMEOUT", 30.0, "x (request 1)", text({"method": "n"}), LONGER)
    )


def test_progress_starts_the_patience_anew() -> None:
    report = tell("notifications/progress", {"progressToken": 1, "progress": 1})
    conversation = met(OLD, Hears("x"), Rests(29), report, Rests(29), report, Rests(29), answer(1, {}))

    assert call(conversation, Call("x", with_progress=True)) == Success(exact({}))
    assert conversation.said[0]["params"] == {"_meta": {"progressToken": 1}}
    assert conversation.clock == 87.0


def test_progress_that_stops_ends_the_patience() -> None:
    report = tell("notifications/progress", {"progressToken": 1, "progress": 1})
    conversation = met(OLD, Hears("x"), Rests(20), report)

    outcome = call(conversation, Call("x", with_progress=True))
    assert isinstance(outcome, Failure)
    assert conversation.clock == 50.0
    assert conversation.said[1]["params"]["reason"] == "no response within 50 s"


def test_progress_gets_no_further_than_the_total() -> None:
    report = tell("notifications/progress", {"progressToken": 1, "progress": 1})
    reports = [deed for _ in range(4) for deed in (Rests(20), report)]
    conversation = met(OLD, Hears("x"), *reports, max_total_timeout=90.0)

    seen = text({"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}})
    assert call(conversation, Call("x", with_progress=True)) == Failure(
        TimedOut("REQUEST_TIMEOUT", 90.0, "x (request 1)", seen, MOST)
    )


def test_where_both_limits_come_together_the_patience_is_named() -> None:
    conversation = met(OLD, Hears("x"), timeout=20.0, max_total_timeout=20.0)

    assert call(conversation, Call("x")) == Failure(TimedOut("REQUEST_TIMEOUT", 20.0, "x (request 1)", "", LONGER))


@pytest.mark.parametrize("params", [{"progressToken": 2}, {"progressToken": "1"}, {"progressToken": None}, {}, None])
def test_progress_of_something_else_changes_nothing(params: Json) -> None:
    conversation = met(OLD, Hears("x"), Rests(20), tell("notifications/progress", params))
    call(conversation, Call("x", with_progress=True))

    assert conversation.clock == 30.0


def test_a_token_of_the_users_own_counts_too() -> None:
    report = tell("notifications/progress", {"progressToken": "mine", "progress": 1})
    conversation = met(OLD, Hears("x"), Rests(20), report, Rests(20), answer(1, {}))

    assert call(conversation, Call("x", {"_meta": {"progressToken": "mine"}}, with_progress=True)) == Success(exact({}))


def test_progress_of_a_request_that_has_its_answer_is_only_told() -> None:
    report = tell("notifications/progress", {"progressToken": 1, "progress": 1})
    conversation = met(OLD, Hears("x"), answer(1, {}), report)

    def acts() -> Effects[None]:
        yield from conversation.session.call(Call("x", with_progress=True))
        yield from conversation.session.sleep(1)

    conversation.run(acts())
    assert conversation.events == [
        NotificationReceived("notifications/progress", exact({"progressToken": 1, "progress": 1}), 0.0)
    ]


# The end of the connection.


def test_a_loss_ends_the_wait_at_once() -> None:
    conversation = met(OLD, Hears("x"), Rests(1), Ends(LOST))

    assert call(conversation, Call("x")) == Failure(LOST)
    assert conversation.clock == 1.0
    assert conversation.events == [ConnectionClosed(LOST, 1.0)]
    assert conversation.session.state == "error"


def test_a_loss_while_nobody_is_met_leaves_the_attempt_to_fail() -> None:
    conversation = talk(Ends(LOST))
    after(conversation, 1)

    assert conversation.session.state == "disconnected"
    assert conversation.session.connection_fault == LOST


def test_an_exit_names_what_was_outstanding() -> None:
    conversation = met(OLD, Hears("x"), Ends(Exited("node", "", 1)))

    def acts() -> Effects[Result[Exact]]:
        yield from conversation.session.send(Call("x"))
        return (yield from conversation.session.call(Call("y")))

    assert conversation.run(acts()) == Failure(Exited("node", "x, y", 1))


def test_after_a_loss_nothing_is_sent() -> None:
    conversation = met(OLD, Ends(LOST))

    def acts() -> Effects[Result[Exact]]:
        yield from conversation.session.sleep(1)
        return (yield from conversation.session.call(Call("x")))

    assert conversation.run(acts()) == Failure(LOST)
    assert conversation.said == []


def test_an_answer_just_before_the_loss_counts() -> None:
    conversation = met(OLD, Hears("x"), answer(1, {}), Ends(LOST))

    def acts() -> Effects[Result[Exact]]:
        outcome = yield from conversation.session.call(Call("x"))
        yield from conversation.session.sleep(1)
        return outcome

    assert conversation.run(acts()) == Success(exact({}))


# What the server says unasked.


def test_notifications_are_recorded_as_they_come() -> None:
    conversation = met(OLD, tell("a", {"x": 1}), Rests(1), tell("b"))
    after(conversation, 2)

    assert conversation.events == [
        NotificationReceived("a", exact({"x": 1}), 0.0),
        NotificationReceived("b", None, 1.0),
    ]


def test_a_notification_that_was_not_agreed_upon_is_a_violation_too() -> None:
    conversation = met(OLD, tell("notifications/tools/list_changed"))
    after(conversation, 1)

    problem = "notifications/tools/list_changed was sent, but the capability tools.listChanged was not declared"
    evidence = text({"method": "notifications/tools/list_changed"})
    assert conversation.events == [
        ViolationSeen(Violation("undeclared-capability", problem, evidence), 0.0),
        NotificationReceived("notifications/tools/list_changed", None, 0.0),
    ]


@pytest.mark.parametrize(("level", "rules"), [("debug", []), (None, ["unasked-log"])])
def test_a_modern_log_message_wants_to_be_asked_for(level: str | None, rules: list[str]) -> None:
    conversation = met(NEW, tell("notifications/message", {"level": "info", "data": "x"}), log_level=level)
    after(conversation, 1)

    assert [one.violation.rule for one in conversation.events if isinstance(one, ViolationSeen)] == rules


def test_what_the_transport_does_is_recorded() -> None:
    conversation = met(OLD, Happens("resuming", {"lastEventId": "7"}))
    after(conversation, 1)

    assert conversation.events == [TransportNote("resuming", {"lastEventId": "7"}, 0.0)]


def test_the_answer_to_what_nobody_waits_for_is_an_event() -> None:
    conversation = met(OLD, Hears("x"), Rests(1), answer(1, {"a": 1}))

    def acts() -> Effects[None]:
        yield from conversation.session.send(Call("x"))
        yield from conversation.session.sleep(2)

    conversation.run(acts())
    assert conversation.events == [ResponseReceived(1, Success(exact({"a": 1})), 1.0)]
    assert conversation.session.outcomes == {}


# What the server asks.


def hello(_: str, asking: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept({"hello": asking.previous_count})


def never(said: str, _: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Refuse(-1, said)


def measured(_: str, asking: ServerRequest) -> Steps[Reply]:
    problems = yield from check(5, {"type": "string"})
    return Accept({"problems": len(problems), "method": asking.method})


def thought(_: str, asking: ServerRequest) -> Steps[Reply]:
    return cast("Reply", (yield AskFunction(asking.method, asking.params)))


def handlers(given: str = "yes") -> Handlers:
    """One of each kind: an answer that is declared, a refusal, one that measures, one that is not declared."""
    made: list[Responder[str]] = [
        Responder("sampling/createMessage", "sampling", str, lambda *_: {}, hello, bool, capability="sampling"),
        Responder("refuse", "refuse", str, lambda *_: {}, never, bool),
        Responder("measure", "measure", str, lambda *_: {}, measured, bool),
        Responder("roots/list", "roots", str, lambda *_: {}, hello, bool, capability="roots"),
        Responder("ping", "ping", str, lambda *_: {}, hello, bool),
        Responder("think", "think", str, lambda *_: {}, thought, bool),
    ]
    return {one.method: Handler(one, given) for one in made}


def test_a_question_is_answered_by_its_responder_and_recorded() -> None:
    conversation = met(OLD, ask("q", "sampling/createMessage", {"m": 1}), handlers=handlers())
    after(conversation, 1)

    assert conversation.said == [{"jsonrpc": "2.0", "id": "q", "result": {"hello": 0}}]
    assert conversation.events == [
        ServerAsked("sampling/createMessage", exact({"m": 1}), {"hello": 0}, 0.0, handled=True)
    ]


def test_questions_of_one_kind_are_counted() -> None:
    conversation = met(
        OLD, ask(1, "sampling/createMessage"), ask(2, "refuse"), ask(3, "sampling/createMessage"), handlers=handlers()
    )
    after(conversation, 1)

    assert [message.get("result") for message in conversation.said] == [{"hello": 0}, None, {"hello": 1}]


def test_a_responder_may_measure_by_a_schema() -> None:
    conversation = met(OLD, ask(7, "measure"), handlers=handlers())
    conversation.problems = (("", "5 is no string"),)
    after(conversation, 1)

    assert conversation.validated == [(5, {"type": "string"})]
    assert conversation.said == [{"jsonrpc": "2.0", "id": 7, "result": {"problems": 1, "method": "measure"}}]


def test_the_time_that_an_answer_of_ours_takes_is_no_delay_of_the_server_s() -> None:
    deeds = (Hears("x"), Rests(20), ask(7, "think"), Hears("think"), Rests(9), answer(1, {}))
    conversation = met(OLD, *deeds, handlers=handlers(), timeout=30.0, max_total_timeout=300.0)
    conversation.thinking = 25.0

    assert call(conversation, Call("x")) == Success(exact({}))
    assert conversation.clock == 54.0


def test_it_is_no_part_of_the_limit_for_one_answer_either() -> None:
    deeds = (Hears("x"), Rests(2), ask(7, "think"), Hears("think"), Rests(2), answer(1, {}))
    conversation = met(OLD, *deeds, handlers=handlers(), timeout=30.0, max_total_timeout=5.0)
    conversation.thinking = 25.0

    assert call(conversation, Call("x")) == Success(exact({}))


def test_the_server_s_own_time_before_and_after_it_counts() -> None:
    deeds = (Hears("x"), Rests(20), ask(7, "think"))
    conversation = met(OLD, *deeds, handlers=handlers(), timeout=30.0, max_total_timeout=300.0)
    conversation.thinking = 25.0
    ended = call(conversation, Call("x"))

    assert isinstance(ended, Failure)
    assert conversation.clock == 55.0


def test_a_refusal_is_an_error_for_the_server() -> None:
    conversation = met(OLD, ask(7, "refuse"), handlers=handlers("no way"))
    after(conversation, 1)

    refused: Json = {"code": -1, "message": "no way"}
    assert conversation.said == [{"jsonrpc": "2.0", "id": 7, "error": refused}]
    assert conversation.events == [ServerAsked("refuse", None, {"error": refused}, 0.0, handled=True)]


@pytest.mark.parametrize(("method", "handled"), [("roots/list", True), ("vendor/thing", False)])
def test_a_question_that_was_not_declared_is_refused_and_recorded(method: str, handled: bool) -> None:  # noqa: FBT001
    conversation = met(OLD, ask(7, method), handlers=handlers())
    after(conversation, 1)

    unknown: Json = {"code": -32601, "message": "Method not found"}
    assert conversation.said == [{"jsonrpc": "2.0", "id": 7, "error": unknown}]
    assert conversation.events == [ServerAsked(method, None, {"error": unknown}, 0.0, handled)]


def test_an_answer_that_the_user_did_not_give_is_marked() -> None:
    conversation = met(OLD, ask(7, "sampling/createMessage"), handlers=handlers(""))
    after(conversation, 1)

    assert conversation.events == [ServerAsked("sampling/createMessage", None, {"hello": 0}, 0.0, handled=False)]


def test_a_ping_is_answered_and_not_worth_a_record() -> None:
    conversation = met(OLD, ask("p", "ping"), handlers=handlers())
    after(conversation, 1)

    assert conversation.said == [{"jsonrpc": "2.0", "id": "p", "result": {"hello": 0}}]
    assert conversation.events == []


def test_a_question_amid_a_call_is_answered_before_the_call_is() -> None:
    conversation = met(
        OLD,
        Hears("x"),
        ask("q", "sampling/createMessage"),
        Hears("sampling/createMessage"),
        answer(1, {}),
        handlers=handlers(),
    )

    assert call(conversation, Call("x")) == Success(exact({}))


def test_a_modern_servers_question_is_a_violation_and_not_answered() -> None:
    conversation = met(NEW, ask("q", "sampling/createMessage"), handlers=handlers())
    after(conversation, 1)

    problem = "a modern server sent the request sampling/createMessage"
    evidence = text({"id": "q", "method": "sampling/createMessage"})
    assert conversation.said == []
    assert conversation.events == [ViolationSeen(Violation("server-request", problem, evidence), 0.0)]


@pytest.mark.parametrize("number", ["1e999", pytest.param("9" * 5000, id="huge"), "1e2", "-0.0", '"1"'])
def test_a_servers_question_is_answered_under_its_id_as_it_was_spelled(number: str) -> None:
    conversation = met(OLD, Says(f'{{"jsonrpc":"2.0","id":{number},"method":"ping"}}\n'.encode()), handlers=handlers())
    after(conversation, 1)

    assert conversation.transmitted[0].data.startswith(f'{{"jsonrpc":"2.0","id":{number},"result":'.encode())


def test_an_answer_to_an_http_server_carries_the_version() -> None:
    conversation = met(OLD_HTTP, ask("q", "ping"), handlers=handlers())
    after(conversation, 1)

    sent = conversation.transmitted[0]
    assert (sent.kind, sent.method, json.loads(sent.data)["id"]) == ("response", "ping", "q")
    assert sent.headers == {"mcp-protocol-version": "2025-11-25"}


# How a request is dressed.


def test_a_modern_request_carries_who_asks() -> None:
    conversation = met(NEW, Hears("x"), answer(1, {"resultType": "complete"}))
    call(conversation, Call("x", {"a": 1}))

    assert conversation.said[0]["params"] == {"a": 1, "_meta": ENVELOPE}


@pytest.mark.parametrize(
    ("server", "asked"),
    [
        (NEW, "debug"),
        (NegotiatedServer("modern", "2026-07-28", was_asked_for_capabilities=False), "debug"),
        (NegotiatedServer("modern", "2026-07-28", capabilities=exact({"tools": {}})), None),
    ],
)
def test_a_modern_request_asks_for_logs_where_the_server_has_them(server: NegotiatedServer, asked: str | None) -> None:
    conversation = met(server, Hears("x"), answer(1, {"resultType": "complete"}), log_level="debug")
    call(conversation, Call("x"))

    assert conversation.said[0]["params"]["_meta"].get("io.modelcontextprotocol/logLevel") == asked


def test_the_users_metadata_is_in_every_request_and_wins() -> None:
    meta = {"team": "qa", "io.modelcontextprotocol/clientInfo": {"name": "me"}}
    conversation = met(NEW, Hears("x"), answer(1, {"resultType": "complete"}), meta=meta)
    call(conversation, Call("x", {"_meta": {"team": "dev"}}))

    own = {"io.modelcontextprotocol/clientInfo": {"name": "me"}, "team": "dev"}
    assert conversation.said[0]["params"]["_meta"] == {**ENVELOPE, **own}


def test_what_a_plan_adopts_is_said_from_then_on() -> None:
    conversation = met(NEW, Hears("x"), answer(1, {"resultType": "complete"}))
    conversation.session.extend_terms("info", None)
    conversation.session.extend_terms(None, "vendor/x")
    call(conversation, Call("x"))

    said = conversation.said[0]["params"]["_meta"]
    assert said["io.modelcontextprotocol/logLevel"] == "info"
    assert said["io.modelcontextprotocol/clientCapabilities"] == {"sampling": {}, "extensions": {"vendor/x": {}}}


def test_after_a_handshake_nothing_more_can_be_declared() -> None:
    conversation = met(OLD)
    before = conversation.session.terms.client
    conversation.session.extend_terms(None, "vendor/x")

    assert conversation.session.terms.client == before


def test_over_http_a_modern_request_says_in_its_headers_what_it_is() -> None:
    conversation = met(NEW_HTTP, Hears("tools/call"), answer(1, {"resultType": "complete"}))
    call(conversation, Call("tools/call", {"name": "echo"}, headers={"mcp-param-x": "1"}))

    assert conversation.transmitted[0].headers == {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "echo",
        "mcp-param-x": "1",
    }


# Waiting for whatever comes.


def test_the_next_event_is_the_next_thing_that_happens() -> None:
    conversation = met(OLD, Rests(1), tell("a"), tell("b"))
    conversation.session.keep_events = True

    def acts() -> Effects[list[Event]]:
        return [(yield from conversation.session.next(None)), (yield from conversation.session.next(5))]

    assert conversation.run(acts()) == [NotificationReceived("a", None, 1.0), NotificationReceived("b", None, 1.0)]


def test_no_event_in_time_is_an_event_of_its_own() -> None:
    conversation = met(OLD)

    assert conversation.run(conversation.session.next(2)) == DeadlineReached(2.0)


def test_after_the_loss_every_next_event_is_the_end() -> None:
    conversation = met(OLD, tell("a"), Ends(LOST))
    conversation.session.keep_events = True

    def acts() -> Effects[list[Event]]:
        first = yield from conversation.session.next(None)
        second = yield from conversation.session.next(None)
        return [first, second, (yield from conversation.session.next(None))]

    assert conversation.run(acts()) == [
        NotificationReceived("a", None, 0.0),
        ConnectionClosed(LOST, 0.0),
        ConnectionClosed(LOST, 0.0),
    ]


def test_events_are_kept_up_to_a_limit_and_the_rest_is_counted() -> None:
    conversation = met(OLD)
    conversation.session.keep_events = True
    for number in range(MAX_EVENTS + 2):
        conversation.session.record_event(DeadlineReached(number))

    assert conversation.session.events.items[0] == DeadlineReached(2)
    assert (len(conversation.session.events), conversation.session.dropped) == (MAX_EVENTS, 2)
    assert len(conversation.events) == MAX_EVENTS + 2


def test_nothing_is_kept_for_a_plan_that_does_not_look() -> None:
    conversation = met(OLD, tell("a"))
    after(conversation, 1)

    assert len(conversation.session.events) == 0


def test_sleep_takes_as_long_as_it_says() -> None:
    conversation = met(OLD, Rests(1), tell("a"))
    after(conversation, 3)

    assert conversation.clock == 3.0


def test_sleep_ends_with_the_connection() -> None:
    conversation = met(OLD, Rests(1), Ends(LOST))
    after(conversation, 3)

    assert conversation.clock == 1.0


def test_a_flood_does_not_hold_up_the_end_of_sleep() -> None:
    conversation = met(OLD, Rests(3), Says(line({"method": "n"}) * 3))
    after(conversation, 3)

    assert len(conversation.events) == 1


def test_gathering_takes_all_that_has_happened_and_waits_for_no_more() -> None:
    conversation = met(OLD, Rests(1), tell("a"), tell("b"), Rests(1), tell("c"))
    conversation.session.keep_events = True

    def acts() -> Effects[int]:
        yield from conversation.session.process_pending(None)
        count = len(conversation.session.events)
        yield from conversation.session.sleep(2)
        return count

    assert conversation.run(acts()) == 2


def test_gathering_does_not_wait_while_something_is_there() -> None:
    conversation = met(OLD, tell("a"))
    conversation.session.keep_events = True

    def acts() -> Effects[None]:
        yield from conversation.session.process_pending(None)
        yield from conversation.session.process_pending(100)

    conversation.run(acts())
    assert conversation.clock == 0.0


def test_gathering_ends_at_its_time() -> None:
    conversation = met(OLD)
    conversation.run(conversation.session.process_pending(4.0))

    assert conversation.clock == 4.0


def test_gathering_ends_with_the_connection() -> None:
    conversation = met(OLD, Ends(LOST))
    conversation.session.keep_events = True
    conversation.run(conversation.session.process_pending(None))

    assert list(conversation.session.events.items) == [ConnectionClosed(LOST, 0.0)]


def test_gathering_finds_its_place_for_whatever_there_is() -> None:
    odd = Says(line({"method": "odd", "params": [1]}))
    conversation = met(OLD, tell("a"), odd, ask(3, "ping"), Says(line({"method": "b"}) * 3), Ends(LOST))
    conversation.session.keep_events = True
    conversation.run(conversation.session.process_pending(None))

    told = [event.method for event in conversation.events if isinstance(event, NotificationReceived)]
    assert told == ["a", "odd", "b", "b", "b"]
    rules = [event.violation.rule for event in conversation.events if isinstance(event, ViolationSeen)]
    assert rules == ["positional-params"]
    assert [one["id"] for one in conversation.said] == [3]
    assert conversation.session.connection_fault == LOST
