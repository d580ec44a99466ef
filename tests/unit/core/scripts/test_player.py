"""Script steps run on one connection, each with an envelope, until the end or a stopping failure."""

import json
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
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
from mcpi.core.plans.plan import PlanResult
from mcpi.core.plans.reports import ScriptLog
from mcpi.core.plans.steps import Emit
from mcpi.core.record.envelope_writer import EnvelopeWriter
from mcpi.core.scripts.script import parse
from mcpi.core.session.effects import Effects, SendMessage
from mcpi.core.session.retry import STARTING
from support.constants import LONGER, LOST
from support.conversation import (
    Close,
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
    notify,
    starting,
)
from support.drive import observed
from support.replay import exact
from support.script_runs import (
    CALL,
    CATALOG,
    HANDSHAKE,
    INITIALIZED,
    PROBLEM,
    envelopes,
    play,
    responding,
    script_runner,
    sent_methods,
    verdict_lines,
    verdicts,
)

# Steps and their envelopes.


def test_steps_run_in_order_with_an_envelope_each() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Pause(0.25), answer(1, {"x": 1}), Expect("b"), answer(2, {"y": 2}))
    ended = play(conversation, {"method": "a"}, {"method": "b", "name": "second"})

    assert conversation.messages == [
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


def test_all_steps_share_the_connection_opened_by_the_first() -> None:
    conversation = starting(
        Expect("initialize"),
        answer(1, INITIALIZED),
        Expect("a"),
        answer(2, {}),
        Expect("b"),
        answer(3, {}),
        era="handshake",
    )
    ended = play(conversation, {"method": "a"}, {"method": "b"})

    assert sent_methods(conversation) == ["initialize", "notifications/initialized", "a", "b"]
    assert [what for _, what in conversation.log].count("open") == 1
    assert [one["connection"]["protocolVersion"] for one in envelopes(ended)] == ["2025-11-25", "2025-11-25"]


def test_each_envelope_contains_the_events_of_its_step() -> None:
    log = {"level": "info", "logger": "db", "data": "hello"}
    conversation = connected(
        HANDSHAKE,
        Expect("a"),
        notify("notifications/message", log),
        ask("q", "roots/list"),
        answer(1, {}),
        Expect("b"),
        notify("x/n", {"x": 1}),
        Write(b"noise\n"),
        answer(2, {}),
    )
    first, second = envelopes(play(conversation, {"method": "a"}, {"method": "b"}))

    assert [one["message"] for one in first["logs"]] == ["hello"]
    assert [one["method"] for one in first["serverRequests"]] == ["roots/list"]
    assert (first["notifications"], first["violations"]) == ([], [])
    assert (second["logs"], second["serverRequests"]) == ([], [])
    assert [(one["method"], one["params"]) for one in second["notifications"]] == [("x/n", {"x": 1})]
    assert [one["rule"] for one in second["violations"]] == ["not-json"]


def test_a_result_keeps_its_spelling() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, Exact('{"n":1.50}', {"n": 1.5})))

    assert '"result":{"n":1.50},' in dump(play(conversation, {"method": "a"}).result)


def test_envelopes_can_be_written_as_text() -> None:
    steps: list[Json] = [{"method": "a"}, {"method": "b"}]
    values = play(connected(HANDSHAKE, *responding("a", "b", failing="b")), *steps)
    written = play(
        connected(HANDSHAKE, *responding("a", "b", failing="b")), *steps, writer=EnvelopeWriter(compact=True)
    )

    assert written == PlanResult(None, values.fault, dump(values.result) + "\n", fault_shown=True)


def test_envelope_is_written_while_the_next_step_runs() -> None:
    recorded_effects: list[str] = []

    class RecordingWriter(EnvelopeWriter):
        def add(self, written: str) -> None:
            recorded_effects.append("written")
            super().add(written)

    conversation = connected(HANDSHAKE, *responding("a", "b"))
    made = script_runner(conversation, {"method": "a"}, {"method": "b"}, writer=RecordingWriter(compact=True))
    conversation.run(recorded(made.run(), recorded_effects))

    assert recorded_effects == ["SendMessage", "SendMessage", "written", "written"]


