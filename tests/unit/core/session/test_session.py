"""A session sends requests and handles responses, errors, timeouts, notifications and server requests."""

import json
from collections.abc import Mapping
from typing import cast

import pytest

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import Exited, HttpFailed, InvalidResponse, RpcError, TimedOut
from mcpi.core.outcome.result import Failure, Result, Success
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
from mcpi.core.plans.responders import Accept, Handler, Handlers, Refuse, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import AskFunction, Call, Steps, check
from mcpi.core.session.effects import Effects
from mcpi.core.session.session import MAX_EVENTS
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.constants import HANDSHAKE_HTTP, LONGER, LOST, MODERN_HTTP, request_meta
from support.conversation import (
    Close,
    Conversation,
    Expect,
    FailRequest,
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
from support.replay import exact

HANDSHAKE = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"logging": {}}))
MODERN = NegotiatedServer("modern", "2026-07-28", capabilities=exact({"logging": {}}))
MOST = ("for slow responses, use a longer --max-total-timeout",)
META = request_meta({"sampling": {}})


def call(conversation: Conversation, step: Call) -> Result[Exact]:
    return conversation.run(conversation.session.call(step))


def wait(conversation: Conversation, seconds: float) -> None:
    conversation.run(conversation.session.sleep(seconds))


def as_text(message: Mapping[str, Printable]) -> str:
    return line(message).decode().strip()


# Requests and responses.


def test_request_is_sent_unchanged_and_returns_its_result() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), answer(1, {"tools": []}))

    assert call(conversation, Call("tools/list", {"cursor": "7"})) == Success(exact({"tools": []}))
    assert conversation.messages == [{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "7"}}]
    assert conversation.events == []


def test_response_may_arrive_byte_by_byte() -> None:
    whole = line({"id": 1, "result": {"a": "ü"}})
    conversation = connected(HANDSHAKE, Expect("x"), Write(whole, at_a_time=1))

    assert call(conversation, Call("x")) == Success(exact({"a": "ü"}))


def test_response_may_arrive_in_two_chunks() -> None:
    whole = line({"id": 1, "result": {}})
    conversation = connected(HANDSHAKE, Expect("x"), Write(whole[:9]), Pause(1), Write(whole[9:]))

    assert call(conversation, Call("x")) == Success(exact({}))
    assert conversation.clock == 1.0


def test_request_ids_are_consecutive() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), answer(1, {}), Expect("y"), answer(2, {}))

    def effects() -> Effects[None]:
        yield from conversation.session.call(Call("x"))
        yield from conversation.session.call(Call("y"))

    conversation.run(effects())
    assert [message["id"] for message in conversation.messages] == [1, 2]


@pytest.mark.parametrize(
    ("action", "fault"),
    [
        (
            error(1, -32602, "no", {"x": 1}),
            RpcError(-32602, "no", exact({"code": -32602, "message": "no", "data": {"x": 1}}), "x"),
        ),
        (Write(line({"id": 1, "error": "broken"})), RpcError(0, '"broken"', exact("broken"), "x")),
        (Write(line({"id": 1, "error": {"code": "5"}})), RpcError(0, '{"code":"5"}', exact({"code": "5"}), "x")),
    ],
)
def test_error_response_is_kept_in_the_fault(action: ServerAction, fault: RpcError) -> None:
    assert call(connected(HANDSHAKE, Expect("x"), action), Call("x")) == Failure(fault)


def test_unreadable_response_is_quoted_in_the_fault() -> None:
    garbled = b'{"jsonrpc":"2.0","id":1,"result":}'
    conversation = connected(HANDSHAKE, Expect("x"), Write(garbled + b"\n"))

    problem = "invalid response to x (request 1): a value is missing: line 1 column 34 (char 33)"
    assert call(conversation, Call("x")) == Failure(InvalidResponse("INVALID_RESPONSE", problem, (garbled.decode(),)))


