"""Lines on stderr about the steps of a script: one for each step, and a closing line with the counts."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcpi.core.outcome import explain, faults
from mcpi.core.outcome.faults import Fault, OperationFailed
from mcpi.core.plans.reports import Verdict
from mcpi.core.record.result_text import sentence_lines
from mcpi.core.text.timestamps import milliseconds

if TYPE_CHECKING:
    from mcpi.core.scripts.step import ScriptStep

WORDS: dict[Verdict, str] = {"passed": "ok  ", "failed": "FAIL", "allowed": "warn", "skipped": "skip"}
INDENT = "        "
LISTED = ("EXPECTATION_FAILED", "VIOLATION")
"""Codes of faults whose evidence makes the sentence redundant."""


def passed_lines(step: "ScriptStep", duration: float, warnings: Sequence[str] = ()) -> tuple[str, ...]:
    """Format the line of a step that passed, and the warnings below it."""
    return (f"{_head('passed', step)}   ({round(milliseconds(duration))} ms)", *_indented(warnings))


def failed_lines(
    step: "ScriptStep", fault: Fault, warnings: Sequence[str], *, allowed: bool, attempts: int = 1
) -> tuple[str, ...]:
    """Format the lines of a step that failed: the first problem on its line, the others and the warnings below.

    The failure `VIOLATION` lists the violations that the warnings are about.
    """
    first, *rest = problems(fault, step.title)
    first = first if attempts == 1 else f"{first} (after {attempts} attempts)"
    rest += warnings if faults.code(fault) != "VIOLATION" else ()
    return (f"{_head('allowed' if allowed else 'failed', step)}  {first}", *_indented(rest))


def skipped_line(step: "ScriptStep") -> str:
    """Format the line of a step that was not run."""
    return _head("skipped", step)


def closing_line(verdicts: "Counter[Verdict]", seconds: float, violations: int = 0) -> str:
    """Format the counts of all steps and of the protocol violations; zero counts are omitted."""
    total = verdicts.total()
    counts = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in WORDS if verdicts[verdict])
    line = f"{total} step{'' if total == 1 else 's'}: {counts} in {seconds:.2f} s"
    return f"{line}; {violations} protocol violation{'' if violations == 1 else 's'}" if violations else line


def problems(fault: Fault, title: str = "") -> tuple[str, ...]:
    """Return the problems, one per line, without the title of the step."""
    sentence = explain.sentence(fault).removeprefix(f"{title}: ")
    listed = isinstance(fault, OperationFailed) and fault.code in LISTED and fault.evidence
    shown = [] if listed else [*sentence_lines(sentence)]
    shown += [line for text in explain.evidence(fault) for line in text.splitlines()]
    return (*shown, *fault.hints)


def _indented(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{INDENT}{line}" for line in lines)


def _head(verdict: Verdict, step: "ScriptStep") -> str:
    return f"{WORDS[verdict]} {step.number:<2} {step.label}"