def test_ndjson_prints_each_envelope_as_a_line_when_its_step_ends() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {}), Expect("b"), error(2, -32000, "no"))
    ended = play(conversation, {"method": "a"}, {"method": "b"}, ndjson=True)

    assert ended == PlanResult(
        None,
        RpcError(-32000, "no", exact(PROBLEM), "b"),
        text="",
        fault_shown=True,
    )
    assert [(line.count("\n"), line[-1]) for line in conversation.emitted] == [(1, "\n"), (1, "\n")]
    assert [line[:50] for line in conversation.emitted] == [
        '{"structuredVersion":1,"success":true,"index":0,"m',
        '{"structuredVersion":1,"success":false,"index":1,"',
    ]


def recorded(effects: Effects[PlanResult], recorded_effects: list[str]) -> Effects[PlanResult]:
    """Run the same effects and record the visible ones."""

    def note(effect: object) -> None:
        recorded_effects.extend([type(effect).__name__] if isinstance(effect, Emit | SendMessage) else [])

    return observed(effects, note)


def test_ndjson_line_is_printed_before_the_next_step() -> None:
    recorded_effects: list[str] = []
    conversation = connected(HANDSHAKE, *responding("a", "b"))
    conversation.run(
        recorded(script_runner(conversation, {"method": "a"}, {"method": "b"}, ndjson=True).run(), recorded_effects)
    )

    assert recorded_effects == ["SendMessage", "Emit", "SendMessage", "Emit"]


def test_reports_get_all_steps_in_order_with_their_verdicts() -> None:
    log = ScriptLog()
    steps: list[Json] = [
        {"method": "a", "name": "first"},
        {"method": "b", "allowFailure": True, "onError": "skip-to:3"},
        {"method": "c"},
        {**CALL, "onError": "stop"},
        {"wait": "x/n"},
        {"method": "v/x", "params": {"name": "never a tool"}},
    ]
    actions = (*responding("a", "b", failing="b"), Expect("tools/call"), answer(3, {"isError": True}))
    ended = play(connected(HANDSHAKE, *actions), *steps, log=log, reports=True)

    assert [(one.title, one.verdict) for one in log.steps] == [
        ("first", "passed"),
        ("b", "allowed"),
        ("c", "skipped"),
        ("tools/call echo", "failed"),
        ("wait x/n", "skipped"),
        ("v/x", "skipped"),
    ]
    assert [one.envelope for one in log.steps if not one.skipped] == ended.result
    assert log.steps[2].envelope == {"method": "c"}


def test_steps_are_not_logged_without_reports() -> None:
    log = ScriptLog()
    play(connected(HANDSHAKE, *responding("a", failing="a")), {"method": "a"}, {"method": "b"}, log=log)

    assert log.steps == []


# Failures.


def test_failed_step_stops_and_fails_the_script() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), error(1, -32000, "no"))
    ended = play(conversation, {"method": "a"}, {"method": "b"})

    assert verdicts(ended) == [(0, "JSON_RPC_ERROR")]
    assert ended.fault == RpcError(-32000, "no", exact(PROBLEM), "a")
    assert sent_methods(conversation) == ["a"]


@pytest.mark.parametrize(
    ("on_error", "carried_out"),
    [("stop", "a"), ("continue", "abca"), ("skip-to:2", "aca"), ("skip-to:third", "aca"), ("skip-to:4", "a")],
)
def test_on_error_selects_the_step_after_a_failure(on_error: str, carried_out: str) -> None:
    steps: list[Json] = [
        {"method": "a", "onError": on_error},
        {"method": "b"},
        {"method": "c", "name": "third"},
        {"method": "a"},
    ]
    actions: list[ServerAction] = [Expect("a"), error(1, -32000, "no")]
    for number, name in enumerate(carried_out[1:], 2):
        actions += [Expect(name), answer(number, {})]
    conversation = connected(HANDSHAKE, *actions)
    ended = play(conversation, *steps)

    assert "".join(sent_methods(conversation)) == carried_out
    assert isinstance(ended.fault, RpcError)


def test_on_error_is_ignored_without_a_failure() -> None:
    conversation = connected(HANDSHAKE, *responding("a", "b"))
    ended = play(conversation, {"method": "a", "onError": "skip-to:2"}, {"method": "b", "onError": "stop"})

    assert (verdicts(ended), ended.fault) == ([(0, None), (1, None)], None)