def test_request_refused_by_the_transport_returns_its_fault() -> None:
    fault = HttpFailed(500, "http://localhost")
    conversation = connected(HANDSHAKE_HTTP, Expect("x"), FailRequest(1, fault))

    assert call(conversation, Call("x")) == Failure(fault)


def test_non_json_output_is_a_violation_and_the_response_is_accepted() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), Write(b"starting up\n"), answer(1, {}))

    assert call(conversation, Call("x")) == Success(exact({}))
    violation = Violation("not-json", "not a JSON-RPC message", "starting up")
    assert conversation.events == [ViolationSeen(violation, 0.0, on_stdout=True)]


def test_second_response_is_a_violation() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), answer(1, {}), answer(1, {}), notify("end"))

    def effects() -> Effects[None]:
        yield from conversation.session.call(Call("x"))
        yield from conversation.session.sleep(1)

    conversation.run(effects())
    violation = Violation("repeated-id", "request 1 was already answered", as_text({"id": 1, "result": {}}))
    assert conversation.events == [
        ViolationSeen(violation, 0.0, on_stdout=True),
        NotificationReceived("end", None, 0.0),
    ]


@pytest.mark.parametrize("kind", ["answered", "failed", "timed out"])
def test_state_of_a_request_is_removed_when_it_ends(kind: str) -> None:
    actions, count = list[ServerAction](), 10_000
    for number in range(1, count + 1 if kind != "timed out" else 1):
        actions += [Expect("x"), answer(number, {}) if kind == "answered" else FailRequest(number, LOST)]
    conversation = connected(HANDSHAKE_HTTP, *actions, timeout=1.0, authorize=True)
    session = conversation.session

    def effects() -> Effects[None]:
        for _ in range(count):
            yield from session.call(Call("x"))

    conversation.run(effects())
    assert session.peer.next_id == count + 1
    assert [session.outcomes, session.methods, session.last_activity, session.sent_messages] == [{}] * 4
    assert (session.awaited, session.peer.outstanding) == (set(), {})


# Timeouts.


def test_timeout_names_the_request_and_the_last_message() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), Pause(1), notify("notifications/y"))

    seen = as_text({"method": "notifications/y"})
    assert call(conversation, Call("x")) == Failure(TimedOut("REQUEST_TIMEOUT", 30.0, "x (request 1)", seen, LONGER))
    assert conversation.clock == 30.0


@pytest.mark.parametrize(
    ("noise", "seen"),
    [
        (Write(b"  Listening on port 3000 \n"), "Listening on port 3000"),
        (Write(b"\xff\n"), "\ufffd"),
        (Write(b"x" * 301 + b"\n"), "x" * 300 + "… (301 characters)"),
        (notify("n", "x" * 301), as_text({"method": "n", "params": "x" * 301})[:300] + "… (343 characters)"),
    ],
)
def test_timeout_quotes_the_last_output_of_the_server(noise: ServerAction, seen: str) -> None:
    assert call(connected(HANDSHAKE, noise), Call("x")) == Failure(
        TimedOut("REQUEST_TIMEOUT", 30.0, "x (request 1)", seen, LONGER)
    )


def test_timeout_sends_a_cancelled_notification() -> None:
    conversation = connected(HANDSHAKE, timeout=2.0)
    call(conversation, Call("x"))

    params = {"requestId": 1, "reason": "no response within 2 s"}
    assert conversation.messages[1] == {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    assert conversation.sent[1].cancels == 1
    assert [at for at, _ in conversation.log] == [0.0, 2.0]


def test_initialize_is_never_cancelled() -> None:
    conversation = connected(HANDSHAKE, timeout=2.0)
    call(conversation, Call("initialize"))

    assert [message["method"] for message in conversation.messages] == ["initialize"]


def test_response_at_the_timeout_is_accepted() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), Pause(30), answer(1, {}))

    assert call(conversation, Call("x")) == Success(exact({}))


