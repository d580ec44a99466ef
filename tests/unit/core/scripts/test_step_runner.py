"""Execution of one step: timeout, variables, expectations, captures and waits for notifications."""

import pytest
from attrs import evolve

from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import (
    Invalid,
    OperationFailed,
    Unreachable,
)
from mcpi.core.plans.events import DeadlineReached, Event, TransportNote
from mcpi.core.plans.plan import PlanResult
from mcpi.core.record.output_checker import REASON
from mcpi.core.record.transcript import Transcript
from mcpi.core.scripts.judge import EXPECT_ERROR, EXPECT_TOOL_ERROR, check_expectations, expectation_failed
from mcpi.core.scripts.player import ScriptOptions, ScriptRunner
from mcpi.core.scripts.script import parse
from mcpi.core.session.retry import STARTING
from mcpi.core.session.session import MAX_EVENTS
from support.constants import LOST
from support.conversation import (
    Close,
    Expect,
    FailToOpen,
    Pause,
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
from support.script_runs import (
    CALL,
    CATALOG,
    HANDSHAKE,
    INITIALIZED,
    envelopes,
    play,
    script_runner,
    sent_methods,
    support_check,
    verdicts,
)

# Validation.


def test_results_of_tools_are_validated_with_one_list_of_tools() -> None:
    listed: Json = {"tools": [{"name": "echo", "outputSchema": {}}]}
    conversation = connected(
        HANDSHAKE,
        *(Expect("tools/call"), answer(1, {"content": []}), Expect("tools/list"), answer(2, listed)),
        *(Expect("tools/call"), answer(3, {"structuredContent": 1})),
    )
    ended = play(conversation, CALL, CALL, validate=True)

    found = [[one["rule"] for one in step["violations"]] for step in envelopes(ended)]
    assert found == [["output-schema"], []]
    assert [one["reason"] for one in envelopes(ended)[0]["implicit"]] == [REASON]


def test_script_with_an_invalid_step_is_not_validated() -> None:
    step: Json = {"method": "at/once", "word": "${x}"}

    ended = play(connected(HANDSHAKE), step, variables={"x": "y"}, validate=True)
    assert verdicts(ended) == [(0, "TASK_FAILED")]


MISSPELLED = "the tool 'echo' has no argument 'txet' (did you mean text?)"
LISTED: Json = {"tools": [{"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {}}}}]}


@pytest.mark.parametrize(
    ("step", "result", "warnings"),
    [
        ({"toolArgs": {"txet": 1}}, answer(2, {}), [MISSPELLED]),
        ({"toolArgs": {"text": 1}}, answer(2, {}), []),
        ({}, answer(2, {}), []),
        ({"toolName": "other", "toolArgs": {"txet": 1}}, answer(2, {}), []),
        ({"toolArgs": {"txet": 1}}, error(2, -32602, "no"), []),
        ({"toolArgs": {"txet": 1}, "expect": {"/isError": True}}, answer(2, {"isError": True}), [MISSPELLED]),
        ({"toolArgs": {"txet": 1}, "failOnError": False}, answer(2, {"isError": True}), [MISSPELLED]),
        ({"toolArgs": {"txet": 1}, "expect": {"/error/code": -32602}}, error(2, -32602, "no"), [MISSPELLED]),
        ({"toolArgs": {"txet": 1}}, answer(2, {"isError": True}), []),
        ({"toolArgs": {"txet": 1}, "expect": {"/a": 1}}, answer(2, {}), [MISSPELLED]),
        ({"toolArgs": {"txet": 1}, "expect": {"/a": 1}}, answer(2, {"isError": True}), [MISSPELLED]),
    ],
)
def test_argument_that_a_listed_tool_does_not_have_is_warned_of(
    step: dict[str, Json], result: ServerAction, warnings: list[str]
) -> None:
    conversation = connected(HANDSHAKE, Expect("tools/list"), answer(1, LISTED), Expect("tools/call"), result)
    runner = script_runner(
        conversation, {"method": "tools/list", "params": {}}, {"method": "tools/call", "toolName": "echo", **step}
    )
    events: list[Event] = []
    conversation.session.record = events.append
    conversation.run(runner.run())

    found = [one.facts for one in events if isinstance(one, TransportNote)]
    assert found == [{"reason": one} for one in warnings]


def test_every_call_after_a_list_is_checked() -> None:
    conversation = connected(
        HANDSHAKE,
        *(Expect("tools/list"), answer(1, LISTED)),
        *(Expect("tools/call"), answer(2, {}), Expect("tools/call"), answer(3, {})),
    )
    call: Json = {"method": "tools/call", "toolName": "echo", "toolArgs": {"txet": 1}}
    runner = script_runner(conversation, {"method": "tools/list", "params": {}}, call, call)
    events: list[Event] = []
    conversation.session.record = events.append
    conversation.run(runner.run())

    assert len([one for one in events if isinstance(one, TransportNote)]) == 2


def test_expected_error_of_an_unknown_tool_is_warned_of() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/call"), answer(1, {"isError": True}))
    runner = script_runner(conversation, {"method": "tools/call", "toolName": "unknown", "expect": {"/isError": True}})
    events: list[Event] = []
    conversation.session.record = events.append
    conversation.run(runner.run())

    assert [one.facts for one in events if isinstance(one, TransportNote)] == [{"reason": "unknown tool 'unknown'"}]


def test_argument_of_a_tool_that_was_not_listed_is_not_checked() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/call"), answer(1, {}))
    ended = play(conversation, {"method": "tools/call", "toolName": "echo", "toolArgs": {"txet": 1}})

    assert verdicts(ended) == [(0, None)]
    assert sent_methods(conversation) == ["tools/call"]


# Timeouts.


def test_step_can_have_its_own_timeout() -> None:
    conversation = connected(HANDSHAKE, Expect("b"), Pause(4), answer(2, {}))
    steps: list[Json] = [{"method": "a", "timeout": "1s", "onError": "continue"}, {"method": "b"}]
    ended = play(conversation, *steps, fail_on_error=False)

    assert verdicts(ended) == [(0, "REQUEST_TIMEOUT"), (1, None)]
    assert [one["durationMs"] for one in envelopes(ended)] == [1000.0, 4000.0]
    assert sent_methods(conversation) == ["a", "notifications/cancelled", "b"]


def test_longer_step_timeout_overrides_the_default_total_timeout() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Pause(400), answer(1, {}), timeout=1.0)

    assert verdicts(play(conversation, {"method": "a", "timeout": "10m"})) == [(0, None)]
    assert (conversation.session.terms.timeout, conversation.session.terms.total_timeout) == (1.0, 300.0)


def test_explicit_total_timeout_limits_the_step_timeout() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), timeout=1.0, max_total_timeout=2.0)
    ended = play(conversation, {"method": "a", "timeout": "10s"})

    assert [verdicts(ended), conversation.clock] == [[(0, "REQUEST_TIMEOUT")], 2.0]


def test_terms_extended_by_a_step_persist() -> None:
    conversation = connected(HANDSHAKE, Expect("later"), answer(1, {}))
    play(conversation, {"method": "later", "timeout": "9s"})

    assert conversation.session.terms.log_level == "info"
    assert conversation.session.terms.timeout == 30.0


# Captures.


def test_captured_value_is_sent_by_a_later_step_with_its_type() -> None:
    conversation = connected(
        HANDSHAKE,
        Expect("a"),
        answer(1, Exact('{"id":1.50,"o":{"s":"x"}}', {"id": 1.5, "o": {"s": "x"}})),
        Expect("tools/call"),
        answer(2, {}),
        Expect("v/x"),
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
    assert conversation.messages[1]["params"] == {
        "name": "x",
        "arguments": {"id": 1.5, "text": "id 1.50"},
        "_meta": {"progressToken": 2},
    }
    assert b'"id":1.50,' in conversation.sent[1].data
    assert conversation.messages[2]["params"] == {"all": [{"s": "x"}, "w"]}


def test_capture_overwrites_an_earlier_value() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {"n": 2}), Expect("v/x"), answer(2, {}))
    capture: Json = {"method": "a", "capture": {"n": "/n"}}
    play(conversation, capture, {"method": "v/x", "params": {"n": "${n}"}}, variables={"n": 1})

    assert conversation.messages[1]["params"] == {"n": 2}