def test_first_failure_is_the_fault_of_the_script() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Pause(1), Expect("b"), error(2, -32000, "no"), timeout=1.0)
    ended = play(conversation, {"method": "a", "onError": "continue"}, {"method": "b"})

    assert verdicts(ended) == [(0, "REQUEST_TIMEOUT"), (1, "JSON_RPC_ERROR")]
    assert ended.fault == TimedOut("REQUEST_TIMEOUT", 1.0, "a (request 1)", hints=LONGER)


def test_allowed_failure_does_not_fail_the_script_but_on_error_applies() -> None:
    conversation = connected(HANDSHAKE, *responding("a", "b", failing="a"))
    steps: list[Json] = [{"method": "a", "allowFailure": True}, {"method": "b"}]
    ended = play(conversation, *steps)

    assert (verdicts(ended), ended.fault) == ([(0, "JSON_RPC_ERROR"), (1, None)], None)
    halt: list[Json] = [{"method": "a", "allowFailure": True, "onError": "stop"}, {"method": "b"}]
    stopped = play(connected(HANDSHAKE, *responding("a", failing="a")), *halt)
    assert (verdicts(stopped), stopped.fault) == ([(0, "JSON_RPC_ERROR")], None)


def test_allowed_failure_does_not_hide_another_failure() -> None:
    conversation = connected(HANDSHAKE, *responding("a", "b", failing="ab"))
    ended = play(conversation, {"method": "a", "allowFailure": True}, {"method": "b"})

    assert ended.fault == RpcError(-32000, "no", exact(PROBLEM), "b")


def test_variable_in_a_json_pointer_is_replaced() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {"list": [{"id": 7}, {"id": 8}]}))
    step: Json = {"method": "a", "expect": {"/list/${n}/id": 8}, "capture": {"id": "/list/${n}/id"}}
    made = script_runner(conversation, step, variables={"n": 1})
    ended = conversation.run(made.run())

    assert (ended.fault, made.steps.variables["id"].value) == (None, 8)


def test_a_plan_may_fail_without_a_server() -> None:
    conversation = starting()
    ended = play(conversation, {"method": "at/once", "word": "${x}"}, variables={"x": "y"})

    assert ended.fault == OperationFailed("TASK_FAILED", "it needs no server to fail")
    assert conversation.log == []


def test_method_not_offered_by_the_server_is_not_sent() -> None:
    conversation = connected(HANDSHAKE)
    ended = play(conversation, {"method": "prompts/list"})

    assert isinstance(ended.fault, MissingCapability)
    assert (verdicts(ended), conversation.messages) == ([(0, "CAPABILITY_MISSING")], [])


@pytest.mark.parametrize(
    ("own", "script", "fails"),
    [(None, True, True), (None, False, False), (True, False, True), (False, True, False)],
)
def test_fail_on_error_of_a_step_overrides_that_of_the_script(
    own: bool | None,  # noqa: FBT001 - a case
    script: bool,  # noqa: FBT001 - a case
    fails: bool,  # noqa: FBT001 - a case
) -> None:
    actions: list[ServerAction] = [Expect("tools/call"), answer(1, {"isError": True})]
    actions += [] if fails else [Expect("a"), answer(2, {})]
    step = CALL if own is None else {**CALL, "failOnError": own}
    lines, ended = verdict_lines(connected(HANDSHAKE, *actions), step, {"method": "a"}, fail_on_error=script)

    assert (envelopes(ended)[0]["index"], envelopes(ended)[0]["result"]) == (0, {"isError": True})
    assert (len(envelopes(ended)), ended.fault is not None) == ((1, True) if fails else (2, False))
    assert lines[0][:4] == ("FAIL" if fails else "ok  ")


ERROR = error(1, -32000, "no")
FAILURES: tuple[tuple[str, dict[str, Json], tuple[ServerAction, ...]], ...] = (
    ("JSON_RPC_ERROR", {"method": "a"}, (Expect("a"), ERROR)),
    ("TOOL_ERROR", CALL, (Expect("tools/call"), answer(1, {"isError": True}))),
    ("EXPECTATION_FAILED", {"method": "a", "expect": {"/x": 1}}, (Expect("a"), answer(1, {}))),
    ("EXPECTATION_FAILED", {"method": "a", "capture": {"x": "/x"}}, (Expect("a"), answer(1, {}))),
    ("EXPECTATION_FAILED", {"method": "a", "maxDuration": 500}, (Expect("a"), Pause(1), answer(1, {}))),
    ("REQUEST_TIMEOUT", {"method": "a", "timeout": "1s"}, (Expect("a"), Pause(1))),
    ("CAPABILITY_MISSING", {"method": "prompts/list"}, ()),
    ("TASK_FAILED", {"method": "at/once", "word": "${x}"}, ()),
    ("VIOLATION", {"method": "a"}, (Expect("a"), Write(b"noise\n"), answer(1, {}))),
)


