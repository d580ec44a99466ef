"""A script's steps are carried out on one connection, each with an envelope, until the end or a failure that stops."""

from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import ArrayWriter, dump
from mcpi.core.outcome.faults import (
    Exited,
    Interrupted,
    MissingCapability,
    OperationFailed,
    RpcError,
    TimedOut,
    Unreachable,
)
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.catalog import Catalog, OwnedMethod
from mcpi.core.plans.events import DeadlineReached
from mcpi.core.plans.method import AnyMethod, Method, RawParams, check_support
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.reports import ReportedStep
from mcpi.core.plans.steps import Emit, Plan, attempt, extend_terms, must, pause, request, stop
from mcpi.core.record.transcript import Transcript
from mcpi.core.scripts.judge import check_expectations
from mcpi.core.scripts.player import ScriptOptions, ScriptRunner
from mcpi.core.scripts.script import parse
from mcpi.core.session.effects import Effects, SendMessage
from mcpi.core.session.run_plan import SupportCheck
from mcpi.core.session.session import MAX_EVENTS
from mcpi.core.wire.server_info import NegotiatedServer
from support.conversation import (
    Conversation,
    Deed,
    Ends,
    Happens,
    Hears,
    Rests,
    Says,
    StaysShut,
    answer,
    ask,
    error,
    line,
    met,
    talk,
    tell,
)
from support.drive import watched
from support.replay import exact

OLD = NegotiatedServer("handshake", "2025-11-25", capabilities=exact({"tools": {}, "logging": {}}))
INITIALIZED: Json = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
LOST = Unreachable("CONNECTION_LOST", "the pipe broke")
LONGER = ("an answer that takes its time may need a longer --timeout",)
PROBLEM: dict[str, Json] = {"code": -32000, "message": "no"}


@frozen(kw_only=True)
class Named:
    """The flags of a call."""

    tool_name: str
    """Which tool."""
    tool_args: Exact | None = None
    """Its arguments."""
    count: int = 1
    """A number."""


def call(args: Named) -> Plan:
    """A tool's result, of which the tool itself may say that it is an error."""
    arguments = {} if args.tool_args is None else {"arguments": args.tool_args}
    params: dict[str, Printable] = {"name": args.tool_name, **arguments}
    result = yield from must((yield from attempt("tools/call", params, track=args.count > 1)))
    if result.value == {"isError": True}:
        yield from stop(OperationFailed("TOOL_ERROR", "the tool says no"), result)
    return result


@frozen(kw_only=True)
class Word:
    """A flag that a variable may settle."""

    word: str
    """Anything."""


def at_once(_: Word) -> Plan:
    return (yield from stop(OperationFailed("TASK_FAILED", "it needs no server to fail")))


def later(_: RawParams) -> Plan:
    yield from extend_terms(log_level="info")
    yield from pause(1)
    return (yield from request("later"))


METHODS: tuple[AnyMethod, ...] = (
    Method("tools/call", Named, call, "", required_capability="tools"),
    Method("prompts/list", RawParams, lambda _: request("prompts/list"), "", required_capability="prompts"),
    Method("a", RawParams, lambda _: request("a"), ""),
    Method("b", RawParams, lambda _: request("b"), ""),
    Method("c", RawParams, lambda _: request("c"), ""),
    Method("at/once", Word, at_once, ""),
    Method("later", RawParams, later, ""),
)
CATALOG = Catalog({one.name: OwnedMethod(one, "ours") for one in METHODS})


def admit(method: AnyMethod) -> SupportCheck:
    return lambda server: check_support(method, server)


def player(
    conversation: Conversation,
    *steps: Json,
    variables: dict[str, Json] | None = None,
    **manner: Any,
) -> ScriptRunner:
    """One who plays the script of these steps."""
    document: Json = {"vars": variables or {}, "steps": list(steps)}
    script = parse("s.json", dump(document), CATALOG, {}).unwrap()
    seen = Transcript(0.0, keep=True)
    conversation.session.record = seen.record
    return ScriptRunner(script, conversation.session, seen, ScriptOptions(admit, **manner))


def play(conversation: Conversation, *steps: Json, **more: Any) -> PlanResult:
    """How the script of these steps ends."""
    return conversation.run(player(conversation, *steps, **more).run())


def envelopes(ended: PlanResult) -> list[Any]:
    """The envelopes without their spelling."""
    found = to_plain(ended.result)
    assert isinstance(found, list)
    return found


def verdicts(ended: PlanResult) -> list[tuple[int, str | None]]:
    """Which steps were carried out, and the code of what went wrong in them."""
    return [(one["index"], one["error"] and one["error"]["code"]) for one in envelopes(ended)]


def sent(conversation: Conversation) -> list[str]:
    return [message["method"] for message in conversation.said]


def served(*methods: str, failing: str = "") -> tuple[Deed, ...]:
    """A server that hears these methods and answers each, or refuses it."""
    deeds: list[Deed] = []
    for number, method in enumerate(methods, 1):
        deeds += [Hears(method), error(number, -32000, "no") if method in failing else answer(number, {})]
    return tuple(deeds)


# Steps and their envelopes.