def test_the_whole_result_can_be_captured() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {"n": 2}), Expect("v/x"), answer(2, {}))
    play(conversation, {"method": "a", "capture": {"all": ""}}, {"method": "v/x", "params": {"it": "${all}"}})

    assert conversation.messages[1]["params"] == {"it": {"n": 2}}


def test_unresolvable_capture_pointer_fails_the_step() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {"n": 2}))
    ended = play(conversation, {"method": "a", "capture": {"n": "/n", "x": "/x", "y": "/y"}}, {"method": "b"})

    problem = "step 1 (a): cannot capture x: the result has no /x"
    failure = "/x: not found, so it cannot be captured as x; the result has n"
    assert ended.fault == OperationFailed("EXPECTATION_FAILED", problem, (failure,), {"failures": [failure]})
    assert envelopes(ended)[0]["result"] == {"n": 2}


def test_capture_with_a_path_suggests_the_pointer() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {"n": [2]}))
    ended = play(conversation, {"method": "a", "capture": {"x": "/n[0]"}})

    failure = "/n[0]: not found, so it cannot be captured as x; did you mean /n/0?"
    assert envelopes(ended)[0]["error"]["details"] == {"failures": [failure]}


def test_failed_step_captures_available_values_and_keeps_its_fault() -> None:
    conversation = connected(
        HANDSHAKE, Expect("tools/call"), answer(1, {"isError": True}), Expect("v/x"), answer(2, {})
    )
    steps: list[Json] = [
        {**CALL, "onError": "continue", "capture": {"bad": "/isError", "x": "/x"}},
        {"method": "v/x", "params": {"bad": "${bad}"}},
    ]
    ended = play(conversation, *steps)

    assert verdicts(ended) == [(0, "TOOL_ERROR"), (1, None)]
    assert conversation.messages[1]["params"] == {"bad": True}


