"""Output of a finished run: stdout, stderr and the exit code."""

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
from mcpi.core.record.result_text import MAX_LINES, RunOutput, fault_lines, format_result
from support.replay import exact

RESULT = exact({"b": 1, "a": []})
PRETTY = '{\n  "b": 1,\n  "a": []\n}\n'
RAW = OutputOptions()
RPC = RpcError(-32602, "no such tool", exact({"code": -32602, "message": "no such tool", "data": 5}), "tools/call")
TOOL = OperationFailed("TOOL_ERROR", "the tool 'x' reports an error", ("it broke",))
WARNING = "warning: the tool 'x' reports an error; --fail-on-error makes the exit code 1"


def test_result_is_pretty_printed_with_empty_stderr() -> None:
    assert format_result(PlanResult(RESULT), None, RAW) == RunOutput(PRETTY, (), 0)


def test_a_compact_result_is_one_line() -> None:
    assert format_result(PlanResult(RESULT), None, OutputOptions(compact=True)) == RunOutput('{"b":1,"a":[]}\n', (), 0)


def test_no_result_and_no_fault_prints_nothing() -> None:
    assert format_result(PlanResult(), None, RAW) == RunOutput("", (), 0)


def test_a_json_rpc_error_is_printed_as_the_server_sent_it() -> None:
    text = '{\n  "error": {\n    "code": -32602,\n    "message": "no such tool",\n    "data": 5\n  }\n}\n'

    expected = ("tools/call failed: -32602 no such tool",)

    assert format_result(PlanResult(None, RPC), None, RAW) == RunOutput(text, expected, 2)


def test_invalid_argument_found_by_the_server_prints_the_rpc_error() -> None:
    fault = Invalid("INVALID_ARGUMENT", "--tool-name", "there is no such tool", rpc=RPC.error)
    shown = format_result(PlanResult(None, fault), None, OutputOptions(compact=True))

    text = '{"error":{"code":-32602,"message":"no such tool","data":5}}\n'
    assert shown == RunOutput(text, ("--tool-name: there is no such tool",), 1)


def test_json_rpc_error_prints_its_hints_on_stderr() -> None:
    shown = format_result(
        PlanResult(None, evolve(RPC, hints=("ask for its tools",))), None, OutputOptions(compact=True)
    )
    expected = ("tools/call failed: -32602 no such tool", "  ask for its tools")

    assert shown == RunOutput('{"error":{"code":-32602,"message":"no such tool","data":5}}\n', expected, 2)


def test_json_rpc_error_beside_a_result_is_reported_on_stderr() -> None:
    expected = ("tools/call failed: -32602 no such tool",)

    assert format_result(PlanResult(RESULT, RPC), None, RAW) == RunOutput(PRETTY, expected, 2)


def test_tool_error_prints_its_result_and_a_warning_and_exits_with_0() -> None:
    assert format_result(PlanResult(RESULT, TOOL), None, RAW) == RunOutput(PRETTY, (WARNING,), 0)


@pytest.mark.parametrize("output", [OutputOptions(quiet=True), OutputOptions(no_fail_on_error=True)])
def test_no_warning_about_a_tool_error_is_printed_if_the_user_does_not_want_it(output: OutputOptions) -> None:
    assert format_result(PlanResult(RESULT, TOOL), None, output) == RunOutput(PRETTY, (), 0)


def test_no_warning_about_a_tool_error_is_printed_if_the_output_is_events() -> None:
    assert format_result(PlanResult(None, TOOL), None, RAW) == RunOutput("", (), 0)


def test_tool_error_exits_with_1_with_fail_on_error() -> None:
    expected = ("the tool 'x' reports an error", "  it broke")

    assert format_result(PlanResult(RESULT, TOOL), None, OutputOptions(fail_on_error=True)) == RunOutput(
        PRETTY, expected, 1
    )


