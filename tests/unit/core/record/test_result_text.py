"""How the work ended: stdout, stderr and the exit code."""

import pytest
from attrs import evolve

from mcpi.core.flags.options import OutputOptions
from mcpi.core.jsontext.exact import LARGE, Exact
from mcpi.core.jsontext.indentation import IndentedLines
from mcpi.core.outcome.faults import (
    Exited,
    Fault,
    Invalid,
    InvalidResponse,
    MissingCapability,
    OperationFailed,
    RpcError,
    TimedOut,
    Unreachable,
)
from mcpi.core.plans.plan import PlanResult
from mcpi.core.record.result_text import RunOutput, fault_lines, format_result
from support.replay import exact

RESULT = exact({"b": 1, "a": []})
PRETTY = '{\n  "b": 1,\n  "a": []\n}\n'
RAW = OutputOptions()
RPC = RpcError(-32602, "no such tool", exact({"code": -32602, "message": "no such tool", "data": 5}), "tools/call")
TOOL = OperationFailed("TOOL_ERROR", "the tool 'x' reports an error", ("it broke",))


def test_a_result_is_pretty_and_nothing_else_is_said() -> None:
    assert format_result(PlanResult(RESULT), None, RAW) == RunOutput(PRETTY, (), 0)


def test_a_compact_result_is_one_line() -> None:
    assert format_result(PlanResult(RESULT), None, OutputOptions(compact=True)) == RunOutput('{"b":1,"a":[]}\n', (), 0)


def test_no_result_and_no_fault_is_silence() -> None:
    assert format_result(PlanResult(), None, RAW) == RunOutput("", (), 0)


def test_a_json_rpc_error_is_printed_as_the_server_sent_it() -> None:
    text = '{\n  "error": {\n    "code": -32602,\n    "message": "no such tool",\n    "data": 5\n  }\n}\n'

    told = ("tools/call failed: -32602 no such tool",)

    assert format_result(PlanResult(None, RPC), None, RAW) == RunOutput(text, told, 2)


def test_a_mistake_that_the_server_found_is_printed_with_its_error() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--tool-name", "there is no such tool", rpc=RPC.error)
    shown = format_result(PlanResult(None, fault), None, OutputOptions(compact=True))

    text = '{"error":{"code":-32602,"message":"no such tool","data":5}}\n'
    assert shown == RunOutput(text, ("--tool-name: there is no such tool",), 1)


def test_a_json_rpc_error_with_hints_is_told_as_well() -> None:
    shown = format_result(
        PlanResult(None, evolve(RPC, hints=("ask for its tools",))), None, OutputOptions(compact=True)
    )
    told = ("tools/call failed: -32602 no such tool", "  ask for its tools")

    assert shown == RunOutput('{"error":{"code":-32602,"message":"no such tool","data":5}}\n', told, 2)


def test_a_json_rpc_error_beside_a_result_is_told() -> None:
    told = ("tools/call failed: -32602 no such tool",)

    assert format_result(PlanResult(RESULT, RPC), None, RAW) == RunOutput(PRETTY, told, 2)


def test_a_tools_error_is_its_result_and_no_failure() -> None:
    assert format_result(PlanResult(RESULT, TOOL), None, RAW) == RunOutput(PRETTY, (), 0)


def test_a_tools_error_fails_where_that_is_wanted() -> None:
    told = ("the tool 'x' reports an error", "  it broke")

    assert format_result(PlanResult(RESULT, TOOL), None, OutputOptions(fail_on_error=True)) == RunOutput(
        PRETTY, told, 1
    )


def test_what_is_known_beside_a_tools_own_error_is_told() -> None:
    fault = evolve(TOOL, hints=("did you mean y?",))

    assert format_result(PlanResult(RESULT, fault), None, RAW) == RunOutput(PRETTY, ("did you mean y?",), 0)


def test_another_failure_beside_a_result_is_told() -> None:
    fault = OperationFailed("SCHEMA_MISMATCH", "it does not fit", ("/a: is no array",))

    assert format_result(PlanResult(RESULT, fault), None, RAW) == RunOutput(
        PRETTY, ("it does not fit", "  /a: is no array"), 1
    )


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Invalid("INVALID_ARGUMENT", "--x", "no"), 1),
        (Unreachable("CONNECTION_REFUSED", "nobody listens"), 1),
        (Exited("node", "initialize", 3), 1),
        (TimedOut("CONNECTION_TIMEOUT", 30.0, "initialize (request 1)"), 124),
        (InvalidResponse("HANDSHAKE_FAILED", "no"), 1),
        (MissingCapability("tools/list", "no tools"), 1),
    ],
)
def test_a_fault_is_told_on_stderr_and_stdout_stays_empty(fault: Fault, code: int) -> None:
    assert format_result(PlanResult(None, fault), None, RAW) == RunOutput("", fault_lines(fault), code)


def test_structured_is_the_envelope_and_silence_beside_it() -> None:
    fault = InvalidResponse("HANDSHAKE_FAILED", "no")
    shown = format_result(PlanResult(None, fault), {"success": False}, OutputOptions(structured=True))

    assert shown == RunOutput('{\n  "success": false\n}\n', (), 1)


def test_a_compact_envelope_is_one_line() -> None:
    shown = format_result(PlanResult(RESULT), {"success": True}, OutputOptions(structured=True, compact=True))

    assert shown == RunOutput('{"success":true}\n', (), 0)


@pytest.mark.parametrize("text", ["", "[1]\n"])
def test_what_is_text_already_is_printed_as_it_is(text: str) -> None:
    assert format_result(PlanResult(RESULT, text=text), None, RAW) == RunOutput(text, (), 0)


def test_a_fault_that_has_been_shown_is_not_shown_again() -> None:
    ended = PlanResult(None, OperationFailed("TASK_FAILED", "it ended"), "[]\n", fault_shown=True)

    assert format_result(ended, None, RAW) == RunOutput("[]\n", (), 1)


def test_a_fault_is_its_sentence_the_evidence_and_what_to_do() -> None:
    fault = Unreachable("CONNECTION_REFUSED", "nobody listens", ("line 1\nline 2", "line 3"), ("start it",))

    assert fault_lines(fault) == ("nobody listens", "  line 1", "  line 2", "  line 3", "  start it")


def test_a_large_result_is_indented_as_it_is_written() -> None:
    text = f'{{"a":"{"x" * LARGE}"}}'

    shown = format_result(PlanResult(Exact(text)), None, RAW)

    assert shown.stdout == IndentedLines(text)
    assert str(shown.stdout) == f'{{\n  "a": "{"x" * LARGE}"\n}}\n'