@pytest.mark.parametrize(
    "step",
    [
        {"method": "tools/call", "toolName": "${id}"},
        {"method": "v/x", "params": {"id": "${id}"}},
        {"method": "b", "expect": {"/id": "${id}"}},
        {"wait": "x/n", "expect": {"/id": "${id}"}},
    ],
)
def test_variable_that_was_not_captured_fails_the_step_before_the_request(
    step: dict[str, Json],
) -> None:
    conversation = connected(HANDSHAKE, Expect("a"), error(1, -32000, "no"))
    ended = play(conversation, {"method": "a", "onError": "continue", "capture": {"id": "/id"}}, {**step, "name": "x"})

    assert verdicts(ended) == [(0, "JSON_RPC_ERROR"), (1, "INVALID_ARGUMENT")]
    assert envelopes(ended)[1]["error"]["message"] == (
        "step 2 (x): the variable ${id} has no value because the step that captures it failed or was skipped"
    )
    assert sent_methods(conversation) == ["a"]


def test_step_without_a_result_captures_nothing() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), error(1, -32000, "no"))
    steps: list[Json] = [
        {"method": "a", "onError": "continue", "capture": {"all": ""}},
        {"method": "v/x", "params": {"it": "${all}"}},
    ]

    assert verdicts(play(conversation, *steps)) == [(0, "JSON_RPC_ERROR"), (1, "INVALID_ARGUMENT")]


def test_invalid_variable_value_for_a_flag_fails_before_the_request() -> None:
    conversation = connected(HANDSHAKE)
    ended = play(conversation, {**CALL, "count": "${n}"}, variables={"n": "many"})

    assert envelopes(ended)[0]["error"]["message"] == "tools/call: count: expected a number, found string"
    assert conversation.messages == []


def test_invalid_variable_value_for_an_operator_fails_before_the_request() -> None:
    conversation = connected(HANDSHAKE)
    ended = play(conversation, {"method": "a", "expect": {"/x": {"length": "${n}"}}}, variables={"n": "3"})

    assert verdicts(ended) == [(0, "INVALID_ARGUMENT")]
    assert envelopes(ended)[0]["error"]["message"] == 'step 1 (a): expect: /x: length must be a number, found "3"'
    assert conversation.messages == []


# Expectations.


def test_result_that_meets_all_expectations_succeeds() -> None:
    conversation = connected(
        HANDSHAKE, Expect("a"), answer(1, {"isError": False, "content": [{"text": "ok then"}], "n": 5})
    )
    expected: Json = {"/isError": False, "/content/0/text": {"matches": "^ok"}, "/n": "${n}"}
    ended = play(conversation, {"method": "a", "expect": expected}, variables={"n": 5})

    assert (verdicts(ended), ended.fault) == ([(0, None)], None)


def test_all_unmet_expectations_are_listed_and_the_result_is_kept() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {"n": 5, "m": 6}))
    ended = play(
        conversation, {"method": "a", "name": "sum", "expect": {"/n": 5, "/m": {"lessThan": 6}, "/x": {"exists": True}}}
    )

    failures = ("/m: expected lessThan 6, got 6", "/x: not found (expected exists true); the result has n, m")
    assert ended.fault == OperationFailed(
        "EXPECTATION_FAILED",
        "step 1 (sum): 2 of 3 expectations failed",
        failures,
        {"failures": list(failures)},
    )
    (one,) = envelopes(ended)
    assert (one["result"], one["error"]["details"]) == ({"n": 5, "m": 6}, {"failures": list(failures)})