@pytest.mark.parametrize(("code", "step", "actions"), FAILURES)
@pytest.mark.parametrize(
    ("on_error", "following"),
    [({"onError": "stop"}, ""), ({"onError": "continue"}, "bc"), ({"onError": "skip-to:2"}, "c"), ({}, ""),
     ({"allowFailure": True}, "bc")],
)  # fmt: skip
def test_on_error_applies_to_every_kind_of_failure(
    code: str, step: dict[str, Json], actions: tuple[ServerAction, ...], on_error: dict[str, Json], following: str
) -> None:
    sends = any(isinstance(action, Expect) for action in actions)
    later: list[ServerAction] = []
    for number, name in enumerate(following, 2 if sends else 1):
        later += [Expect(name), answer(number, {})]
    conversation = connected(HANDSHAKE, *actions, *later)
    steps: list[Json] = [{**step, **on_error}, {"method": "b"}, {"method": "c"}]
    ended = play(conversation, *steps, variables={"x": "y"}, fail_on_violation=True)

    assert verdicts(ended) == [(0, code), *(("_bc".index(name), None) for name in following)]
    assert (ended.fault is None) is ("allowFailure" in on_error)


# Verdict lines.


def test_each_step_and_the_script_have_a_summary_line() -> None:
    steps: list[Json] = [
        {"method": "a"},
        {"method": "b", "name": "add two numbers"},
        {"method": "c", "name": "wrong sum", "expect": {"/sum": 4, "/x": 1}, "onError": "skip-to:4"},
        {"method": "a", "name": "jumped over"},
        {"method": "a", "name": "may fail", "allowFailure": True},
        {"method": "b", "onError": "stop"},
        {"method": "a", "name": "never"},
    ]
    actions = (
        Expect("a"),
        answer(1, {}),
        Expect("b"),
        Pause(0.012),
        answer(2, {}),
        Expect("c"),
        answer(3, {"sum": 3}),
    )
    more = (Expect("a"), error(4, -32000, "no"), Expect("b"), Pause(0.4), error(5, -32602, "bad"))
    lines, ended = verdict_lines(connected(HANDSHAKE, *actions, *more), *steps)

    assert lines == [
        "ok   1  a   (0 ms)",
        "ok   2  add two numbers   (12 ms)",
        "FAIL 3  wrong sum  /sum: expected 4, got 3",
        "        /x: not found (expected 1); the result has sum",
        "skip 4  jumped over",
        "warn 5  may fail  a failed: -32000 no",
        "FAIL 6  b  b failed: -32602 bad",
        "skip 7  never",
        "7 steps: 2 passed, 2 failed, 1 allowed, 2 skipped in 0.41 s",
    ]
    assert ended.fault_shown


def test_steps_after_a_stopping_failure_have_no_envelope() -> None:
    lines, ended = verdict_lines(connected(HANDSHAKE, *responding("a", failing="a")), {"method": "a"}, {"method": "b"})

    assert (verdicts(ended), lines[1:]) == (
        [(0, "JSON_RPC_ERROR")],
        ["skip 2  b", "2 steps: 1 failed, 1 skipped in 0.00 s"],
    )


# Retries.

RETRY: dict[str, Json] = {"method": "a", "retry": {"times": 2, "interval": "200ms"}}


@pytest.mark.parametrize(("failures", "attempts", "code"), [(0, 1, None), (2, 3, None), (3, 3, "JSON_RPC_ERROR")])
def test_a_step_is_retried_while_it_fails(failures: int, attempts: int, code: str | None) -> None:
    actions: list[ServerAction] = []
    for number in range(1, attempts + 1):
        found = notify("x/n", {"x": number})
        actions += [Expect("a"), found, error(number, -32000, "no") if number <= failures else answer(number, {})]
    conversation = connected(HANDSHAKE, *actions)
    ended = play(conversation, RETRY)

    (one,) = envelopes(ended)
    assert (verdicts(ended), one["attempts"]) == ([(0, code)], attempts)
    assert conversation.clock == pytest.approx(0.2 * (attempts - 1))
    assert (one["durationMs"], [found["params"] for found in one["notifications"]]) == (0.0, [{"x": attempts}])