def test_steps_are_carried_out_one_after_another_each_with_an_envelope() -> None:
    conversation = met(OLD, Hears("a"), Rests(0.25), answer(1, {"x": 1}), Hears("b"), answer(2, {"y": 2}))
    ended = play(conversation, {"method": "a"}, {"method": "b", "name": "second"})

    assert conversation.said == [
        {"jsonrpc": "2.0", "id": 1, "method": "a"},
        {"jsonrpc": "2.0", "id": 2, "method": "b"},
    ]
    first, second = envelopes(ended)
    assert first == {
        "structuredVersion": 1,
        "success": True,
        "index": 0,
        "method": "a",
        "durationMs": 250.0,
        "result": {"x": 1},
        "error": None,
        "logs": [],
        "notifications": [],
        "serverRequests": [],
        "violations": [],
        "implicit": [],
        "stderr": [],
        "connection": None,
    }
    assert list(second)[:5] == ["structuredVersion", "success", "index", "name", "method"]
    assert (second["index"], second["name"], second["result"]) == (1, "second", {"y": 2})
    assert ended.fault is None


def test_all_steps_share_the_connection_that_the_first_one_opens() -> None:
    conversation = talk(
        Hears("initialize"),
        answer(1, INITIALIZED),
        Hears("a"),
        answer(2, {}),
        Hears("b"),
        answer(3, {}),
        era="handshake",
    )
    ended = play(conversation, {"method": "a"}, {"method": "b"})

    assert sent(conversation) == ["initialize", "notifications/initialized", "a", "b"]
    assert [what for _, what in conversation.log].count("open") == 1
    assert [one["connection"]["protocolVersion"] for one in envelopes(ended)] == ["2025-11-25", "2025-11-25"]


def test_a_script_without_steps_has_no_envelopes() -> None:
    assert play(met(OLD)) == PlanResult([])


def test_each_envelope_has_what_was_seen_during_its_step() -> None:
    log = {"level": "info", "logger": "db", "data": "hello"}
    conversation = met(
        OLD,
        Hears("a"),
        tell("notifications/message", log),
        ask("q", "roots/list"),
        answer(1, {}),
        Hears("b"),
        tell("n", {"x": 1}),
        Says(b"noise\n"),
        answer(2, {}),
    )
    first, second = envelopes(play(conversation, {"method": "a"}, {"method": "b"}))

    assert [one["message"] for one in first["logs"]] == ["hello"]
    assert [one["method"] for one in first["serverRequests"]] == ["roots/list"]
    assert (first["notifications"], first["violations"]) == ([], [])
    assert (second["logs"], second["serverRequests"]) == ([], [])
    assert [(one["method"], one["params"]) for one in second["notifications"]] == [("n", {"x": 1})]
    assert [one["rule"] for one in second["violations"]] == ["not-json"]


def test_a_result_keeps_its_spelling() -> None:
    conversation = met(OLD, Hears("a"), answer(1, Exact('{"n":1.50}', {"n": 1.5})))

    assert '"result":{"n":1.50},' in dump(play(conversation, {"method": "a"}).result)


def test_the_envelopes_may_be_wanted_as_text() -> None:
    steps: list[Json] = [{"method": "a"}, {"method": "b"}]
    values = play(met(OLD, *served("a", "b", failing="b")), *steps)
    written = play(met(OLD, *served("a", "b", failing="b")), *steps, array=ArrayWriter(compact=True))

    assert written == PlanResult(None, values.fault, dump(values.result) + "\n", values.summary_lines)


def test_an_envelope_is_written_while_the_server_is_at_the_next_step() -> None:
    noted: list[str] = []

    class Noting(ArrayWriter):
        def add(self, value: Printable) -> None:
            noted.append("written")
            super().add(value)

    conversation = met(OLD, *served("a", "b"))
    made = player(conversation, {"method": "a"}, {"method": "b"}, array=Noting(compact=True))
    conversation.run(noting(made.run(), noted))

    assert noted == ["SendMessage", "SendMessage", "written", "written"]


def test_each_envelope_may_be_a_line_as_it_is_done() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {}), Hears("b"), error(2, -32000, "no"))
    ended = play(conversation, {"method": "a"}, {"method": "b"}, ndjson=True)

    assert ended == PlanResult(
        None,
        RpcError(-32000, "no", exact(PROBLEM), "b"),
        text="",
        summary_lines=("step 1 (b): b failed: -32000 no",),
    )
    assert [(line.count("\n"), line[-1]) for line in conversation.emitted] == [(1, "\n"), (1, "\n")]
    assert [line[:50] for line in conversation.emitted] == [
        '{"structuredVersion":1,"success":true,"index":0,"m',
        '{"structuredVersion":1,"success":false,"index":1,"',
    ]


def noting(acts: Effects[PlanResult], noted: list[str]) -> Effects[PlanResult]:
    """The same acts; which of them can be seen from outside is noted."""

    def note(act: object) -> None:
        noted.extend([type(act).__name__] if isinstance(act, Emit | SendMessage) else [])

    return watched(acts, note)


def test_a_line_is_shown_before_the_next_step_begins() -> None:
    noted: list[str] = []
    conversation = met(OLD, *served("a", "b"))
    conversation.run(noting(player(conversation, {"method": "a"}, {"method": "b"}, ndjson=True).run(), noted))

    assert noted == ["SendMessage", "Emit", "SendMessage", "Emit"]


