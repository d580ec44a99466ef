"""Violations that fail a run."""

import pytest

from mcpi.core.outcome.faults import OperationFailed
from mcpi.core.plans.events import ViolationSeen
from mcpi.core.plans.plan import PlanResult
from mcpi.core.record.transcript import MAX_PER_RULE, Transcript
from mcpi.core.record.violation_fault import fail_on_violations, violation_texts, violation_warnings
from mcpi.core.wire.violations import Violation

TOOL = PlanResult({"isError": True}, OperationFailed("TOOL_ERROR", "no"))


def transcript_with(count: int) -> Transcript:
    """A transcript with this number of violations."""
    transcript = Transcript(0.0, keep=True)
    for number in range(count):
        transcript.record(ViolationSeen(Violation("not-json", "no JSON", "" if number else "noise"), 0.0))
    return transcript


def test_result_is_unchanged_without_violations() -> None:
    assert fail_on_violations(TOOL, transcript_with(0)) is TOOL


def test_violations_replace_a_fault_that_exits_with_0() -> None:
    fault = OperationFailed(
        "VIOLATION", "step 1: the server violated the protocol 2 times", ("no JSON: noise", "no JSON")
    )

    assert fail_on_violations(TOOL, transcript_with(2), "step 1") == PlanResult({"isError": True}, fault)


def test_fault_explains_the_first_log_line_on_stdout() -> None:
    transcript = Transcript(0.0, keep=True)
    broken, log = Violation("not-json", "no JSON", '{"id":'), Violation("not-json", "no JSON", "ready")
    for seen in (ViolationSeen(broken, 0.0, on_stdout=True), ViolationSeen(log, 0.0)):
        transcript.record(seen)
    assert hints_of(fail_on_violations(PlanResult(), transcript)) == ()

    for _ in range(2):
        transcript.record(ViolationSeen(log, 0.0, on_stdout=True))
    explained = ("stdout may contain only MCP messages; servers must log to stderr",)
    assert [hints_of(fail_on_violations(PlanResult(), transcript)) for _ in range(2)] == [explained, ()]


def hints_of(ended: PlanResult) -> tuple[str, ...]:
    """The hints of the fault."""
    assert ended.fault is not None
    return ended.fault.hints


def test_mistakes_in_sent_messages_do_not_fail_the_run() -> None:
    transcript = Transcript(0.0, keep=True)
    for _ in range(MAX_PER_RULE + 1):
        transcript.record(ViolationSeen(Violation("sent-schema", "mcpi's ping violates the schema"), 0.0))

    assert fail_on_violations(TOOL, transcript) is TOOL


def test_violations_beyond_the_recording_limit_are_counted() -> None:
    ended = fail_on_violations(PlanResult(), transcript_with(MAX_PER_RULE + 2), quoted=False)

    assert ended.fault == OperationFailed("VIOLATION", f"the server violated the protocol {MAX_PER_RULE + 2} times")
    assert len(violation_texts(transcript_with(MAX_PER_RULE + 2))) == MAX_PER_RULE


@pytest.mark.parametrize(
    ("count", "last"),
    [
        (2, "warning: no JSON"),
        (MAX_PER_RULE, "warning: no JSON"),
        (MAX_PER_RULE + 1, "warning: 1 more violation is not shown"),
        (MAX_PER_RULE + 2, "warning: 2 more violations are not shown"),
    ],
)
def test_warnings_are_limited_to_the_first_violations(count: int, last: str) -> None:
    warnings = violation_warnings(transcript_with(count))

    assert (warnings[0], warnings[-1]) == ("warning: no JSON: noise", last)
    assert len(warnings) == min(count, MAX_PER_RULE + 1)


def test_warnings_explain_the_first_log_line_on_stdout() -> None:
    transcript = Transcript(0.0, keep=True)
    transcript.record(ViolationSeen(Violation("not-json", "no JSON", "ready"), 0.0, on_stdout=True))
    warning = "warning: no JSON: ready"

    assert violation_warnings(transcript) == (
        warning,
        "stdout may contain only MCP messages; servers must log to stderr",
    )
    assert violation_warnings(transcript) == (warning,)


def test_mistake_in_a_sent_message_is_a_warning() -> None:
    transcript = transcript_with(0)
    transcript.record(ViolationSeen(Violation("sent-schema", "mcpi's ping violates the schema"), 0.0))

    assert violation_warnings(transcript) == ("warning: mcpi's ping violates the schema",)