def test_retry_interval_has_a_default() -> None:
    conversation = connected(HANDSHAKE, *responding("a", failing="a"), Expect("a"), answer(2, {}))
    play(conversation, {"method": "a", "retry": {"times": 1}})

    assert conversation.clock == 1.0


def test_expectations_and_duration_are_checked_on_the_last_attempt() -> None:
    actions = (Expect("a"), answer(1, {"ready": False}), Expect("a"), Pause(1), answer(2, {"ready": True}))
    conversation = connected(HANDSHAKE, *actions, Expect("a"), answer(3, {"ready": True}))
    step: Json = {**RETRY, "expect": {"/ready": True}, "maxDuration": "500ms"}

    assert [one["attempts"] for one in envelopes(play(conversation, step))] == [3]


@pytest.mark.parametrize("ending", [(Expect("a"), Close(LOST)), (Expect("a"), ERROR, Pause(0.1), Close(LOST))])
def test_a_lost_connection_is_not_retried(ending: tuple[ServerAction, ...]) -> None:
    (one,) = envelopes(play(connected(HANDSHAKE, *ending), {**RETRY, "retry": {"times": 5, "interval": "1s"}}))

    assert one["error"]["code"] in {"CONNECTION_LOST", "JSON_RPC_ERROR"}
    assert one["attempts"] <= 2


REFUSED = Unreachable("CONNECTION_REFUSED", "connection refused")


@pytest.mark.parametrize(("failures", "attempts", "code"), [(2, 3, None), (3, 3, "CONNECTION_REFUSED")])
def test_retry_waits_for_a_server_that_is_not_reachable_yet(failures: int, attempts: int, code: str | None) -> None:
    started = (Expect("initialize"), answer(1, INITIALIZED), Expect("a"), answer(2, {}))
    actions = (*[FailToOpen(REFUSED)] * failures, *(() if code else started))
    conversation = starting(*actions, era="handshake")
    lines, ended = verdict_lines(conversation, RETRY)

    assert (verdicts(ended), envelopes(ended)[0]["attempts"]) == ([(0, code)], attempts)
    assert conversation.clock == pytest.approx(0.4)
    assert lines[0] == ("FAIL 1  a  connection refused (after 3 attempts)" if code else "ok   1  a   (0 ms)")


def test_retry_does_not_connect_again_if_that_cannot_succeed() -> None:
    conversation = starting(FailToOpen(Unreachable("COMMAND_NOT_FOUND", "no such program")))
    ended = play(conversation, RETRY)

    assert (verdicts(ended), envelopes(ended)[0]["attempts"]) == ([(0, "COMMAND_NOT_FOUND")], 1)


def test_interrupt_ends_the_wait_for_a_server() -> None:
    conversation = starting(FailToOpen(REFUSED), ReportEvent("note", {}), Close(Interrupted("SIGINT")))
    ended = play(conversation, RETRY, {"method": "b"})

    assert verdicts(ended) == [(0, "INTERRUPTED")]


# Violations.


def test_violation_fails_a_step_only_with_fail_on_violation() -> None:
    actions = (Expect("a"), Write(b"noise\n"), answer(1, {}))

    assert play(connected(HANDSHAKE, *actions), {"method": "a"}).fault is None
    (one,) = envelopes(play(connected(HANDSHAKE, *actions), {"method": "a"}, fail_on_violation=True))
    assert (one["error"]["code"], one["error"]["category"], one["success"]) == ("VIOLATION", "protocol", False)
    assert one["error"]["message"] == "step 1 (a): the server violated the protocol"
    assert one["error"]["details"] == {"evidence": ["not a JSON-RPC message: noise"]}


def test_violation_between_steps_counts_for_the_next_step_or_the_last() -> None:
    actions = (Expect("a"), answer(1, {}), Expect("b"), Write(b"early\n"), answer(2, {}), Expect("c"), answer(3, {}))
    steps: list[Json] = [{"method": name, "onError": "continue"} for name in "abc"]
    lines, ended = verdict_lines(
        connected(HANDSHAKE, *actions, Pause(0.05), Write(b"late\n")), *steps, fail_on_violation=True
    )

    assert verdicts(ended) == [(0, None), (1, "VIOLATION"), (2, "VIOLATION")]
    assert [one["violations"][0]["evidence"] for one in envelopes(ended)[1:]] == ["early", "late"]
    assert ["early" in lines[1], "late" in lines[3]] == [True, True]