def test_reports_get_the_steps_with_their_verdicts() -> None:
    ledger: list[ReportedStep] = []
    steps: list[Json] = [
        {"method": "a", "name": "first"},
        {"method": "b", "allowFailure": True, "onError": "continue"},
        {"method": "c"},
    ]
    ended = play(met(OLD, *served("a", "b", "c", failing="bc")), *steps, reported_steps=ledger, reports=True)

    assert [(one.title, one.failed, one.failure_allowed) for one in ledger] == [
        ("step 0 (first)", False, False),
        ("step 1 (b)", True, True),
        ("step 2 (c)", True, False),
    ]
    assert [one.envelope for one in ledger] == ended.result


def test_without_reports_there_is_no_ledger() -> None:
    ledger: list[ReportedStep] = []
    play(met(OLD, *served("a")), {"method": "a"}, reported_steps=ledger)

    assert ledger == []


# Failures.


def test_a_failure_stops_the_script_and_is_its_fault() -> None:
    conversation = met(OLD, Hears("a"), error(1, -32000, "no"))
    ended = play(conversation, {"method": "a"}, {"method": "b"})

    assert verdicts(ended) == [(0, "JSON_RPC_ERROR")]
    assert ended.fault == RpcError(-32000, "no", exact(PROBLEM), "a")
    assert sent(conversation) == ["a"]


@pytest.mark.parametrize(
    ("on_error", "carried_out"),
    [("stop", "a"), ("continue", "abca"), ("skip-to:2", "aca"), ("skip-to:third", "aca"), ("skip-to:4", "a")],
)
def test_after_a_failure_the_script_goes_on_where_the_step_says(on_error: str, carried_out: str) -> None:
    steps: list[Json] = [
        {"method": "a", "onError": on_error},
        {"method": "b"},
        {"method": "c", "name": "third"},
        {"method": "a"},
    ]
    deeds: list[Deed] = [Hears("a"), error(1, -32000, "no")]
    for number, name in enumerate(carried_out[1:], 2):
        deeds += [Hears(name), answer(number, {})]
    conversation = met(OLD, *deeds)
    ended = play(conversation, *steps)

    assert "".join(sent(conversation)) == carried_out
    assert isinstance(ended.fault, RpcError)


def test_without_a_failure_nothing_is_skipped() -> None:
    conversation = met(OLD, *served("a", "b"))
    ended = play(conversation, {"method": "a", "onError": "skip-to:2"}, {"method": "b", "onError": "stop"})

    assert (verdicts(ended), ended.fault) == ([(0, None), (1, None)], None)


def test_the_first_failure_is_the_scripts() -> None:
    conversation = met(OLD, Hears("a"), Rests(1), Hears("b"), error(2, -32000, "no"), timeout=1.0)
    ended = play(conversation, {"method": "a", "onError": "continue"}, {"method": "b"})

    assert verdicts(ended) == [(0, "REQUEST_TIMEOUT"), (1, "JSON_RPC_ERROR")]
    assert ended.fault == TimedOut("REQUEST_TIMEOUT", 1.0, "a (request 1)", hints=LONGER)


def test_a_failure_that_is_allowed_is_not_the_scripts_but_leads_where_the_step_says() -> None:
    conversation = met(OLD, *served("a", "b", failing="a"))
    steps: list[Json] = [{"method": "a", "allowFailure": True}, {"method": "b"}]
    ended = play(conversation, *steps)

    assert (verdicts(ended), ended.fault) == ([(0, "JSON_RPC_ERROR"), (1, None)], None)
    halt: list[Json] = [{"method": "a", "allowFailure": True, "onError": "stop"}, {"method": "b"}]
    stopped = play(met(OLD, *served("a", failing="a")), *halt)
    assert (verdicts(stopped), stopped.fault) == ([(0, "JSON_RPC_ERROR")], None)


def test_an_allowed_failure_does_not_hide_one_that_is_not() -> None:
    conversation = met(OLD, *served("a", "b", failing="ab"))
    ended = play(conversation, {"method": "a", "allowFailure": True}, {"method": "b"})

    assert ended.fault == RpcError(-32000, "no", exact(PROBLEM), "b")


def test_a_variable_may_stand_in_a_place() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {"list": [{"id": 7}, {"id": 8}]}))
    step: Json = {"method": "a", "expect": {"/list/${n}/id": 8}, "capture": {"id": "/list/${n}/id"}}
    made = player(conversation, step, variables={"n": 1})
    ended = conversation.run(made.run())

    assert (ended.fault, made.variables["id"].value) == (None, 8)


def test_a_plan_may_fail_without_a_server() -> None:
    conversation = talk()
    ended = play(conversation, {"method": "at/once", "word": "${x}"}, variables={"x": "y"})

    assert ended.fault == OperationFailed("TASK_FAILED", "it needs no server to fail")
    assert conversation.log == []


def test_what_the_server_does_not_offer_is_not_sent() -> None:
    conversation = met(OLD)
    ended = play(conversation, {"method": "prompts/list"})

    assert isinstance(ended.fault, MissingCapability)
    assert (verdicts(ended), conversation.said) == ([(0, "CAPABILITY_MISSING")], [])


CALL: dict[str, Json] = {"method": "tools/call", "toolName": "echo"}


@pytest.mark.parametrize(("fail_on_error", "carried_out"), [(False, [0, 1]), (True, [0])])
def test_a_tools_own_error_fails_a_step_only_if_the_user_wants_it(
    fail_on_error: bool,  # noqa: FBT001 - a case
    carried_out: list[int],
) -> None:
    deeds: list[Deed] = [Hears("tools/call"), answer(1, {"isError": True})]
    deeds += [] if fail_on_error else [Hears("a"), answer(2, {})]
    ended = play(met(OLD, *deeds), CALL, {"method": "a"}, fail_on_error=fail_on_error)

    assert [one["index"] for one in envelopes(ended)] == carried_out
    assert envelopes(ended)[0]["result"] == {"isError": True}
    assert (ended.fault is not None) is fail_on_error


