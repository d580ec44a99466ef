"""The steps of a plan run on a session, which is opened by the first step that needs it."""

from typing import Any

import pytest

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import (
    Fault,
    Invalid,
    InvalidResponse,
    MissingCapability,
    OperationFailed,
    RpcError,
    TimedOut,
)
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.events import (
    ConnectionClosed,
    Event,
    ResponseReceived,
    ServerRequestReceived,
    TransportNote,
    ViolationSeen,
)
from mcpi.core.plans.plan import PlanResult, StartedPlan, begin
from mcpi.core.plans.responders import Accept, Handler, Reply, Responder, ServerRequest
from mcpi.core.plans.steps import (
    AskFunction,
    Call,
    Notify,
    Plan,
    Step,
    Steps,
    attempt,
    attempt_all,
    check,
    connect,
    emit,
    extend_terms,
    must,
    next_event,
    pause,
    provide_input,
    read_clock,
    report_violation,
    request,
    send,
    stop,
    warn,
)
from mcpi.core.plans.world_steps import RandomToken
from mcpi.core.session.run_plan import SupportCheck, run_plan
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation
from support.constants import HANDSHAKE, LONGER, LOST
from support.conversation import Close, Conversation, Expect, Pause, answer, connected, error, notify, starting
from support.replay import exact

MODERN = NegotiatedServer("modern", "2026-07-28", capabilities=exact({"tools": {}}))
DONE: dict[str, Json] = {"resultType": "complete"}


def support_any(_: NegotiatedServer) -> None:
    return None


def perform_plan(conversation: Conversation, plan: Plan, admit: SupportCheck = support_any) -> PlanResult:
    started = begin(plan)
    assert isinstance(started, StartedPlan)
    return conversation.run(run_plan(started, conversation.session, admit))


class WatchedPlan:
    """Records that the plan was closed."""

    def __init__(self) -> None:
        self.closed = False

    def plan(self, step: Step) -> Plan:
        """A plan of this one step."""
        try:
            yield step
        finally:
            self.closed = True
        return None


# Requests.


def test_result_of_the_request_is_the_result_of_the_plan() -> None:
    conversation = connected(HANDSHAKE, Expect("x"), answer(1, {"a": 1}))

    assert perform_plan(conversation, request("x", {"b": 2})) == PlanResult(exact({"a": 1}))
    assert conversation.messages == [{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"b": 2}}]


def test_error_response_ends_and_closes_the_plan() -> None:
    watched = WatchedPlan()
    plan = watched.plan(Call("x"))
    conversation = connected(HANDSHAKE, Expect("x"), error(1, -1, "no"))

    fault = RpcError(-1, "no", exact({"code": -1, "message": "no"}), "x")
    assert perform_plan(conversation, plan) == PlanResult(None, fault)
    assert watched.closed


def test_attempt_returns_the_failure_as_a_value() -> None:
    def plan() -> Plan:
        outcome: Result[Exact] = yield from attempt("x")
        return "failed" if isinstance(outcome, Failure) else "fine"

    assert perform_plan(connected(HANDSHAKE, Expect("x"), error(1, -1, "no")), plan()) == PlanResult("failed")
    assert perform_plan(connected(HANDSHAKE, Expect("x"), answer(1, {})), plan()) == PlanResult("fine")


def call_all() -> Plan:
    first, second = yield from attempt_all([Call("x"), Call("y")])
    results = [first, second]
    return [None if isinstance(one, Failure) else one.unwrap() for one in results]


def test_concurrent_requests_may_be_answered_in_any_order() -> None:
    conversation = connected(HANDSHAKE, Expect("y"), answer(2, {"b": 2}), Pause(1), answer(1, {"a": 1}))

    assert perform_plan(conversation, call_all()) == PlanResult([exact({"a": 1}), exact({"b": 2})])
    assert [at for at, _ in conversation.log] == [0.0, 0.0]


def test_concurrent_requests_fail_individually() -> None:
    conversation = connected(HANDSHAKE, Expect("y"), error(1, -1, "no"), answer(2, {}))

    assert perform_plan(conversation, call_all()) == PlanResult([None, exact({})])