def test_expected_tool_error_is_a_success() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/call"), answer(1, {"isError": True}))
    ended = play(conversation, {**CALL, "expect": {"/isError": True}})

    assert (verdicts(ended), ended.fault) == ([(0, None)], None)


def test_unexpected_tool_error_fails_the_expectation() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/call"), answer(1, {"isError": True}))

    assert verdicts(play(conversation, {**CALL, "expect": {"/isError": False}})) == [(0, "EXPECTATION_FAILED")]


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (CALL, "the tool 'echo' reports an error: it broke"),
        ({"method": "tools/call", "params": {"name": "y"}}, "the tool 'y' reports an error: it broke"),
        ({"method": "tasks/result", "params": {"taskId": "t"}}, "the tool reports an error: it broke"),
    ],
)
def test_unexpected_tool_error_comes_before_the_failed_expectations(step: dict[str, Json], reason: str) -> None:
    result: Json = {"isError": True, "content": [{"type": "text", "text": "it\nbroke"}]}
    conversation = connected(HANDSHAKE, Expect(str(step["method"])), answer(1, result))
    ended = play(conversation, {**step, "name": "s", "expect": {"/n": 5}}, fail_on_error=False)

    failures = [reason, "/n: not found (expected 5); the result has isError, content"]
    (one,) = envelopes(ended)
    assert one["error"]["message"] == "step 1 (s): 1 of 1 expectations failed"
    assert one["error"]["details"] == {"failures": failures}


@pytest.mark.parametrize(
    ("expected", "hints"),
    [
        ({"/error/code": -32602}, [EXPECT_TOOL_ERROR]),
        ({"/content/0/text": {"contains": "broke"}}, [EXPECT_TOOL_ERROR]),
        ({"/content/0/text": "works"}, []),
        ({"/isError": False, "/error/code": -32602}, []),
    ],
)
@pytest.mark.parametrize("tool", ["echo", "unknown"])
def test_step_that_expects_an_error_is_told_how_to_expect_a_tool_error(
    tool: str, expected: Json, hints: list[str]
) -> None:
    result: Json = {"isError": True, "content": [{"type": "text", "text": "it broke"}]}
    conversation = connected(HANDSHAKE, Expect("tools/call"), answer(1, result))
    (one,) = envelopes(play(conversation, {**CALL, "toolName": tool, "expect": expected}))

    assert one["error"].get("hints", []) == hints


def test_expected_tool_error_is_not_among_the_failures() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/call"), answer(1, {"isError": True}))
    (one,) = envelopes(play(conversation, {**CALL, "expect": {"/isError": True, "/n": 5}}))

    assert one["error"]["details"] == {"failures": ["/n: not found (expected 5); the result has isError"]}


NO_ERROR = "the server sent a result, not a JSON-RPC error"
NOT_FOUND: Json = {"code": -32002, "message": "Resource not found"}


def rejected(expect: Json) -> PlanResult:
    return play(
        connected(HANDSHAKE, Expect("a"), error(1, -32002, "Resource not found")), {"method": "a", "expect": expect}
    )


def test_expected_error_of_the_server_is_a_success_with_the_error_as_result() -> None:
    ended = rejected({"/error/code": -32002, "/error/message": {"contains": "not found"}})

    assert (verdicts(ended), ended.fault) == ([(0, None)], None)
    assert envelopes(ended)[0]["result"] == {"error": NOT_FOUND}


def test_another_error_than_the_expected_one_fails_the_step() -> None:
    ended = rejected({"/error/code": -32601})

    assert verdicts(ended) == [(0, "EXPECTATION_FAILED")]
    assert envelopes(ended)[0]["error"]["details"] == {"failures": ["/error/code: expected -32601, got -32002"]}
    assert envelopes(ended)[0]["result"] == {"error": NOT_FOUND}


def test_result_instead_of_the_expected_error_fails_the_step() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {}))
    ended = play(conversation, {"method": "a", "expect": {"/error": {"exists": True}}})

    assert envelopes(ended)[0]["error"]["details"] == {
        "failures": [f"/error: not found (expected exists true); {NO_ERROR}"]
    }


def test_error_instead_of_an_expected_tool_error_has_a_hint() -> None:
    (one,) = envelopes(rejected({"/isError": True}))

    assert one["error"]["hints"] == [EXPECT_ERROR]


@pytest.mark.parametrize("member", ["code", "message"])
def test_pointer_into_the_error_without_its_first_step_has_a_hint(member: str) -> None:
    (one,) = envelopes(rejected({f"/{member}": -32002, "/other": 1, "": 1}))

    assert one["error"]["code"] == "JSON_RPC_ERROR"
    assert one["error"]["hints"] == [
        f"the JSON-RPC error is at /error: write /error/{member} instead of /{member}",
    ]