# A connection that is lost.


def test_after_a_lost_connection_every_later_step_gets_an_envelope_of_its_own() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {}), Hears("b"), Ends(LOST))
    steps: list[Json] = [{"method": "a"}, {"method": "b"}, {"method": "c"}, {"wait": "n", "name": "last"}]
    ended = play(conversation, *steps)

    lost = "CONNECTION_LOST"
    assert verdicts(ended) == [(0, None), (1, lost), (2, lost), (3, lost)]
    assert [one["error"]["category"] for one in envelopes(ended)[1:]] == ["transport"] * 3
    assert envelopes(ended)[3]["name"] == "last"
    assert ended.fault == LOST
    assert sent(conversation) == ["a", "b"]


def test_without_a_connection_nothing_is_tried_that_could_fail_otherwise() -> None:
    conversation = met(OLD, Hears("a"), Ends(LOST))
    later: list[Json] = [
        {"method": "at/once", "word": "${id}"},
        {"method": "b", "expect": {"/x": "${id}"}},
        {"wait": "${id}"},
    ]
    ended = play(conversation, {"method": "a", "capture": {"id": "/id"}}, *later)

    assert [code for _, code in verdicts(ended)] == ["CONNECTION_LOST"] * 4


def test_a_jump_is_of_no_use_without_a_connection() -> None:
    conversation = met(OLD, Hears("a"), Ends(LOST))
    ended = play(conversation, {"method": "a", "onError": "skip-to:2"}, {"method": "b"}, {"method": "c"})

    assert [index for index, _ in verdicts(ended)] == [0, 1, 2]


def test_a_connection_may_be_lost_together_with_an_answer() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {}), Ends(LOST))
    ended = play(conversation, {"method": "a"}, {"method": "b"})

    assert verdicts(ended) == [(0, None), (1, "CONNECTION_LOST")]


def test_a_server_that_is_not_there_is_not_there_for_any_step() -> None:
    refused = Unreachable("CONNECTION_REFUSED", "nobody listens")
    conversation = talk(StaysShut(refused))
    ended = play(conversation, {"method": "a"}, {"method": "b"})

    assert verdicts(ended) == [(0, "CONNECTION_REFUSED"), (1, "CONNECTION_REFUSED")]
    assert ended.fault == refused
    assert conversation.log == [(0.0, "open in vain")]


def test_how_the_server_ended_is_in_the_envelopes() -> None:
    conversation = met(OLD, Hears("a"), Ends(Exited("node", "", 3)))
    conversation.session.times.start = 0.0
    ended = play(conversation, {"method": "a"}, {"method": "b"})

    assert [one["connection"]["exitCode"] for one in envelopes(ended)] == [3, 3]
    assert ended.fault == Exited("node", "a", 3)


def test_an_interrupt_ends_the_script_at_once() -> None:
    conversation = met(OLD, Hears("a"), Ends(Interrupted("SIGINT")))
    ended = play(conversation, {"method": "a", "onError": "continue"}, {"method": "b"})

    assert (verdicts(ended), ended.fault) == ([(0, "INTERRUPTED")], Interrupted("SIGINT"))


@pytest.mark.parametrize("step", [{"method": "a"}, {"wait": "n"}, {"method": "later"}])
def test_an_interrupt_is_never_allowed_to_pass_for_success(step: dict[str, Json]) -> None:
    conversation = met(OLD, Ends(Interrupted("SIGTERM")))
    ended = play(conversation, {**step, "allowFailure": True}, {"method": "b"})

    assert (verdicts(ended), ended.fault) == ([(0, "INTERRUPTED")], Interrupted("SIGTERM"))


def test_an_interrupt_does_not_take_the_place_of_an_earlier_failure() -> None:
    conversation = met(OLD, Hears("a"), error(1, -32000, "no"), Hears("b"), Ends(Interrupted("SIGINT")))
    ended = play(conversation, {"method": "a", "onError": "continue"}, {"method": "b"})

    assert isinstance(ended.fault, RpcError)


# Patience.


def test_a_step_may_have_a_patience_of_its_own() -> None:
    conversation = met(OLD, Hears("b"), Rests(4), answer(2, {}))
    steps: list[Json] = [{"method": "a", "timeout": "1s", "onError": "continue"}, {"method": "b"}]
    ended = play(conversation, *steps, fail_on_error=False)

    assert verdicts(ended) == [(0, "REQUEST_TIMEOUT"), (1, None)]
    assert [one["durationMs"] for one in envelopes(ended)] == [1000.0, 4000.0]
    assert sent(conversation) == ["a", "notifications/cancelled", "b"]


def test_a_longer_patience_of_a_step_is_not_cut_short_by_the_usual_limit() -> None:
    conversation = met(OLD, Hears("a"), Rests(400), answer(1, {}), timeout=1.0)

    assert verdicts(play(conversation, {"method": "a", "timeout": "10m"})) == [(0, None)]
    assert (conversation.session.terms.timeout, conversation.session.terms.total_timeout) == (1.0, 300.0)