def test_concurrent_requests_share_one_timeout() -> None:
    conversation = connected(HANDSHAKE, Expect("y"), timeout=5.0)

    assert perform_plan(conversation, call_all()) == PlanResult([None, None])
    assert conversation.clock == 5.0
    assert [message["method"] for message in conversation.messages[2:]] == ["notifications/cancelled"] * 2


def test_violations_in_concurrent_responses_are_recorded() -> None:
    conversation = connected(MODERN, Expect("y"), answer(1, DONE), answer(2, {}))
    perform_plan(conversation, call_all())

    detail = "the result of y has no resultType"
    assert conversation.events == [ViolationSeen(Violation("missing-result-type", detail, "{}"), 0.0)]


def test_response_to_a_sent_request_is_an_event() -> None:
    def plan() -> Plan:
        number = yield from send("x", {"a": 1})
        event = yield from next_event()
        return event == ResponseReceived(number, Success(exact({"b": 2})), 1.0)

    assert perform_plan(connected(HANDSHAKE, Expect("x"), Pause(1), answer(1, {"b": 2})), plan()) == PlanResult(
        result=True
    )


def test_response_event_is_kept_until_next_event() -> None:
    def plan() -> Plan:
        yield from send("x")
        yield from pause(2.0)
        event = yield from next_event(0.0)
        return isinstance(event, ResponseReceived)

    assert perform_plan(connected(HANDSHAKE, Expect("x"), Pause(1), answer(1, {})), plan()) == PlanResult(result=True)


def test_notification_is_sent() -> None:
    conversation = connected(HANDSHAKE)

    assert perform_plan(conversation, WatchedPlan().plan(Notify("n", {"a": 1}))) == PlanResult()
    assert conversation.messages == [{"jsonrpc": "2.0", "method": "n", "params": {"a": 1}}]


def test_connection_loss_ends_the_plan() -> None:
    assert perform_plan(connected(HANDSHAKE, Expect("x"), Close(LOST)), request("x")) == PlanResult(None, LOST)


# Opening the session.


def test_plan_without_server_steps_opens_no_connection() -> None:
    def plan() -> Plan:
        yield from emit("one")
        yield from pause(2.0)
        yield from report_violation(Violation("batch", "two"))
        yield from warn("a sentence")
        problems = yield from check(5, {"type": "string"})
        return len(problems)

    conversation = starting()
    conversation.problems = (("", "5 is no string"),)
    assert perform_plan(conversation, plan()) == PlanResult(1)
    assert (conversation.log, conversation.emitted, conversation.clock) == ([], ["one\n"], 2.0)
    assert conversation.events == [
        ViolationSeen(Violation("batch", "two"), 2.0),
        TransportNote("warning", {"reason": "a sentence"}, 2.0),
    ]


@pytest.mark.parametrize(
    "steps",
    [
        request("x"),
        attempt("x"),
        attempt_all([Call("x")]),
        send("x"),
        connect(),
        next_event(1.0),
        WatchedPlan().plan(Notify("x")),
    ],
    ids=["request", "attempt", "attempt_all", "send", "meet", "next_event", "notify"],
)
def test_each_step_that_needs_a_server_opens_the_connection(steps: Steps[Any]) -> None:
    conversation = starting(Close(LOST))

    assert perform_plan(conversation, steps) == PlanResult(None, LOST)
    assert conversation.log == [(0.0, "open"), (0.0, "server/discover")]


def test_connection_is_opened_once() -> None:
    def plan() -> Plan:
        first = yield from connect()
        second = yield from connect()
        return [first.version, second.version]

    expected: list[NegotiatedServer] = []
    conversation = connected(HANDSHAKE)
    assert perform_plan(conversation, plan(), expected.append) == PlanResult(["2025-11-25", "2025-11-25"])
    assert expected == [HANDSHAKE]


def test_missing_capability_fails_before_the_request() -> None:
    watched, fault = WatchedPlan(), MissingCapability("x", "no")
    plan = watched.plan(Call("x"))
    conversation = connected(HANDSHAKE)

    assert perform_plan(conversation, plan, lambda _: fault) == PlanResult(None, fault)
    assert conversation.messages == []
    assert watched.closed