@pytest.mark.parametrize("late", [answer(1, {}), error(1, -32800, "cancelled"), FailRequest(1, LOST)])
def test_late_response_is_ignored(late: ServerAction) -> None:
    conversation = connected(HANDSHAKE, Expect("x"), Pause(40), late, notify("end"))

    def effects() -> Effects[None]:
        yield from conversation.session.call(Call("x"))
        yield from conversation.session.sleep(20)

    conversation.run(effects())
    assert conversation.events == [NotificationReceived("end", None, 40.0)]


def test_stream_failure_after_the_response_is_ignored() -> None:
    conversation = connected(HANDSHAKE_HTTP, Expect("x"), answer(1, {}), FailRequest(1, LOST), notify("end"))

    def effects() -> Effects[Result[Exact]]:
        outcome = yield from conversation.session.call(Call("x"))
        yield from conversation.session.sleep(1)
        return outcome

    assert conversation.run(effects()) == Success(exact({}))
    assert conversation.events == [NotificationReceived("end", None, 0.0)]


def test_timed_out_request_is_not_outstanding() -> None:
    conversation = connected(HANDSHAKE, Expect("y"), Close(Exited("node", "", 1)), timeout=1.0)

    def effects() -> Effects[Result[Exact]]:
        yield from conversation.session.call(Call("x"))
        return (yield from conversation.session.call(Call("y")))

    assert conversation.run(effects()) == Failure(Exited("node", "y", 1))


def test_flood_of_messages_does_not_delay_the_timeout() -> None:
    flood = line({"method": "n"}) * 3 + line({"id": 1, "result": {}})
    conversation = connected(HANDSHAKE, Expect("x"), Pause(30), Write(flood))

    assert call(conversation, Call("x")) == Failure(
        TimedOut("REQUEST_TIMEOUT", 30.0, "x (request 1)", as_text({"method": "n"}), LONGER)
    )


def test_progress_resets_the_timeout() -> None:
    report = notify("notifications/progress", {"progressToken": 1, "progress": 1})
    conversation = connected(HANDSHAKE, Expect("x"), Pause(29), report, Pause(29), report, Pause(29), answer(1, {}))

    assert call(conversation, Call("x", with_progress=True)) == Success(exact({}))
    assert conversation.messages[0]["params"] == {"_meta": {"progressToken": 1}}
    assert conversation.clock == 87.0


def test_request_times_out_when_progress_stops() -> None:
    report = notify("notifications/progress", {"progressToken": 1, "progress": 1})
    conversation = connected(HANDSHAKE, Expect("x"), Pause(20), report)

    outcome = call(conversation, Call("x", with_progress=True))
    assert isinstance(outcome, Failure)
    assert conversation.clock == 50.0
    assert conversation.messages[1]["params"]["reason"] == "no response within 30 s"


def test_progress_does_not_extend_the_total_timeout() -> None:
    report = notify("notifications/progress", {"progressToken": 1, "progress": 1})
    reports = [action for _ in range(4) for action in (Pause(20), report)]
    conversation = connected(HANDSHAKE, Expect("x"), *reports, max_total_timeout=90.0)

    seen = as_text({"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}})
    assert call(conversation, Call("x", with_progress=True)) == Failure(
        TimedOut("REQUEST_TIMEOUT", 90.0, "x (request 1)", seen, MOST)
    )


def test_timeout_is_named_if_it_equals_the_total_timeout() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), timeout=20.0, max_total_timeout=20.0)

    assert call(conversation, Call("x")) == Failure(TimedOut("REQUEST_TIMEOUT", 20.0, "x (request 1)", "", LONGER))


@pytest.mark.parametrize("params", [{"progressToken": 2}, {"progressToken": "1"}, {"progressToken": None}, {}, None])
def test_progress_with_another_token_does_not_reset_the_timeout(params: Json) -> None:
    conversation = connected(HANDSHAKE, Expect("x"), Pause(20), notify("notifications/progress", params))
    call(conversation, Call("x", with_progress=True))

    assert conversation.clock == 30.0