def test_a_limit_that_was_given_holds_for_a_patient_step_too() -> None:
    conversation = met(OLD, Hears("a"), timeout=1.0, max_total_timeout=2.0)
    ended = play(conversation, {"method": "a", "timeout": "10s"})

    assert [verdicts(ended), conversation.clock] == [[(0, "REQUEST_TIMEOUT")], 2.0]


def test_what_a_step_says_about_the_requests_after_it_stays() -> None:
    conversation = met(OLD, Hears("later"), answer(1, {}))
    play(conversation, {"method": "later", "timeout": "9s"})

    assert conversation.session.terms.log_level == "info"
    assert conversation.session.terms.timeout == 30.0


# Captures.


def test_what_one_step_captures_another_one_sends_with_its_type() -> None:
    conversation = met(
        OLD,
        Hears("a"),
        answer(1, Exact('{"id":1.50,"o":{"s":"x"}}', {"id": 1.5, "o": {"s": "x"}})),
        Hears("tools/call"),
        answer(2, {}),
        Hears("v/x"),
        answer(3, {}),
    )
    ended = play(
        conversation,
        {"method": "a", "capture": {"id": "/id", "s": "/o/s", "o": "/o"}},
        {"method": "tools/call", "toolName": "${s}", "toolArgs": {"id": "${id}", "text": "id ${id}"}, "count": "${n}"},
        {"method": "v/x", "params": {"all": ["${o}", "${word}"]}},
        variables={"n": 2, "word": "w"},
    )

    assert ended.fault is None
    assert conversation.said[1]["params"] == {
        "name": "x",
        "arguments": {"id": 1.5, "text": "id 1.50"},
        "_meta": {"progressToken": 2},
    }
    assert b'"id":1.50,' in conversation.transmitted[1].data
    assert conversation.said[2]["params"] == {"all": [{"s": "x"}, "w"]}


def test_a_capture_takes_the_place_of_an_earlier_value() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {"n": 2}), Hears("v/x"), answer(2, {}))
    capture: Json = {"method": "a", "capture": {"n": "/n"}}
    play(conversation, capture, {"method": "v/x", "params": {"n": "${n}"}}, variables={"n": 1})

    assert conversation.said[1]["params"] == {"n": 2}


def test_the_whole_result_can_be_captured() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {"n": 2}), Hears("v/x"), answer(2, {}))
    play(conversation, {"method": "a", "capture": {"all": ""}}, {"method": "v/x", "params": {"it": "${all}"}})

    assert conversation.said[1]["params"] == {"it": {"n": 2}}


def test_a_pointer_that_names_nothing_fails_the_step() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {"n": 2}))
    ended = play(conversation, {"method": "a", "capture": {"n": "/n", "x": "/x", "y": "/y"}}, {"method": "b"})

    problem = "step 0 (a): there is nothing at /x to capture as x"
    assert ended.fault == OperationFailed("EXPECTATION_FAILED", problem)
    assert envelopes(ended)[0]["result"] == {"n": 2}


def test_a_failed_step_captures_what_there_is_and_keeps_its_own_fault() -> None:
    conversation = met(OLD, Hears("tools/call"), answer(1, {"isError": True}), Hears("v/x"), answer(2, {}))
    steps: list[Json] = [
        {**CALL, "capture": {"bad": "/isError", "x": "/x"}},
        {"method": "v/x", "params": {"bad": "${bad}"}},
    ]
    ended = play(conversation, *steps)

    assert verdicts(ended) == [(0, "TOOL_ERROR"), (1, None)]
    assert conversation.said[1]["params"] == {"bad": True}


@pytest.mark.parametrize(
    "step",
    [
        {"method": "tools/call", "toolName": "${id}"},
        {"method": "v/x", "params": {"id": "${id}"}},
        {"method": "b", "expect": {"/id": "${id}"}},
        {"wait": "n", "expect": {"/id": "${id}"}},
    ],
)
def test_a_variable_that_was_not_captured_fails_the_step_that_wants_it_and_costs_no_request(
    step: dict[str, Json],
) -> None:
    conversation = met(OLD, Hears("a"), error(1, -32000, "no"))
    ended = play(conversation, {"method": "a", "onError": "continue", "capture": {"id": "/id"}}, {**step, "name": "x"})

    assert verdicts(ended) == [(0, "JSON_RPC_ERROR"), (1, "INVALID_ARGUMENT")]
    assert envelopes(ended)[1]["error"]["message"] == (
        "step 1 (x): the variable ${id} has no value: the step that captures it did not succeed"
    )
    assert sent(conversation) == ["a"]


def test_a_step_without_a_result_captures_nothing_not_even_the_whole_of_it() -> None:
    conversation = met(OLD, Hears("a"), error(1, -32000, "no"))
    steps: list[Json] = [
        {"method": "a", "onError": "continue", "capture": {"all": ""}},
        {"method": "v/x", "params": {"it": "${all}"}},
    ]

    assert verdicts(play(conversation, *steps)) == [(0, "JSON_RPC_ERROR"), (1, "INVALID_ARGUMENT")]


def test_a_value_that_a_flag_cannot_take_fails_the_step_and_costs_no_request() -> None:
    conversation = met(OLD)
    ended = play(conversation, {**CALL, "count": "${n}"}, variables={"n": "many"})

    assert envelopes(ended)[0]["error"]["message"] == "tools/call: count: expected a number, found string"
    assert conversation.said == []