def test_violation_of_the_support_check_is_recorded_and_request_is_sent() -> None:
    odd = Violation("undeclared-capability", "x is sent all the same")
    conversation = connected(HANDSHAKE, Expect("x"), answer(1, {}))

    assert perform_plan(conversation, request("x"), lambda _: odd) == PlanResult(exact({}))
    assert conversation.events == [ViolationSeen(odd, 0.0)]


# End of the run.


@pytest.mark.parametrize("result", [None, "half of it"])
def test_stopped_plan_may_have_a_partial_result(result: str | None) -> None:
    fault: Fault = InvalidResponse("INVALID_RESPONSE", "no")

    def plan() -> Plan:
        yield from connect()
        return (yield from stop(fault, result))

    assert perform_plan(connected(HANDSHAKE), plan()) == PlanResult(result, fault)


def test_stopped_plan_is_closed() -> None:
    closed: list[str] = []

    def plan() -> Plan:
        try:
            yield from connect()
            return (yield from stop(LOST))
        finally:
            closed.append("yes")

    assert perform_plan(connected(HANDSHAKE), plan()) == PlanResult(None, LOST)
    assert closed == ["yes"]


def test_exception_in_a_plan_is_a_plugin_failure() -> None:
    def plan() -> Plan:
        yield from connect()
        raise KeyError("shelf")

    ended = perform_plan(connected(HANDSHAKE), plan())

    assert isinstance(ended.fault, Invalid)
    assert (ended.fault.code, type(ended.cause)) == ("PLUGIN_FAILED", KeyError)


def test_failure_passed_to_must_ends_the_plan() -> None:
    fault: Fault = InvalidResponse("INVALID_RESPONSE", "no")

    def plan() -> Plan:
        yield from connect()
        return (yield from must(Failure(fault)))

    assert perform_plan(connected(HANDSHAKE), plan()) == PlanResult(None, fault)


def test_step_for_responders_raises_assertion_error() -> None:
    with pytest.raises(AssertionError, match="roots/list"):
        perform_plan(starting(), WatchedPlan().plan(AskFunction("roots/list", None)))


# Other steps.