def test_progress_token_of_the_user_resets_the_timeout() -> None:
    report = notify("notifications/progress", {"progressToken": "mine", "progress": 1})
    conversation = connected(HANDSHAKE, Expect("x"), Pause(20), report, Pause(20), answer(1, {}))

    assert call(conversation, Call("x", {"_meta": {"progressToken": "mine"}}, with_progress=True)) == Success(exact({}))


def test_progress_after_the_response_is_recorded_without_a_violation() -> None:
    report = notify("notifications/progress", {"progressToken": 1, "progress": 1})
    conversation = connected(HANDSHAKE, Expect("x"), answer(1, {}), report)

    def effects() -> Effects[None]:
        yield from conversation.session.call(Call("x", with_progress=True))
        yield from conversation.session.sleep(1)

    conversation.run(effects())
    assert conversation.events == [
        NotificationReceived("notifications/progress", exact({"progressToken": 1, "progress": 1}), 0.0)
    ]


# Lost connections.


def test_connection_loss_ends_the_wait_at_once() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), Pause(1), Close(LOST))

    assert call(conversation, Call("x")) == Failure(LOST)
    assert conversation.clock == 1.0
    assert conversation.events == [ConnectionClosed(LOST, 1.0)]
    assert conversation.session.state == "error"


def test_connection_loss_before_connecting_keeps_the_state_disconnected() -> None:
    conversation = starting(Close(LOST))
    wait(conversation, 1)

    assert conversation.session.state == "disconnected"
    assert conversation.session.connection_fault == LOST


def test_server_exit_names_the_outstanding_requests() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), Close(Exited("node", "", 1)))

    def effects() -> Effects[Result[Exact]]:
        yield from conversation.session.send(Call("x"))
        return (yield from conversation.session.call(Call("y")))

    assert conversation.run(effects()) == Failure(Exited("node", "x and y", 1))


def test_requests_are_not_sent_after_connection_loss() -> None:
    conversation = connected(HANDSHAKE, Close(LOST))

    def effects() -> Effects[Result[Exact]]:
        yield from conversation.session.sleep(1)
        return (yield from conversation.session.call(Call("x")))

    assert conversation.run(effects()) == Failure(LOST)
    assert conversation.messages == []


def test_response_just_before_connection_loss_is_accepted() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), answer(1, {}), Close(LOST))

    def effects() -> Effects[Result[Exact]]:
        outcome = yield from conversation.session.call(Call("x"))
        yield from conversation.session.sleep(1)
        return outcome

    assert conversation.run(effects()) == Success(exact({}))


# Notifications.


def test_notifications_are_recorded_in_order() -> None:
    conversation = connected(HANDSHAKE, notify("a", {"x": 1}), Pause(1), notify("b"))
    wait(conversation, 2)

    assert conversation.events == [
        NotificationReceived("a", exact({"x": 1}), 0.0),
        NotificationReceived("b", None, 1.0),
    ]


def test_notification_without_capability_is_recorded_and_a_violation() -> None:
    conversation = connected(HANDSHAKE, notify("notifications/tools/list_changed"))
    wait(conversation, 1)

    problem = "notifications/tools/list_changed was sent, but the capability tools.listChanged was not declared"
    evidence = as_text({"method": "notifications/tools/list_changed"})
    assert conversation.events == [
        ViolationSeen(Violation("undeclared-capability", problem, evidence), 0.0),
        NotificationReceived("notifications/tools/list_changed", None, 0.0),
    ]


@pytest.mark.parametrize(("level", "rules"), [("debug", []), (None, ["unasked-log"])])
def test_unrequested_log_message_of_a_modern_server_is_a_violation(level: str | None, rules: list[str]) -> None:
    conversation = connected(MODERN, notify("notifications/message", {"level": "info", "data": "x"}), log_level=level)
    wait(conversation, 1)

    assert [one.violation.rule for one in conversation.events if isinstance(one, ViolationSeen)] == rules


def test_transport_notes_are_recorded() -> None:
    conversation = connected(HANDSHAKE, ReportEvent("resuming", {"lastEventId": "7"}))
    wait(conversation, 1)

    assert conversation.events == [TransportNote("resuming", {"lastEventId": "7"}, 0.0)]