def test_a_value_that_an_operator_cannot_take_fails_the_step_and_costs_no_request() -> None:
    conversation = met(OLD)
    ended = play(conversation, {"method": "a", "expect": {"/x": {"length": "${n}"}}}, variables={"n": "3"})

    assert verdicts(ended) == [(0, "INVALID_ARGUMENT")]
    assert envelopes(ended)[0]["error"]["message"] == 'step 0 (a): expect: /x: length is a number, found "3"'
    assert conversation.said == []


# Expectations.


def test_a_result_as_expected_is_a_success() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {"isError": False, "content": [{"text": "ok then"}], "n": 5}))
    expected: Json = {"/isError": False, "/content/0/text": {"matches": "^ok"}, "/n": "${n}"}
    ended = play(conversation, {"method": "a", "expect": expected}, variables={"n": 5})

    assert (verdicts(ended), ended.fault) == ([(0, None)], None)


def test_all_expectations_that_do_not_hold_are_listed_and_the_result_is_kept() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {"n": 5, "m": 6}))
    ended = play(
        conversation, {"method": "a", "name": "sum", "expect": {"/n": 5, "/m": {"lessThan": 6}, "/x": {"exists": True}}}
    )

    failures = ("/m: expected lessThan 6, found 6", "/x: nothing is there, expected exists true")
    assert ended.fault == OperationFailed(
        "EXPECTATION_FAILED",
        "step 0 (sum): 2 of 3 expectations did not hold",
        failures,
        {"failures": list(failures)},
    )
    (one,) = envelopes(ended)
    assert (one["result"], one["error"]["details"]) == ({"n": 5, "m": 6}, {"failures": list(failures)})


def test_a_tools_own_error_may_be_what_is_expected() -> None:
    conversation = met(OLD, Hears("tools/call"), answer(1, {"isError": True}))
    ended = play(conversation, {**CALL, "expect": {"/isError": True}})

    assert (verdicts(ended), ended.fault) == ([(0, "TOOL_ERROR")], None)


def test_a_tools_own_error_that_is_not_expected_is_a_failure() -> None:
    conversation = met(OLD, Hears("tools/call"), answer(1, {"isError": True}))

    assert verdicts(play(conversation, {**CALL, "expect": {"/isError": False}})) == [(0, "EXPECTATION_FAILED")]


def test_of_a_request_that_failed_nothing_is_expected() -> None:
    conversation = met(OLD, Hears("a"), error(1, -32000, "no"))

    assert verdicts(play(conversation, {"method": "a", "expect": {"/x": 1}})) == [(0, "JSON_RPC_ERROR")]


@pytest.mark.parametrize(("problems", "code"), [((), None), ((("/n", "is odd"),), "EXPECTATION_FAILED")])
def test_a_schema_is_measured_by_the_shell(problems: tuple[tuple[str, str], ...], code: str | None) -> None:
    conversation = met(OLD, Hears("a"), answer(1, {"o": {"n": 5}}))
    conversation.problems = problems
    ended = play(conversation, {"method": "a", "expect": {"/o": {"schema": {"type": "object"}}}})

    assert conversation.validated == [({"n": 5}, {"type": "object"})]
    assert verdicts(ended) == [(0, code)]


@pytest.mark.parametrize(
    "ended",
    [PlanResult({"a": 1}), PlanResult(None, LOST), PlanResult({"a": 1}, OperationFailed("TOOL_ERROR", "no"))],
)
def test_without_expectations_the_end_stays_as_it_is(ended: PlanResult) -> None:
    assert met(OLD).run(check_expectations("x", (), ended)) is ended


def test_the_result_of_a_composed_method_can_be_measured_too() -> None:
    expected = (Expectation("/a/b", "equals", 1), Expectation("/a/b", "equals", 2))
    ended = met(OLD).run(check_expectations("the result", expected, PlanResult({"a": exact({"b": 1})})))

    said = "/a/b: expected 2, found 1"
    problem = "the result: 1 of 2 expectations did not hold"
    assert ended.fault == OperationFailed("EXPECTATION_FAILED", problem, (said,), {"failures": [said]})


# Waiting for notifications.


def test_a_step_that_waits_finds_what_came_during_the_step_before() -> None:
    conversation = met(OLD, Hears("a"), tell("n", {"x": 1}), answer(1, {}))
    ended = play(conversation, {"method": "a"}, {"wait": "n", "name": "news"})

    (_, waited) = envelopes(ended)
    assert (waited["result"], waited["wait"], waited["method"], waited["name"]) == ({"x": 1}, "n", None, "news")
    assert (waited["durationMs"], ended.fault) == (0.0, None)


def test_a_step_that_waits_waits_for_what_is_to_come() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {}), Rests(2), tell("m"), Rests(1), tell("n", {"x": 1}))
    ended = play(conversation, {"method": "a"}, {"wait": "n"})

    assert [one["durationMs"] for one in envelopes(ended)] == [0.0, 3000.0]


def test_what_came_before_the_last_call_is_not_what_a_step_waits_for() -> None:
    conversation = met(
        OLD, Hears("a"), tell("n", {"x": 1}), answer(1, {}), Hears("b"), answer(2, {}), Rests(1), tell("n", {"x": 2})
    )
    ended = play(conversation, {"method": "a"}, {"method": "b"}, {"wait": "n"})

    assert envelopes(ended)[2]["result"] == {"x": 2}