def test_expectations_are_not_checked_for_a_failed_request() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), error(1, -32000, "no"))

    assert verdicts(play(conversation, {"method": "a", "expect": {"/x": 1}})) == [(0, "JSON_RPC_ERROR")]


@pytest.mark.parametrize(("problems", "code"), [((), None), ((("/n", "is odd"),), "EXPECTATION_FAILED")])
def test_schema_expectation_uses_the_validator(problems: tuple[tuple[str, str], ...], code: str | None) -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {"o": {"n": 5}}))
    conversation.problems = problems
    ended = play(conversation, {"method": "a", "expect": {"/o": {"schema": {"type": "object"}}}})

    assert conversation.validated == [({"n": 5}, {"type": "object"})]
    assert verdicts(ended) == [(0, code)]


@pytest.mark.parametrize(
    "ended",
    [PlanResult({"a": 1}), PlanResult(None, LOST), PlanResult({"a": 1}, OperationFailed("TOOL_ERROR", "no"))],
)
def test_result_without_expectations_is_unchanged(ended: PlanResult) -> None:
    assert connected(HANDSHAKE).run(check_expectations("x", (), ended)) is ended


def test_error_of_an_unknown_tool_can_be_expected() -> None:
    unknown = Invalid("INVALID_ARGUMENT", "toolName", "unknown tool 'x'")
    ended = PlanResult({"isError": True, "n": 1}, unknown)
    expected = Expectation("/isError", "equals", expected=True)
    other = Expectation("/n", "equals", 1)

    assert connected(HANDSHAKE).run(check_expectations("x", (expected,), ended)).fault is None
    assert connected(HANDSHAKE).run(check_expectations("x", (other,), ended)).fault == unknown

    rpc = Expectation("/error/code", "equals", -32602)
    fault = connected(HANDSHAKE).run(check_expectations("x", (rpc,), ended)).fault

    assert isinstance(fault, OperationFailed)
    assert fault.evidence == ("unknown tool 'x'", f"/error/code: not found (expected -32602); {NO_ERROR}")


def test_result_of_a_composed_method_is_checked() -> None:
    expected = (Expectation("/a/b", "equals", 1), Expectation("/a/b", "equals", 2))
    ended = connected(HANDSHAKE).run(check_expectations("the result", expected, PlanResult({"a": exact({"b": 1})})))

    message = "/a/b: expected 2, got 1"
    problem = "the result: 1 of 2 expectations failed"
    assert ended.fault == OperationFailed("EXPECTATION_FAILED", problem, (message,), {"failures": [message]})


# Waiting for notifications.


def test_wait_finds_a_notification_received_during_the_previous_step() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), notify("x/n", {"x": 1}), answer(1, {}))
    ended = play(conversation, {"method": "a"}, {"wait": "x/n", "name": "news"})

    (_, waited) = envelopes(ended)
    assert (waited["result"], waited["wait"], waited["method"], waited["name"]) == ({"x": 1}, "x/n", None, "news")
    assert (waited["durationMs"], ended.fault) == (0.0, None)


def test_wait_blocks_until_a_later_notification() -> None:
    conversation = connected(
        HANDSHAKE, Expect("a"), answer(1, {}), Pause(2), notify("x/m"), Pause(1), notify("x/n", {"x": 1})
    )
    ended = play(conversation, {"method": "a"}, {"wait": "x/n"})

    assert [one["durationMs"] for one in envelopes(ended)] == [0.0, 3000.0]


def test_wait_ignores_notifications_received_before_the_last_call() -> None:
    conversation = connected(
        HANDSHAKE,
        Expect("a"),
        notify("x/n", {"x": 1}),
        answer(1, {}),
        Expect("b"),
        answer(2, {}),
        Pause(1),
        notify("x/n", {"x": 2}),
    )
    ended = play(conversation, {"method": "a"}, {"method": "b"}, {"wait": "x/n"})

    assert envelopes(ended)[2]["result"] == {"x": 2}


def test_notifications_skipped_by_a_wait_are_discarded_by_the_next_call() -> None:
    actions = (Expect("a"), notify("x/n", {"x": 1}), notify("x/m"), answer(1, {}), Expect("b"), answer(2, {}))
    conversation = connected(HANDSHAKE, *actions, Pause(1), notify("x/n", {"x": 2}))
    ended = play(conversation, {"method": "a"}, {"wait": "x/m"}, {"method": "b"}, {"wait": "x/n"})

    assert envelopes(ended)[3]["result"] == {"x": 2}


