"""Verdict lines of script steps."""

from collections import Counter

import pytest
from attrs import evolve

from mcpi.core.jsontext.exact import Exact
from mcpi.core.outcome.faults import Fault, OperationFailed, RpcError, TimedOut, Unreachable
from mcpi.core.plans.reports import Verdict
from mcpi.core.scripts.verdict_lines import closing_line, failed_lines, passed_lines, problems, skipped_line
from support.scripts import step

STEP = step(method="ping", name="alive?")
UNMET = OperationFailed("EXPECTATION_FAILED", "step 1 (alive?): 2 of 2 expectations failed", ("/a: x", "/b: y"))


def test_step_number_starts_at_1_and_is_followed_by_the_name() -> None:
    assert passed_lines(STEP, 0.0123) == ("ok   1  alive?   (12 ms)",)
    assert skipped_line(STEP) == "skip 1  alive?"


def test_labels_are_aligned_up_to_99_steps() -> None:
    assert skipped_line(evolve(STEP, index=8)) == "skip 9  alive?"
    assert skipped_line(evolve(STEP, index=9)) == "skip 10 alive?"
    assert skipped_line(evolve(STEP, index=99)) == "skip 100 alive?"


def test_first_problem_is_on_the_step_line_and_others_are_below() -> None:
    assert failed_lines(STEP, UNMET, (), allowed=False) == ("FAIL 1  alive?  /a: x", "        /b: y")
    assert failed_lines(STEP, UNMET, (), allowed=True)[0] == "warn 1  alive?  /a: x"


def test_step_that_was_retried_has_the_number_of_attempts() -> None:
    assert failed_lines(STEP, UNMET, (), allowed=False, attempts=3) == (
        "FAIL 1  alive?  /a: x (after 3 attempts)",
        "        /b: y",
    )


def test_warnings_are_below_the_line_of_a_step_that_passed() -> None:
    assert passed_lines(STEP, 0.0123, ("warning: noise",))[1:] == ("        warning: noise",)


def test_warnings_are_below_any_failure_but_that_of_the_violations() -> None:
    violation = OperationFailed("VIOLATION", "the server violated the protocol", ("noise",))

    assert failed_lines(STEP, UNMET, ("warning: noise",), allowed=False)[2:] == ("        warning: noise",)
    assert failed_lines(STEP, violation, ("warning: noise",), allowed=False) == ("FAIL 1  alive?  noise",)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (OperationFailed("EXPECTATION_FAILED", "step 1 (x): too slow"), ("too slow",)),
        (
            Unreachable("CONNECTION_LOST", "gone", ("line 1\nline 2",), ("start it",)),
            ("gone", "line 1", "line 2", "start it"),
        ),
        (
            RpcError(-32602, "invalid: [\n  1\n]", Exact("{}"), "tools/call", hints=("ask",)),
            ("tools/call failed: -32602 invalid: [", "  1", "]", "ask"),
        ),
        (TimedOut("REQUEST_TIMEOUT", 2.0, "a"), ("no response to a within 2 s", "no message was received")),
    ],
)
def test_problem_lines_are_message_evidence_and_hints(fault: Fault, message: tuple[str, ...]) -> None:
    assert problems(fault, "step 1 (x)") == message


@pytest.mark.parametrize(
    ("verdicts", "line"),
    [
        (
            {"passed": 2, "failed": 1, "allowed": 1, "skipped": 1},
            "5 steps: 2 passed, 1 failed, 1 allowed, 1 skipped in 0.41 s",
        ),
        ({"skipped": 1, "passed": 3}, "4 steps: 3 passed, 1 skipped in 0.41 s"),
        ({"failed": 1, "passed": 0}, "1 step: 1 failed in 0.41 s"),
    ],
)
def test_closing_line_lists_all_nonzero_counts(verdicts: dict[Verdict, int], line: str) -> None:
    assert closing_line(Counter(verdicts), 0.4096) == line


def test_closing_line_counts_the_violations() -> None:
    passed: Counter[Verdict] = Counter({"passed": 2})

    assert closing_line(passed, 0.4096, 1) == "2 steps: 2 passed in 0.41 s; 1 protocol violation"
    assert closing_line(passed, 0.4096, 2) == "2 steps: 2 passed in 0.41 s; 2 protocol violations"