def test_what_an_earlier_wait_passed_by_is_forgotten_with_the_next_call() -> None:
    deeds = (Hears("a"), tell("n", {"x": 1}), tell("m"), answer(1, {}), Hears("b"), answer(2, {}))
    conversation = met(OLD, *deeds, Rests(1), tell("n", {"x": 2}))
    ended = play(conversation, {"method": "a"}, {"wait": "m"}, {"method": "b"}, {"wait": "n"})

    assert envelopes(ended)[3]["result"] == {"x": 2}


def test_steps_may_wait_for_what_came_in_any_order_each_for_its_own() -> None:
    news = (tell("n", {"x": 1}), tell("m", {"y": 1}), tell("n", {"x": 2}))
    conversation = met(OLD, Hears("a"), *news, answer(1, {}), Rests(1), tell("n", {"x": 3}))
    ended = play(conversation, {"method": "a"}, {"wait": "m"}, {"wait": "n"}, {"wait": "n"}, {"wait": "n"})

    assert [one["result"] for one in envelopes(ended)[1:]] == [{"y": 1}, {"x": 1}, {"x": 2}, {"x": 3}]


def test_a_step_waits_for_the_first_that_is_as_expected() -> None:
    news = (tell("n", {"x": 1}), tell("n"), tell("n", {"x": 2, "y": 3}))
    conversation = met(OLD, Hears("a"), *news, answer(1, {}))
    steps: list[Json] = [{"wait": "n", "expect": {"/x": "${x}"}, "capture": {"y": "/y"}}, {"wait": "n"}, {"wait": "n"}]
    ended = play(conversation, {"method": "a"}, *steps, {"wait": "n", "timeout": 0}, variables={"x": 2})

    assert [one["result"] for one in envelopes(ended)[1:]] == [{"x": 2, "y": 3}, {"x": 1}, {}, None]


def test_what_a_notification_says_can_be_captured() -> None:
    conversation = met(OLD, Hears("a"), tell("n", {"id": 7}), answer(1, {}), Hears("v/x"), answer(2, {}))
    steps: list[Json] = [{"method": "a"}, {"wait": "n", "capture": {"id": "/id"}}]
    play(conversation, *steps, {"method": "v/x", "params": {"id": "${id}"}})

    assert conversation.said[1]["params"] == {"id": 7}


def test_a_notification_that_fits_its_schema_is_measured_once() -> None:
    conversation = met(OLD, tell("n", {"x": 1}))
    ended = play(conversation, {"wait": "n", "expect": {"/x": {"schema": True}}})

    assert (conversation.validated, verdicts(ended)) == ([(1, True)], [(0, None)])


def test_a_notification_may_be_measured_by_a_schema() -> None:
    conversation = met(OLD, tell("n", {"x": 1}))
    conversation.problems = (("", "no"),)
    ended = play(conversation, {"wait": "n", "expect": {"/x": {"schema": False}}, "timeout": "1s"})

    assert conversation.validated == [(1, False)]
    assert verdicts(ended) == [(0, "REQUEST_TIMEOUT")]


def test_what_the_plugins_say_stands_in_the_envelope() -> None:
    conversation = met(OLD, Hears("a"), error(1, -32000, "no"))
    ended = play(conversation, {"method": "a"}, hints=lambda _: ("ask again",))

    assert envelopes(ended)[0]["error"]["hints"] == ["ask again"]
    assert ended.fault is not None
    assert ended.fault.hints == ("ask again",)


def test_a_wait_that_is_in_vain_is_a_timeout() -> None:
    conversation = met(OLD, Hears("a"), Rests(1), answer(1, {}), Rests(1), tell("m"), timeout=30.0)
    ended = play(conversation, {"method": "a"}, {"wait": "n", "timeout": "2s"}, {"method": "b"})

    seen = line({"method": "m"}).decode().strip()
    assert envelopes(ended)[1]["error"] == {
        "category": "transport",
        "code": "REQUEST_TIMEOUT",
        "message": "n did not come within 2 s",
        "retryable": True,
        "helpUrl": "https://github.com/mcpi-cli/mcpi/blob/main/docs/errors.md#request-timeout",
        "hints": [],
        "details": {"waitedMs": 2000.0, "outstanding": "n", "lastSeen": seen},
    }
    assert (len(envelopes(ended)), conversation.clock) == (2, 3.0)


def test_a_wait_in_vain_tells_of_what_came_and_did_not_fit() -> None:
    conversation = met(OLD, tell("n", {"level": "info"}), tell("m"), tell("n", {"level": "debug"}))
    ended = play(conversation, {"wait": "n", "expect": {"/level": "error"}, "timeout": "2s"})

    hints = ("2 of the kind came and did not fit",)
    assert ended.fault == TimedOut("REQUEST_TIMEOUT", 2.0, "n", '{"level":"debug"}', hints, "n did not come")


def test_each_failure_is_told_with_its_step() -> None:
    steps: list[Json] = [
        {"method": "a", "name": "first", "onError": "continue"},
        {"method": "b", "onError": "continue", "expect": {"/x": 1}},
        {"method": "c", "allowFailure": True},
    ]
    ended = play(met(OLD, *served("a", "b", "c", failing="ac")), *steps)

    assert ended.summary_lines == (
        "step 0 (first): a failed: -32000 no",
        "step 1 (b): 1 of 1 expectations did not hold",
        "  /x: nothing is there, expected 1",
    )