def test_consecutive_waits_match_notifications_in_any_order() -> None:
    news = (notify("x/n", {"x": 1}), notify("x/m", {"y": 1}), notify("x/n", {"x": 2}))
    conversation = connected(HANDSHAKE, Expect("a"), *news, answer(1, {}), Pause(1), notify("x/n", {"x": 3}))
    ended = play(conversation, {"method": "a"}, {"wait": "x/m"}, {"wait": "x/n"}, {"wait": "x/n"}, {"wait": "x/n"})

    assert [one["result"] for one in envelopes(ended)[1:]] == [{"y": 1}, {"x": 1}, {"x": 2}, {"x": 3}]


def test_wait_matches_the_first_notification_that_meets_the_expectations() -> None:
    news = (notify("x/n", {"x": 1}), notify("x/n"), notify("x/n", {"x": 2, "y": 3}))
    conversation = connected(HANDSHAKE, Expect("a"), *news, answer(1, {}))
    steps: list[Json] = [
        {"wait": "x/n", "expect": {"/x": "${x}"}, "capture": {"y": "/y"}},
        {"wait": "x/n"},
        {"wait": "x/n"},
    ]
    ended = play(conversation, {"method": "a"}, *steps, {"wait": "x/n", "timeout": 0}, variables={"x": 2})

    assert [one["result"] for one in envelopes(ended)[1:]] == [{"x": 2, "y": 3}, {"x": 1}, {}, None]


def test_notification_params_can_be_captured() -> None:
    conversation = connected(
        HANDSHAKE, Expect("a"), notify("x/n", {"id": 7}), answer(1, {}), Expect("v/x"), answer(2, {})
    )
    steps: list[Json] = [{"method": "a"}, {"wait": "x/n", "capture": {"id": "/id"}}]
    play(conversation, *steps, {"method": "v/x", "params": {"id": "${id}"}})

    assert conversation.messages[1]["params"] == {"id": 7}


def test_notification_schema_is_checked_once() -> None:
    conversation = connected(HANDSHAKE, notify("x/n", {"x": 1}))
    ended = play(conversation, {"wait": "x/n", "expect": {"/x": {"schema": True}}})

    assert (conversation.validated, verdicts(ended)) == ([(1, True)], [(0, None)])


def test_notification_can_be_checked_against_a_schema() -> None:
    conversation = connected(HANDSHAKE, notify("x/n", {"x": 1}))
    conversation.problems = (("", "no"),)
    ended = play(conversation, {"wait": "x/n", "expect": {"/x": {"schema": False}}, "timeout": "1s"})

    assert conversation.validated == [(1, False)] * 2
    assert verdicts(ended) == [(0, "EXPECTATION_FAILED")]


def test_plugin_hints_are_in_the_envelope() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), error(1, -32000, "no"))
    ended = play(conversation, {"method": "a"}, hints=lambda _: ("ask again",))

    assert envelopes(ended)[0]["error"]["hints"] == ["ask again"]
    assert ended.fault is not None
    assert ended.fault.hints == ("ask again",)


def test_unmatched_wait_times_out() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Pause(1), answer(1, {}), Pause(1), notify("x/m"), timeout=30.0)
    ended = play(conversation, {"method": "a"}, {"wait": "x/n", "timeout": "2s"}, {"method": "b"})

    seen = line({"method": "x/m"}).decode().strip()
    assert envelopes(ended)[1]["error"] == {
        "category": "transport",
        "code": "REQUEST_TIMEOUT",
        "message": "x/n did not arrive within 2 s",
        "retryable": True,
        "helpUrl": "https://github.com/mcpi-cli/mcpi/blob/main/docs/errors.md#request-timeout",
        "hints": [],
        "details": {"waitedMs": 2000.0, "outstanding": "x/n", "lastSeen": seen},
    }
    assert (len(envelopes(ended)), conversation.clock) == (2, 3.0)


def test_wait_lists_the_unmet_expectations_of_the_last_notification_that_arrived() -> None:
    conversation = connected(
        HANDSHAKE, notify("x/n", {"level": "info"}), notify("x/m"), notify("x/n", {"level": "debug"})
    )
    expect: Json = {"/level": "error", "/x": 1}
    ended = play(conversation, {"wait": "x/n", "expect": expect, "timeout": 500})

    failures = (
        'none of the 2 notifications that arrived matched; the last one was: {"level":"debug"}',
        '/level: expected "error", got "debug"',
        "/x: not found (expected 1); the result has level",
    )
    fault = expectation_failed("step 1 (wait x/n): 2 of 2 expectations failed", failures)
    assert ended.fault == evolve(fault, hints=('timeout 500 means 500 ms; write "500s" for seconds',))
    assert envelopes(ended)[0]["result"] == {"level": "debug"}