def test_log_lines_on_stdout_are_explained_once_for_each_script() -> None:
    noise = Write(b"noise\n")
    actions = (Expect("a"), noise, answer(1, {}), Expect("b"), noise, answer(2, {}))
    steps: list[Json] = [{"method": name, "onError": "continue"} for name in "ab"]
    lines, _ = verdict_lines(connected(HANDSHAKE, *actions), *steps, fail_on_violation=True)

    assert lines[:-1] == [
        "FAIL 1  a  not a JSON-RPC message: noise",
        "        stdout may contain only MCP messages; servers must log to stderr",
        "FAIL 2  b  not a JSON-RPC message: noise",
    ]


def test_violation_after_a_violation_that_ends_the_script_counts_for_the_same_step() -> None:
    actions = (Expect("a"), Write(b"early\n"), answer(1, {}), Pause(0.05), Write(b"late\n"))
    ended = play(connected(HANDSHAKE, *actions), {"method": "a"}, {"method": "b"}, fail_on_violation=True)

    (one,) = envelopes(ended)
    assert [violation["evidence"] for violation in one["violations"]] == ["early", "late"]


def test_handshake_violation_counts_for_the_first_step() -> None:
    actions = (Expect("initialize"), Write(b"banner\n"), answer(1, INITIALIZED), Expect("a"), answer(2, {}))
    ended = play(starting(*actions, era="handshake"), {"method": "a"}, fail_on_violation=True)

    assert verdicts(ended) == [(0, "VIOLATION")]


@pytest.mark.parametrize("fail_on_violation", [False, True])
def test_violations_are_listed_below_another_failure(*, fail_on_violation: bool) -> None:
    actions = (Expect("a"), Write(b"noise\n"), error(1, -32000, "no"))
    lines, ended = verdict_lines(connected(HANDSHAKE, *actions), {"method": "a"}, fail_on_violation=fail_on_violation)

    assert verdicts(ended) == [(0, "JSON_RPC_ERROR")]
    assert lines[:2] == ["FAIL 1  a  a failed: -32000 no", "        warning: not a JSON-RPC message: noise"]


@pytest.mark.parametrize("shown", [False, True])
def test_violations_are_listed_below_the_step_during_which_they_happened(*, shown: bool) -> None:
    actions = (Expect("a"), Write(b"noise\n"), answer(1, {}), Expect("b"), answer(2, {}))
    lines: list[str] = []
    log = ScriptLog(lambda _, step_lines: lines.extend(step_lines()), shown)
    play(connected(HANDSHAKE, *actions), {"method": "a"}, {"method": "b"}, log=log)

    warned = [
        "        warning: not a JSON-RPC message: noise",
        "        stdout may contain only MCP messages; servers must log to stderr",
    ]
    assert lines[1:-1] == [*(warned if shown else []), "ok   2  b   (0 ms)"]


def test_violation_in_an_earlier_attempt_fails_the_step() -> None:
    actions = (Expect("a"), Write(b"noise\n"), error(1, -32000, "no"), Expect("a"), answer(2, {}))
    (one,) = envelopes(play(connected(HANDSHAKE, *actions), RETRY, fail_on_violation=True))

    assert (one["error"]["code"], one["attempts"], len(one["violations"])) == ("VIOLATION", 2, 1)


def test_violation_failure_can_be_allowed() -> None:
    actions = (Expect("a"), Write(b"noise\n"), answer(1, {}))
    lines, ended = verdict_lines(
        connected(HANDSHAKE, *actions), {"method": "a", "allowFailure": True}, fail_on_violation=True
    )

    assert (ended.fault, lines[0][:4]) == (None, "warn")


# Lost connections.


def test_url_of_an_http_server_that_was_started_over_stdio_is_suggested() -> None:
    banner = Write(b"Server listening on http://localhost:3000/mcp\n")
    conversation = starting(Expect("initialize"), banner, Close(Exited("node", "", 1)), era="handshake")
    ended = play(conversation, {"method": "a"})

    assert isinstance(ended.fault, Exited)
    assert [hint.partition(": ")[2] for hint in ended.fault.hints] == ["mcpi tools/list http://localhost:3000/mcp"]