def handler(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept({"name": "Ada"})


def test_clock_reading_has_time_timeout_and_handled_methods() -> None:
    def plan() -> Plan:
        yield from pause(1.5)
        standing = yield from read_clock()
        return [standing.now, standing.timeout, sorted(standing.handled_methods)]

    responder = Responder("elicitation/create", "elicitation", str, lambda *_: {}, handler, bool)
    given = {"elicitation/create": Handler(responder, "yes"), "other": Handler(responder, "")}
    conversation = starting(handlers=given, timeout=7.0)
    assert perform_plan(conversation, plan()) == PlanResult([1.5, 7.0, ["elicitation/create"]])


def test_extended_terms_apply_to_later_requests() -> None:
    def plan() -> Plan:
        yield from extend_terms(log_level="debug", extension="vendor/x")
        return (yield from request("x"))

    conversation = connected(
        NegotiatedServer("modern", "2026-07-28", was_asked_for_capabilities=False), Expect("x"), answer(1, DONE)
    )
    perform_plan(conversation, plan())
    meta = conversation.messages[0]["params"]["_meta"]
    assert meta["io.modelcontextprotocol/logLevel"] == "debug"
    assert meta["io.modelcontextprotocol/clientCapabilities"]["extensions"] == {"vendor/x": {}}


def test_handlers_provide_the_requested_input() -> None:
    wanted = exact({"inputRequests": {"who": {"method": "elicitation/create"}}})

    def plan() -> Plan:
        return (yield from must((yield from provide_input(wanted))))

    responder = Responder("elicitation/create", "elicitation", str, lambda *_: {}, handler, bool)
    conversation = connected(MODERN, handlers={"elicitation/create": Handler(responder, "yes")})
    assert perform_plan(conversation, plan()) == PlanResult({"who": {"name": "Ada"}})
    expected: list[Event] = [ServerRequestReceived("elicitation/create", None, {"name": "Ada"}, 0.0, handled=True)]
    assert conversation.events == expected


def test_next_event_returns_events_in_order() -> None:
    def plan() -> Plan:
        first = yield from next_event(5.0)
        second = yield from next_event(5.0)
        third = yield from next_event(5.0)
        return [type(one).__name__ for one in (first, second, third)]

    conversation = connected(HANDSHAKE, Pause(1), notify("a"), Close(LOST))
    assert perform_plan(conversation, plan()) == PlanResult(
        ["NotificationReceived", "ConnectionClosed", "ConnectionClosed"]
    )
    assert conversation.events[-1] == ConnectionClosed(LOST, 1.0)


def test_timeout_names_the_request() -> None:
    conversation = connected(HANDSHAKE, timeout=5.0)

    late = TimedOut("REQUEST_TIMEOUT", 5.0, "x (request 1)", hints=LONGER)
    assert perform_plan(conversation, request("x")) == PlanResult(None, late)


def test_steps_outside_the_protocol_open_no_session() -> None:
    def random_tokens() -> Plan:
        number: str = yield RandomToken()
        return number

    started = begin(random_tokens())
    assert isinstance(started, StartedPlan)
    effects = run_plan(started, starting().session, support_any)
    next(effects)

    with pytest.raises(StopIteration) as done:
        effects.send("a number")
    assert done.value.value == PlanResult("a number")


ELICITATION = "elicitation via server-initiated requests is unavailable"
BACK_CHANNEL = "Cannot send 'sampling/createMessage': no back-channel for server-initiated requests"
OTHER_ERA = "this server sends such requests only in the handshake era; add --era handshake"


def handlers(configured: str) -> dict[str, Handler]:
    """Handlers of which only this one is configured."""
    return {
        method: Handler(Responder(method, "", str, lambda *_: {}, accept, lambda given: given == configured), method)
        for method in ("elicitation/create", "sampling/createMessage")
    }


def accept(_: str, __: ServerRequest) -> Steps[Reply]:
    yield from ()
    return Accept({})


@pytest.mark.parametrize(
    ("configured", "message", "hints"),
    [
        ("elicitation/create", ELICITATION, (f"--handle-elicitation was not used: {OTHER_ERA}",)),
        ("elicitation/create", "Elicitation not supported", (f"--handle-elicitation was not used: {OTHER_ERA}",)),
        ("", ELICITATION, (f"{OTHER_ERA} and --handle-elicitation",)),
        ("elicitation/create", BACK_CHANNEL, (f"{OTHER_ERA} and --handle-sampling",)),
        ("sampling/createMessage", BACK_CHANNEL, (f"--handle-sampling was not used: {OTHER_ERA}",)),
        ("", "Elicitation not supported", ()),
        ("elicitation/create", "no such ticket", ()),
    ],
)
def test_server_that_cannot_send_requests_in_the_modern_era_gets_a_hint(
    configured: str, message: str, hints: tuple[str, ...]
) -> None:
    def run(server: NegotiatedServer = MODERN, **terms: Any) -> tuple[str, ...]:
        talk = connected(server, Expect("x"), error(1, -1, message), handlers=handlers(configured), **terms)
        fault = perform_plan(talk, request("x")).fault
        assert isinstance(fault, RpcError)
        return fault.hints

    assert run() == hints
    assert run(HANDSHAKE) == run(era="modern") == run(version="2026-07-28") == ()


def test_error_of_a_tool_that_cannot_send_requests_gets_a_hint() -> None:
    def plan() -> Plan:
        yield from connect()
        return (yield from stop(OperationFailed("TOOL_ERROR", "the tool reports an error", ("failed", ELICITATION))))

    fault = perform_plan(connected(MODERN), plan()).fault
    assert isinstance(fault, OperationFailed)
    assert fault.hints == (f"{OTHER_ERA} and --handle-elicitation",)


def test_hint_on_the_era_is_omitted_after_a_request_of_the_server() -> None:
    wanted: Json = {"resultType": "input_required", "inputRequests": {"a": {"method": "elicitation/create"}}}
    conversation = connected(
        MODERN,
        Expect("x"),
        answer(1, wanted),
        Expect("x"),
        error(2, -1, ELICITATION),
        handlers=handlers("elicitation/create"),
    )

    fault = perform_plan(conversation, request("x")).fault
    assert isinstance(fault, RpcError)
    assert fault.hints == ()