def test_hints_for_a_tool_error_are_printed_on_stderr() -> None:
    fault = evolve(TOOL, hints=("did you mean y?", "it takes z"))
    quiet = OutputOptions(quiet=True)

    shown, shown_quiet = (format_result(PlanResult(RESULT, fault), None, output) for output in (RAW, quiet))

    assert shown == RunOutput(PRETTY, (WARNING, "  did you mean y?", "  it takes z"), 0)
    assert shown_quiet == RunOutput(PRETTY, ("did you mean y?", "  it takes z"), 0)


def test_other_failure_beside_a_result_is_reported_on_stderr() -> None:
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
def test_fault_is_reported_on_stderr_and_stdout_is_empty(fault: Fault, code: int) -> None:
    assert format_result(PlanResult(None, fault), None, RAW) == RunOutput("", fault_lines(fault), code)


def test_stderr_of_the_server_is_not_printed_again() -> None:
    fault = Exited("node", "initialize", 3, stderr=("boom", "  at x.js"), hints=("look",))
    sentence = "the server 'node' exited with code 3 during initialize"

    assert fault_lines(fault) == (sentence, "  boom", "    at x.js", "  look")
    assert format_result(PlanResult(None, fault), None, RAW, ["boom", "  at x.js"]).stderr == (sentence, "  look")


def test_structured_prints_only_the_envelope() -> None:
    fault = InvalidResponse("HANDSHAKE_FAILED", "no")
    shown = format_result(PlanResult(None, fault), {"success": False}, OutputOptions(structured=True))

    assert shown == RunOutput('{\n  "success": false\n}\n', (), 1)


def test_a_compact_envelope_is_one_line() -> None:
    shown = format_result(PlanResult(RESULT), {"success": True}, OutputOptions(structured=True, compact=True))

    assert shown == RunOutput('{"success":true}\n', (), 0)


@pytest.mark.parametrize("text", ["", "[1]\n"])
def test_preformatted_text_is_printed_unchanged(text: str) -> None:
    assert format_result(PlanResult(RESULT, text=text), None, RAW) == RunOutput(text, (), 0)


def test_fault_already_shown_is_not_printed_again() -> None:
    ended = PlanResult(None, OperationFailed("TASK_FAILED", "it ended"), "[]\n", fault_shown=True)

    assert format_result(ended, None, RAW) == RunOutput("[]\n", (), 1)


def test_fault_lines_are_message_evidence_and_hints() -> None:
    fault = Unreachable("CONNECTION_REFUSED", "nobody listens", ("line 1\nline 2", "line 3"), ("start it",))

    assert fault_lines(fault) == ("nobody listens", "  line 1", "  line 2", "  line 3", "  start it")


def test_further_lines_of_a_message_are_indented_and_limited() -> None:
    def lines(count: int) -> tuple[str, ...]:
        return fault_lines(evolve(RPC, message="\n".join(f"{at}" for at in range(count + 1)), hints=("ask",)))

    first, shown = "tools/call failed: -32602 0", tuple(f"  {at}" for at in range(1, MAX_LINES + 1))
    assert lines(MAX_LINES) == (first, *shown, "  ask")
    assert lines(MAX_LINES + 1) == (first, *shown, "  … (1 more line)", "  ask")
    assert lines(MAX_LINES + 2) == (first, *shown, "  … (2 more lines)", "  ask")


def test_further_lines_of_a_message_are_shortened() -> None:
    (_, line) = fault_lines(evolve(RPC, message=f"a\n{'b' * 1000}"))

    assert line == f"  {'b' * 300}… (1000 characters)"


def test_a_large_result_is_indented_as_it_is_written() -> None:
    text = f'{{"a":"{"x" * LARGE}"}}'

    shown = format_result(PlanResult(Exact(text)), None, RAW)

    assert shown.stdout == IndentedLines(text)
    assert str(shown.stdout) == f'{{\n  "a": "{"x" * LARGE}"\n}}\n'