@pytest.mark.parametrize("on_error", ["stop", "continue", "skip-to:2"])
def test_a_lost_connection_always_ends_the_script(on_error: str) -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Close(LOST))
    lines, ended = verdict_lines(conversation, {"method": "a", "onError": on_error}, {"method": "b"}, {"wait": "x/n"})

    assert (verdicts(ended), ended.fault) == ([(0, "CONNECTION_LOST")], LOST)
    assert lines == [
        "FAIL 1  a  the pipe broke",
        "skip 2  b",
        "skip 3  wait x/n",
        "3 steps: 1 failed, 2 skipped in 0.00 s",
    ]


def test_connection_lost_in_an_allowed_failure_fails_unless_it_is_the_last_step() -> None:
    step: Json = {"method": "a", "allowFailure": True}
    lines, ended = verdict_lines(connected(HANDSHAKE, Expect("a"), Close(LOST)), step, {"method": "b"})
    assert (ended.fault, lines[0]) == (LOST, "FAIL 1  a  the pipe broke")

    lines, ended = verdict_lines(connected(HANDSHAKE, Expect("a"), Close(LOST)), step)
    assert (ended.fault, lines[0]) == (None, "warn 1  a  the pipe broke")


def test_request_on_a_lost_connection_ends_the_script_without_retry() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), FailRequest(1, LOST))
    ended = play(conversation, {**RETRY, "onError": "continue"}, {"method": "b"})

    assert (verdicts(ended), envelopes(ended)[0]["attempts"]) == ([(0, "CONNECTION_LOST")], 1)


def test_connection_lost_after_a_response_fails_the_next_step() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {}), Close(LOST))
    ended = play(conversation, {"method": "a"}, {"method": "b"}, {"method": "c"})

    assert verdicts(ended) == [(0, None), (1, "CONNECTION_LOST")]


def test_refused_connection_ends_the_script() -> None:
    refused = Unreachable("CONNECTION_REFUSED", "connection refused")
    conversation = starting(FailToOpen(refused))
    ended = play(conversation, {"method": "a", "onError": "continue"}, {"method": "b"})

    assert (verdicts(ended), ended.fault) == ([(0, "CONNECTION_REFUSED")], evolve(refused, hints=(STARTING,)))


def test_exit_code_of_the_server_is_in_the_envelope() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Close(Exited("node", "", 3)))
    conversation.session.times.start = 0.0
    ended = play(conversation, {"method": "a"})

    assert [one["connection"]["exitCode"] for one in envelopes(ended)] == [3]
    assert ended.fault == Exited("node", "a", 3)


@pytest.mark.parametrize(("during", "shown"), [((), ["stderr before this step:", "old"]), (("new",), ["new"])])
def test_exited_server_shows_what_it_wrote_during_the_step(during: tuple[str, ...], shown: list[str]) -> None:
    lines: list[str] = []
    log = ScriptLog(lambda _, step_lines: lines.extend(step_lines()))
    conversation = connected(HANDSHAKE, Expect("a"), Close(Exited("node", "", 3, stderr=("old", *during))))
    runner = script_runner(conversation, {"method": "a"}, log=log)
    for line in during:
        runner.transcript.add_stderr_line(line)
    conversation.run(runner.run())

    assert lines[0] == "FAIL 1  a  the server 'node' exited with code 3 during a"
    assert lines[1:-1] == [f"        {line}" for line in shown]


def test_interrupt_ends_the_script_immediately() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Close(Interrupted("SIGINT")))
    ended = play(conversation, {"method": "a", "onError": "continue"}, {"method": "b"})

    assert (verdicts(ended), ended.fault) == ([(0, "INTERRUPTED")], Interrupted("SIGINT"))


@pytest.mark.parametrize("step", [{"method": "a"}, {"wait": "x/n"}, {"method": "later"}])
def test_interrupt_cannot_be_an_allowed_failure(step: dict[str, Json]) -> None:
    conversation = connected(HANDSHAKE, Close(Interrupted("SIGTERM")))
    ended = play(conversation, {**step, "allowFailure": True}, {"method": "b"})

    assert (verdicts(ended), ended.fault) == ([(0, "INTERRUPTED")], Interrupted("SIGTERM"))


def test_interrupt_does_not_replace_an_earlier_failure() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), error(1, -32000, "no"), Expect("b"), Close(Interrupted("SIGINT")))
    ended = play(conversation, {"method": "a", "onError": "continue"}, {"method": "b"})

    assert isinstance(ended.fault, RpcError)