@pytest.mark.parametrize(
    ("params", "pointer", "hints"),
    [
        ({"level": "info"}, "/params/level", ("the pointers of a wait step start inside params: write /level",)),
        ({"params": {"level": "info"}}, "/params/level", ()),
        ({"level": "info"}, "/level", ()),
    ],
)
def test_pointer_of_a_wait_that_begins_with_params_is_corrected(
    params: Json, pointer: str, hints: tuple[str, ...]
) -> None:
    conversation = connected(HANDSHAKE, notify("x/n", params))
    ended = play(conversation, {"wait": "x/n", "expect": {pointer: "error"}, "timeout": "2s"})

    assert isinstance(ended.fault, OperationFailed)
    assert ended.fault.evidence[0] == f"the notification that arrived did not match: {dump(params)}"
    assert ended.fault.hints == hints


def test_other_notifications_do_not_delay_the_wait_timeout() -> None:
    flood = [action for _ in range(100) for action in (Pause(0.1), notify("x/m"))]
    conversation = connected(HANDSHAKE, *flood, timeout=30.0)
    steps: list[Json] = [{"wait": "x/n", "timeout": "2s", "onError": "continue"}, {"wait": "x/n", "timeout": "9s"}]
    ended = play(conversation, *steps)

    assert [round(one["durationMs"], -3) for one in envelopes(ended)] == [2000.0, 9000.0]


def test_wait_ignores_messages_that_are_not_notifications() -> None:
    actions: list[ServerAction] = [Expect("a"), Write(b"noise\n"), ask("q", "n"), notify("x/n"), answer(1, {})]
    ended = play(connected(HANDSHAKE, *actions), {"method": "a"}, {"wait": "x/n"}, {"wait": "x/n", "timeout": 0})

    assert verdicts(ended) == [(0, None), (1, None), (2, "REQUEST_TIMEOUT")]


def test_lost_connection_ends_a_wait() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {}), Pause(1), Close(LOST))
    ended = play(conversation, {"method": "a"}, {"wait": "x/n"}, {"method": "b"})

    assert verdicts(ended) == [(0, None), (1, "CONNECTION_LOST")]
    assert conversation.clock == 1.0


def test_wait_finds_a_notification_received_just_before_the_connection_ended() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), answer(1, {}), Pause(1), notify("x/n"), Close(LOST))

    ended = play(conversation, {"method": "a"}, {"wait": "x/n"}, {"wait": "x/n"})

    assert verdicts(ended) == [(0, None), (1, None), (2, "CONNECTION_LOST")]


def test_wait_as_first_step_opens_the_connection() -> None:
    conversation = starting(
        Expect("initialize"), Pause(5), answer(1, INITIALIZED), Pause(1.5), notify("x/n"), era="handshake"
    )
    ended = play(conversation, {"wait": "x/n", "timeout": "2s"})

    assert verdicts(ended) == [(0, None)]
    assert sent_methods(conversation) == ["initialize", "notifications/initialized"]


def test_wait_as_first_step_fails_if_the_connection_is_refused() -> None:
    refused = Unreachable("CONNECTION_REFUSED", "connection refused")

    assert play(starting(FailToOpen(refused)), {"wait": "x/n"}).fault == evolve(refused, hints=(STARTING,))


def test_notifications_kept_for_later_waits_are_limited() -> None:
    passed = script_runner(connected(HANDSHAKE), {"method": "a"}).steps.skipped_events
    for number in range(MAX_EVENTS + 1):
        passed.append(DeadlineReached(number))

    assert (len(passed), passed.popleft()) == (MAX_EVENTS, DeadlineReached(1))


# Tool errors and durations.

FAILING: dict[str, Json] = {"isError": True, "content": [{"type": "text", "text": "out of paper"}]}


@pytest.mark.parametrize(
    "step", [{"method": "tools/call", "params": {"name": "print"}}, {"method": "tasks/result", "params": {}}]
)
def test_tool_error_is_detected_even_if_the_plan_of_the_method_ignores_it(step: dict[str, Json]) -> None:
    conversation = connected(HANDSHAKE, Expect(str(step["method"])), answer(1, FAILING))
    (one,) = envelopes(play(conversation, step))

    assert (one["error"]["code"], one["error"]["details"]) == ("TOOL_ERROR", {"evidence": ["out of paper"]})