def test_response_to_a_sent_request_is_an_event() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), Pause(1), answer(1, {"a": 1}))

    def effects() -> Effects[None]:
        yield from conversation.session.send(Call("x"))
        yield from conversation.session.sleep(2)

    conversation.run(effects())
    assert conversation.events == [ResponseReceived(1, Success(exact({"a": 1})), 1.0)]
    assert conversation.session.outcomes == {}


# Server requests.


def accept_hello(_: str, request: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept({"hello": request.previous_count})


def never_accept(meta: str, _: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Refuse(-1, meta)


def validate_answer(_: str, request: ServerRequest) -> Steps[Reply]:
    problems = yield from check(5, {"type": "string"})
    return Accept({"problems": len(problems), "method": request.method})


def ask_person(_: str, request: ServerRequest) -> Steps[Reply]:
    return cast("Reply", (yield AskFunction(request.method, request.params)))


def handlers(given: str = "yes") -> Handlers:
    """Handlers that accept, refuse, validate, call a function or are not declared."""
    made: list[Responder[str]] = [
        Responder("sampling/createMessage", "sampling", str, lambda *_: {}, accept_hello, bool, capability="sampling"),
        Responder("refuse", "refuse", str, lambda *_: {}, never_accept, bool),
        Responder("measure", "measure", str, lambda *_: {}, validate_answer, bool),
        Responder("roots/list", "roots", str, lambda *_: {}, accept_hello, bool, capability="roots"),
        Responder("ping", "ping", str, lambda *_: {}, accept_hello, bool),
        Responder("think", "think", str, lambda *_: {}, ask_person, bool),
    ]
    return {one.method: Handler(one, given) for one in made}


def test_server_request_is_answered_by_its_handler_and_recorded() -> None:
    conversation = connected(HANDSHAKE, ask("q", "sampling/createMessage", {"m": 1}), handlers=handlers())
    wait(conversation, 1)

    assert conversation.messages == [{"jsonrpc": "2.0", "id": "q", "result": {"hello": 0}}]
    assert conversation.events == [
        ServerRequestReceived("sampling/createMessage", exact({"m": 1}), {"hello": 0}, 0.0, handled=True)
    ]


def test_warning_about_an_answer_is_recorded() -> None:
    def accept_anyway(_: str, __: ServerRequest) -> Steps[Reply]:
        yield from ()
        return Accept({}, "the content does not match")

    responder = Responder("a/b", "a", str, lambda *_: {}, accept_anyway, bool)
    conversation = connected(HANDSHAKE, ask(1, "a/b"), handlers={"a/b": Handler(responder, "yes")})
    wait(conversation, 1)

    assert conversation.events[1:] == [TransportNote("warning", {"reason": "the content does not match"}, 0.0)]


def test_server_requests_are_counted_per_method() -> None:
    conversation = connected(
        HANDSHAKE,
        ask(1, "sampling/createMessage"),
        ask(2, "refuse"),
        ask(3, "sampling/createMessage"),
        handlers=handlers(),
    )
    wait(conversation, 1)

    assert [message.get("result") for message in conversation.messages] == [{"hello": 0}, None, {"hello": 1}]


def test_handler_may_validate_against_a_schema() -> None:
    conversation = connected(HANDSHAKE, ask(7, "measure"), handlers=handlers())
    conversation.problems = (("", "5 is no string"),)
    wait(conversation, 1)

    assert conversation.validated == [(5, {"type": "string"})]
    assert conversation.messages == [{"jsonrpc": "2.0", "id": 7, "result": {"problems": 1, "method": "measure"}}]


def test_handler_time_does_not_count_towards_the_timeout() -> None:
    actions = (Expect("x"), Pause(20), ask(7, "think"), Expect("think"), Pause(9), answer(1, {}))
    conversation = connected(HANDSHAKE, *actions, handlers=handlers(), timeout=30.0, max_total_timeout=300.0)
    conversation.answer_delay = 25.0

    assert call(conversation, Call("x")) == Success(exact({}))
    assert conversation.clock == 54.0


def test_handler_time_does_not_count_towards_the_total_timeout() -> None:
    actions = (Expect("x"), Pause(2), ask(7, "think"), Expect("think"), Pause(2), answer(1, {}))
    conversation = connected(HANDSHAKE, *actions, handlers=handlers(), timeout=30.0, max_total_timeout=5.0)
    conversation.answer_delay = 25.0

    assert call(conversation, Call("x")) == Success(exact({}))


def test_server_time_around_the_handler_counts_towards_the_timeout() -> None:
    actions = (Expect("x"), Pause(20), ask(7, "think"))
    conversation = connected(HANDSHAKE, *actions, handlers=handlers(), timeout=30.0, max_total_timeout=300.0)
    conversation.answer_delay = 25.0
    ended = call(conversation, Call("x"))

    assert isinstance(ended, Failure)
    assert conversation.clock == 55.0


def test_refused_server_request_returns_an_error() -> None:
    conversation = connected(HANDSHAKE, ask(7, "refuse"), handlers=handlers("no way"))
    wait(conversation, 1)

    refused: Json = {"code": -1, "message": "no way"}
    assert conversation.messages == [{"jsonrpc": "2.0", "id": 7, "error": refused}]
    assert conversation.events == [ServerRequestReceived("refuse", None, {"error": refused}, 0.0, handled=True)]


@pytest.mark.parametrize(("method", "handled"), [("roots/list", True), ("vendor/thing", False)])
def test_undeclared_server_request_is_refused_and_recorded(method: str, handled: bool) -> None:  # noqa: FBT001
    conversation = connected(HANDSHAKE, ask(7, method), handlers=handlers())
    wait(conversation, 1)

    unknown: Json = {"code": -32601, "message": "Method not found"}
    assert conversation.messages == [{"jsonrpc": "2.0", "id": 7, "error": unknown}]
    assert conversation.events == [ServerRequestReceived(method, None, {"error": unknown}, 0.0, handled)]


def test_response_of_an_unconfigured_handler_is_marked_unhandled() -> None:
    conversation = connected(HANDSHAKE, ask(7, "sampling/createMessage"), handlers=handlers(""))
    wait(conversation, 1)

    assert conversation.events == [
        ServerRequestReceived("sampling/createMessage", None, {"hello": 0}, 0.0, handled=False)
    ]


def test_ping_is_answered_but_not_recorded() -> None:
    conversation = connected(HANDSHAKE, ask("p", "ping"), handlers=handlers())
    wait(conversation, 1)

    assert conversation.messages == [{"jsonrpc": "2.0", "id": "p", "result": {"hello": 0}}]
    assert conversation.events == []


def test_server_request_during_a_call_is_answered_first() -> None:
    conversation = connected(
        HANDSHAKE,
        Expect("x"),
        ask("q", "sampling/createMessage"),
        Expect("sampling/createMessage"),
        answer(1, {}),
        handlers=handlers(),
    )

    assert call(conversation, Call("x")) == Success(exact({}))


def test_request_from_a_modern_server_is_an_unanswered_violation() -> None:
    conversation = connected(MODERN, ask("q", "sampling/createMessage"), handlers=handlers())
    wait(conversation, 1)

    problem = "a modern server sent the request sampling/createMessage"
    evidence = as_text({"id": "q", "method": "sampling/createMessage"})
    assert conversation.messages == []
    assert conversation.events == [ViolationSeen(Violation("server-request", problem, evidence), 0.0)]


@pytest.mark.parametrize("number", ["1e999", pytest.param("9" * 5000, id="huge"), "1e2", "-0.0", '"1"'])
def test_response_repeats_the_id_of_the_server_request_verbatim(number: str) -> None:
    conversation = connected(
        HANDSHAKE, Write(f'{{"jsonrpc":"2.0","id":{number},"method":"ping"}}\n'.encode()), handlers=handlers()
    )
    wait(conversation, 1)

    assert conversation.sent[0].data.startswith(f'{{"jsonrpc":"2.0","id":{number},"result":'.encode())


def test_response_to_an_http_server_has_the_version_header() -> None:
    conversation = connected(HANDSHAKE_HTTP, ask("q", "ping"), handlers=handlers())
    wait(conversation, 1)

    sent = conversation.sent[0]
    assert (sent.kind, sent.method, json.loads(sent.data)["id"]) == ("response", "ping", "q")
    assert sent.headers == {"mcp-protocol-version": "2025-11-25"}


# Metadata of requests.


def test_modern_request_has_the_client_metadata() -> None:
    conversation = connected(MODERN, Expect("x"), answer(1, {"resultType": "complete"}))
    call(conversation, Call("x", {"a": 1}))

    assert conversation.messages[0]["params"] == {"a": 1, "_meta": META}


@pytest.mark.parametrize(
    ("server", "level"),
    [
        (MODERN, "debug"),
        (NegotiatedServer("modern", "2026-07-28", was_asked_for_capabilities=False), "debug"),
        (NegotiatedServer("modern", "2026-07-28", capabilities=exact({"tools": {}})), None),
    ],
)
def test_modern_request_sets_the_log_level_if_logging_is_declared(server: NegotiatedServer, level: str | None) -> None:
    conversation = connected(server, Expect("x"), answer(1, {"resultType": "complete"}), log_level="debug")
    call(conversation, Call("x"))

    assert conversation.messages[0]["params"]["_meta"].get("io.modelcontextprotocol/logLevel") == level


def test_user_metadata_is_in_every_request_and_takes_precedence() -> None:
    meta = {"team": "qa", "io.modelcontextprotocol/clientInfo": {"name": "me"}}
    conversation = connected(MODERN, Expect("x"), answer(1, {"resultType": "complete"}), meta=meta)
    call(conversation, Call("x", {"_meta": {"team": "dev"}}))

    own = {"io.modelcontextprotocol/clientInfo": {"name": "me"}, "team": "dev"}
    assert conversation.messages[0]["params"]["_meta"] == {**META, **own}


def test_extended_terms_apply_to_later_requests() -> None:
    conversation = connected(MODERN, Expect("x"), answer(1, {"resultType": "complete"}))
    conversation.session.extend_terms("info", None)
    conversation.session.extend_terms(None, "vendor/x")
    call(conversation, Call("x"))

    meta = conversation.messages[0]["params"]["_meta"]
    assert meta["io.modelcontextprotocol/logLevel"] == "info"
    assert meta["io.modelcontextprotocol/clientCapabilities"] == {"sampling": {}, "extensions": {"vendor/x": {}}}


def test_terms_cannot_be_extended_after_a_handshake() -> None:
    conversation = connected(HANDSHAKE)
    before = conversation.session.terms.client
    conversation.session.extend_terms(None, "vendor/x")

    assert conversation.session.terms.client == before


def test_modern_http_request_has_method_and_name_headers() -> None:
    conversation = connected(MODERN_HTTP, Expect("tools/call"), answer(1, {"resultType": "complete"}))
    call(conversation, Call("tools/call", {"name": "echo"}, headers={"mcp-param-x": "1"}))

    assert conversation.sent[0].headers == {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "echo",
        "mcp-param-x": "1",
    }


# Waiting for events.


def test_next_returns_events_in_order() -> None:
    conversation = connected(HANDSHAKE, Pause(1), notify("a"), notify("b"))
    conversation.session.keep_events = True

    def effects() -> Effects[list[Event]]:
        return [(yield from conversation.session.next(None)), (yield from conversation.session.next(5))]

    assert conversation.run(effects()) == [NotificationReceived("a", None, 1.0), NotificationReceived("b", None, 1.0)]


def test_next_returns_deadline_reached_on_timeout() -> None:
    conversation = connected(HANDSHAKE)

    assert conversation.run(conversation.session.next(2)) == DeadlineReached(2.0)


def test_next_returns_connection_closed_after_connection_loss() -> None:
    conversation = connected(HANDSHAKE, notify("a"), Close(LOST))
    conversation.session.keep_events = True

    def effects() -> Effects[list[Event]]:
        first = yield from conversation.session.next(None)
        second = yield from conversation.session.next(None)
        return [first, second, (yield from conversation.session.next(None))]

    assert conversation.run(effects()) == [
        NotificationReceived("a", None, 0.0),
        ConnectionClosed(LOST, 0.0),
        ConnectionClosed(LOST, 0.0),
    ]


def test_oldest_events_are_dropped_and_counted_beyond_the_limit() -> None:
    conversation = connected(HANDSHAKE)
    conversation.session.keep_events = True
    for number in range(MAX_EVENTS + 2):
        conversation.session.record_event(DeadlineReached(number))

    assert conversation.session.events.items[0] == DeadlineReached(2)
    assert (len(conversation.session.events), conversation.session.dropped) == (MAX_EVENTS, 2)
    assert len(conversation.events) == MAX_EVENTS + 2


def test_events_are_not_kept_unless_requested() -> None:
    conversation = connected(HANDSHAKE, notify("a"))
    wait(conversation, 1)

    assert len(conversation.session.events) == 0


def test_sleep_takes_the_given_time_despite_messages() -> None:
    conversation = connected(HANDSHAKE, Pause(1), notify("a"))
    wait(conversation, 3)

    assert conversation.clock == 3.0


def test_sleep_ends_at_connection_loss() -> None:
    conversation = connected(HANDSHAKE, Pause(1), Close(LOST))
    wait(conversation, 3)

    assert conversation.clock == 1.0


def test_flood_of_messages_does_not_delay_the_end_of_sleep() -> None:
    conversation = connected(HANDSHAKE, Pause(3), Write(line({"method": "n"}) * 3))
    wait(conversation, 3)

    assert len(conversation.events) == 1


def test_process_pending_takes_available_events_without_waiting_for_more() -> None:
    conversation = connected(HANDSHAKE, Pause(1), notify("a"), notify("b"), Pause(1), notify("c"))
    conversation.session.keep_events = True

    def effects() -> Effects[int]:
        yield from conversation.session.process_pending(None)
        count = len(conversation.session.events)
        yield from conversation.session.sleep(2)
        return count

    assert conversation.run(effects()) == 2


def test_process_pending_does_not_wait_if_events_are_available() -> None:
    conversation = connected(HANDSHAKE, notify("a"))
    conversation.session.keep_events = True

    def effects() -> Effects[None]:
        yield from conversation.session.process_pending(None)
        yield from conversation.session.process_pending(100)

    conversation.run(effects())
    assert conversation.clock == 0.0


def test_process_pending_ends_at_its_deadline() -> None:
    conversation = connected(HANDSHAKE)
    conversation.run(conversation.session.process_pending(4.0))

    assert conversation.clock == 4.0


def test_process_pending_ends_at_connection_loss() -> None:
    conversation = connected(HANDSHAKE, Close(LOST))
    conversation.session.keep_events = True
    conversation.run(conversation.session.process_pending(None))

    assert list(conversation.session.events.items) == [ConnectionClosed(LOST, 0.0)]


def test_process_pending_handles_every_kind_of_message() -> None:
    odd = Write(line({"method": "odd", "params": [1]}))
    conversation = connected(HANDSHAKE, notify("a"), odd, ask(3, "ping"), Write(line({"method": "b"}) * 3), Close(LOST))
    conversation.session.keep_events = True
    conversation.run(conversation.session.process_pending(None))

    found = [event.method for event in conversation.events if isinstance(event, NotificationReceived)]
    assert found == ["a", "odd", "b", "b", "b"]
    rules = [event.violation.rule for event in conversation.events if isinstance(event, ViolationSeen)]
    assert rules == ["positional-params"]
    assert [one["id"] for one in conversation.messages] == [3]
    assert conversation.session.connection_fault == LOST