# Any failures.

JUMPS = st.sampled_from(["stop", "continue", "skip-to:1", "skip-to:2", "skip-to:3", "skip-to:4"])
STEP = st.fixed_dictionaries({"method": st.just("a"), "onError": JUMPS, "allowFailure": st.booleans()})


def executed_steps(steps: list[dict[str, Any]], fails: list[bool]) -> list[tuple[int, bool]]:
    """The steps that are run, and whether each fails."""
    taken: list[tuple[int, bool]] = []
    index = 0
    while index < len(steps):
        taken.append((index, fails[index]))
        wish = steps[index]["onError"] if fails[index] else "continue"
        index = {"stop": len(steps), "continue": index + 1}.get(wish) or int(wish.removeprefix("skip-to:"))
    return taken


@given(st.lists(STEP, max_size=4), st.lists(st.booleans(), min_size=4, max_size=4))
def test_script_only_moves_forward_and_ends_for_any_failures(steps: list[dict[str, Any]], fails: list[bool]) -> None:
    if isinstance(parse("s.json", dump(steps), CATALOG, {}), Failure):
        return
    taken = executed_steps(steps, fails)
    actions: list[ServerAction] = []
    for number, (_, failed) in enumerate(taken, 1):
        actions += [Expect("a"), error(number, -32000, "no") if failed else answer(number, {})]
    ended = play(connected(HANDSHAKE, *actions), *steps)

    assert len(taken) <= len(steps)
    assert verdicts(ended) == [(index, "JSON_RPC_ERROR" if failed else None) for index, failed in taken]
    assert (ended.fault is None) is all(steps[index]["allowFailure"] for index, failed in taken if failed)


def test_step_waits_for_debugger_hits() -> None:
    hit: Json = {"type": "number", "value": 1}
    conversation = connected(
        HANDSHAKE, Expect("a"), answer(1, {}), ReportEvent("debug", hit), Expect("b"), answer(2, {})
    )
    made = script_runner(conversation, {"method": "a"}, {"method": "b"})
    conversation.session.debugged = True
    made.transcript.debug = {}
    ended = conversation.run(made.run())

    assert [one["debug"] for one in envelopes(ended)] == [{"results": [hit]}, {"results": []}]
    assert [what for _, what in conversation.log if what in {"a", "b", "flush"}] == ["a", "flush", "b", "flush"]


def test_duration_of_a_step_does_not_include_connecting() -> None:
    actions = (Expect("initialize"), Pause(5), answer(1, INITIALIZED), Expect("a"), Pause(2), answer(2, {}))
    conversation = starting(*actions, Expect("b"), Pause(1), answer(3, {}), era="handshake")
    ended = play(conversation, {"method": "a", "maxDuration": "3s"}, {"method": "b"})

    assert [(one["durationMs"], one["error"]) for one in envelopes(ended)] == [(2000.0, None), (1000.0, None)]


def test_duration_of_a_failed_connection_is_that_of_the_attempt() -> None:
    conversation = starting(Expect("initialize"), Pause(5), Close(LOST), era="handshake")
    (one,) = envelopes(play(conversation, {"method": "a"}))

    assert one["durationMs"] == 5000.0


def test_envelopes_are_written_whole_for_reports() -> None:
    conversation = connected(HANDSHAKE, *responding("a", "b"))
    writer = EnvelopeWriter(compact=True)
    play(conversation, {"method": "a"}, {"method": "b"}, writer=writer, reports=True)

    assert [one["method"] for one in json.loads(writer.text)] == ["a", "b"]


def test_request_of_a_skipped_step_is_not_sent() -> None:
    conversation = connected(HANDSHAKE, *responding("a", "c", failing="a"))
    ended = play(conversation, {"method": "a", "onError": "skip-to:2"}, {"method": "b"}, {"method": "c"})

    assert [index for index, _ in verdicts(ended)] == [0, 2]
    assert sent_methods(conversation) == ["a", "c"]


def test_step_without_the_capability_fails_after_the_step_before() -> None:
    conversation = connected(HANDSHAKE, *responding("a", "b"))
    ended = play(conversation, {"method": "a"}, {"method": "prompts/list", "onError": "continue"}, {"method": "b"})

    assert verdicts(ended) == [(0, None), (1, "CAPABILITY_MISSING"), (2, None)]