def test_a_lost_connection_is_told_once_and_no_more_failures_than_can_be_read() -> None:
    lost = play(met(OLD, Hears("a"), Ends(LOST)), {"method": "a"}, {"method": "b"})
    many: list[Json] = [{"method": "a", "onError": "continue"}] * 25
    failed = play(met(OLD, *served(*"a" * 25, failing="a")), *many)

    assert lost.summary_lines == ("step 0 (a): the pipe broke",)
    assert (len(failed.summary_lines), failed.summary_lines[-1]) == (21, "and 5 more steps failed")


def test_a_flood_of_other_notifications_does_not_put_off_the_end_of_a_wait() -> None:
    flood = [deed for _ in range(100) for deed in (Rests(0.1), tell("m"))]
    conversation = met(OLD, *flood, timeout=30.0)
    steps: list[Json] = [{"wait": "n", "timeout": "2s", "onError": "continue"}, {"wait": "n", "timeout": "9s"}]
    ended = play(conversation, *steps)

    assert [round(one["durationMs"], -3) for one in envelopes(ended)] == [2000.0, 9000.0]


def test_what_is_no_notification_is_passed_over() -> None:
    deeds: list[Deed] = [Hears("a"), Says(b"noise\n"), ask("q", "n"), tell("n"), answer(1, {})]
    ended = play(met(OLD, *deeds), {"method": "a"}, {"wait": "n"}, {"wait": "n", "timeout": 0})

    assert verdicts(ended) == [(0, None), (1, None), (2, "REQUEST_TIMEOUT")]


def test_a_wait_ends_with_the_connection() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {}), Rests(1), Ends(LOST))
    ended = play(conversation, {"method": "a"}, {"wait": "n"}, {"method": "b"})

    assert verdicts(ended) == [(0, None), (1, "CONNECTION_LOST"), (2, "CONNECTION_LOST")]
    assert conversation.clock == 1.0


def test_what_came_just_before_the_end_is_found() -> None:
    conversation = met(OLD, Hears("a"), answer(1, {}), Rests(1), tell("n"), Ends(LOST))

    ended = play(conversation, {"method": "a"}, {"wait": "n"}, {"wait": "n"})

    assert verdicts(ended) == [(0, None), (1, None), (2, "CONNECTION_LOST")]


def test_a_wait_that_comes_first_opens_the_connection() -> None:
    conversation = talk(Hears("initialize"), Rests(5), answer(1, INITIALIZED), Rests(1.5), tell("n"), era="handshake")
    ended = play(conversation, {"wait": "n", "timeout": "2s"})

    assert verdicts(ended) == [(0, None)]
    assert sent(conversation) == ["initialize", "notifications/initialized"]


def test_a_wait_that_comes_first_may_find_nobody() -> None:
    refused = Unreachable("CONNECTION_REFUSED", "nobody listens")

    assert play(talk(StaysShut(refused)), {"wait": "n"}).fault == refused


def test_no_more_is_kept_for_later_waits_than_the_session_keeps() -> None:
    passed = player(met(OLD)).skipped_events
    for number in range(MAX_EVENTS + 1):
        passed.append(DeadlineReached(number))

    assert (len(passed), passed.popleft()) == (MAX_EVENTS, DeadlineReached(1))


# Whatever fails.

JUMPS = st.sampled_from(["stop", "continue", "skip-to:1", "skip-to:2", "skip-to:3", "skip-to:4"])
STEP = st.fixed_dictionaries({"method": st.just("a"), "onError": JUMPS, "allowFailure": st.booleans()})


def path(steps: list[dict[str, Any]], fails: list[bool]) -> list[tuple[int, bool]]:
    """The steps that are carried out, and whether each fails."""
    taken: list[tuple[int, bool]] = []
    index = 0
    while index < len(steps):
        taken.append((index, fails[index]))
        wish = steps[index]["onError"] if fails[index] else "continue"
        index = {"stop": len(steps), "continue": index + 1}.get(wish) or int(wish.removeprefix("skip-to:"))
    return taken


@given(st.lists(STEP, max_size=4), st.lists(st.booleans(), min_size=4, max_size=4))
def test_whatever_fails_a_script_goes_forward_to_its_end(steps: list[dict[str, Any]], fails: list[bool]) -> None:
    if isinstance(parse("s.json", dump(steps), CATALOG, {}), Failure):
        return
    taken = path(steps, fails)
    deeds: list[Deed] = []
    for number, (_, failed) in enumerate(taken, 1):
        deeds += [Hears("a"), error(number, -32000, "no") if failed else answer(number, {})]
    ended = play(met(OLD, *deeds), *steps)

    assert len(taken) <= len(steps)
    assert verdicts(ended) == [(index, "JSON_RPC_ERROR" if failed else None) for index, failed in taken]
    assert (ended.fault is None) is all(steps[index]["allowFailure"] for index, failed in taken if failed)


def test_a_step_waits_for_what_a_debugger_saw_in_it() -> None:
    hit: Json = {"type": "number", "value": 1}
    conversation = met(OLD, Hears("a"), answer(1, {}), Happens("debug", hit), Hears("b"), answer(2, {}))
    made = player(conversation, {"method": "a"}, {"method": "b"})
    conversation.session.debugged = True
    made.transcript.debug = {}
    ended = conversation.run(made.run())

    assert [one["debug"] for one in envelopes(ended)] == [{"results": [hit]}, {"results": []}]
    assert [what for _, what in conversation.log if what in {"a", "b", "settle"}] == ["a", "settle", "b", "settle"]