def test_is_error_in_the_result_of_another_method_is_not_a_tool_error() -> None:
    assert verdicts(play(connected(HANDSHAKE, Expect("a"), answer(1, FAILING)), {"method": "a"})) == [(0, None)]


def test_step_can_expect_a_tool_error_with_its_content() -> None:
    step: Json = {**CALL, "expect": {"/isError": True, "/content/0/text": {"contains": "ink"}}}
    (one,) = envelopes(play(connected(HANDSHAKE, Expect("tools/call"), answer(1, {"isError": True})), step))

    assert one["error"]["details"] == {
        "failures": ['/content/0/text: not found (expected contains "ink"); the result has isError']
    }


def test_other_met_expectations_do_not_hide_a_tool_error() -> None:
    step: Json = {**CALL, "expect": {"/isError": {"exists": True}}}

    assert verdicts(play(connected(HANDSHAKE, Expect("tools/call"), answer(1, {"isError": True})), step)) == [
        (0, "TOOL_ERROR")
    ]


@pytest.mark.parametrize(("limit", "code"), [("250ms", None), ("249ms", "EXPECTATION_FAILED")])
def test_step_can_have_a_maximum_duration(limit: str, code: str | None) -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Pause(0.25), answer(1, {}))

    assert verdicts(play(conversation, {"method": "a", "maxDuration": limit})) == [(0, code)]


def test_exceeded_duration_is_listed_with_unmet_expectations() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Pause(0.25), answer(1, {}))
    ended = play(conversation, {"method": "a", "expect": {"/x": 1}, "maxDuration": 100})

    failures = ["/x: not found (expected 1); the result is empty", "duration: expected at most 100 ms, got 250 ms"]
    assert envelopes(ended)[0]["error"]["details"] == {"failures": failures}


def test_exceeded_duration_does_not_hide_a_failed_request() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Pause(0.25), error(1, -32000, "no"))

    assert verdicts(play(conversation, {"method": "a", "maxDuration": 100})) == [(0, "JSON_RPC_ERROR")]


def test_duration_is_checked_even_if_tool_errors_are_allowed() -> None:
    conversation = connected(HANDSHAKE, Expect("tools/call"), Pause(0.25), answer(1, {"isError": True}))
    step: Json = {**CALL, "failOnError": False, "maxDuration": 100}

    assert verdicts(play(conversation, step)) == [(0, "EXPECTATION_FAILED")]


SLOW: dict[str, Json] = {"method": "a", "expect": {"/x": "${n}"}, "onError": "continue"}


@pytest.mark.parametrize(
    ("limit", "hints"),
    [
        (5, ['maxDuration 5 means 5 ms; write "5s" for seconds']),
        ("5", ['maxDuration 5 means 5 ms; write "5s" for seconds']),
        (999, ['maxDuration 999 means 999 ms; write "999s" for seconds']),
        (0, []),
        (1000, []),
        ("5ms", []),
        (2.5, ['maxDuration 2.5 means 2.5 ms; write "2.5s" for seconds']),
        (1000.5, []),
    ],
)
def test_maximum_duration_without_a_unit_is_explained(limit: Json, hints: list[str]) -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Pause(2), answer(1, {}))
    (one,) = envelopes(play(conversation, {"method": "a", "maxDuration": limit}))

    assert one["error"]["hints"] == hints


def test_timeout_without_a_unit_is_explained() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Expect("b"), Expect("c"))
    steps: list[Json] = [
        {"method": "a", "timeout": 30, "onError": "continue"},
        {"method": "b", "timeout": "30ms", "onError": "continue"},
        {"wait": "x/n", "timeout": 30, "onError": "continue"},
        {"method": "c"},
    ]

    hint, longer = 'timeout 30 means 30 ms; write "30s" for seconds', "for slow responses, use a longer timeout"
    assert [one["error"]["hints"] for one in envelopes(play(conversation, *steps))] == [
        [longer, hint],
        [longer],
        [hint],
        ["for slow responses, use a longer --timeout"],
    ]


def test_hints_about_strings_and_durations_are_combined() -> None:
    conversation = connected(HANDSHAKE, Expect("a"), Pause(1), answer(1, {"x": 3}))
    script = parse("s.json", dump([{**SLOW, "maxDuration": 5}]), CATALOG, {"n": "3"}).unwrap()
    seen = Transcript(0.0, keep=True)
    ended = conversation.run(ScriptRunner(script, conversation.session, seen, ScriptOptions(support_check)).run())

    assert ended.fault is not None
    assert ended.fault.hints == (
        "--var n=3 is a string; for a number, write --var n:=3",
        'maxDuration 5 means 5 ms; write "5s" for seconds',
    )
