"""JUnit XML report for CI systems."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from attrs import evolve

from mcpi.core.lazy_pattern import lazy_pattern
from mcpi.plugins.api import (
    Finding,
    JsonObject,
    Report,
    ReportedStep,
    ReportFormat,
    as_list,
    as_object,
    as_text,
    failure_details,
    failure_message,
    failure_reasons,
    findings_of,
    findings_sentence,
    hookimpl,
    pretty,
    to_plain,
    violations,
)

_FORBIDDEN = lazy_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ERRORS = frozenset({"transport", "protocol", "capability"})
"""Fault categories that count as errors: the step's result could not be checked."""

MAX_OUTPUT = 200_000
"""Maximum number of characters of a result, or of a step's warnings and stderr."""
_FINDINGS = ("FINDINGS", "CONTRACT_CHANGED")
"""Codes of faults that report findings."""


def render(report: Report) -> str:
    """Render one test suite with a test case per step and per finding."""
    steps = [*map(_without_counted_failure, report.steps)]
    entries = [(step, one) for step in steps for one in (None, *(findings_of(step.envelope) or ()))]
    verdicts = Counter(step.verdict for step in steps)
    errors = sum(step.verdict == "failed" and _is_error(step) for step in steps)
    counts = {
        "tests": len(entries),
        "failures": verdicts["failed"] - errors + sum(_fails(step, one) for step, one in entries if one is not None),
        "errors": errors,
        "skipped": verdicts["skipped"] + verdicts["allowed"],
        "time": f"{sum(map(_seconds, steps)):.3f}",
        "timestamp": report.time.removesuffix("Z"),
    }
    attributes = "".join(f' {name}="{value}"' for name, value in counts.items())
    names = unique_names([step.title if one is None else f"{one.rule}: {one.place}" for step, one in entries])
    cases = [
        _case(name, step, report.script) if one is None else _finding_case(name, step, one)
        for name, (step, one) in zip(names, entries, strict=True)
    ]
    suite = f'  <testsuite name="{_text(report.title)}"{attributes}>'
    return "\n".join(
        ('<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", suite, *cases, "  </testsuite>", "</testsuites>", "")
    )


def unique_names(titles: Sequence[str]) -> list[str]:
    """Append #2, #3 to the second and later of equal titles, as CI systems tell tests apart by name."""
    names: dict[str, None] = {}
    counts: Counter[str] = Counter()
    for title in titles:
        name = title
        while name in names or counts[title] == 0:
            counts[title] += 1
            name = title if counts[title] == 1 else f"{title} #{counts[title]}"
        names[name] = None
    return list(names)


def _without_counted_failure(step: ReportedStep) -> ReportedStep:
    """Return the step as passed if it failed only because of findings that fail as test cases of their own."""
    code = as_object(to_plain(step.envelope.get("error"))).get("code")
    counted = code in _FINDINGS and any(_fails(step, one) for one in findings_of(step.envelope) or ())
    return evolve(step, failed=False) if counted and step.verdict == "failed" else step


def _fails(step: ReportedStep, one: Finding) -> bool:
    """Tell whether the finding is an error, or one of those that made the step fail."""
    details = as_object(as_object(to_plain(step.envelope.get("error"))).get("details"))
    failing = () if step.failure_allowed else as_list(details.get("failing"))
    return one.severity == "error" or (one.label or one.severity) in failing


def _finding_case(name: str, step: ReportedStep, one: Finding) -> str:
    """Build the test case of a finding."""
    tag = "failure" if _fails(step, one) else "system-out"
    attributes = f' type="{_text(one.rule)}" message="{_text(one.message)}"' if tag == "failure" else ""
    text = "\n".join(filter(None, (one.message, one.rejection, one.fix, one.evidence)))
    head = f'    <testcase classname="{_text(step.title)}" name="{_text(name)}">'
    return "\n".join((head, f"      <{tag}{attributes}>{_text(text)}</{tag}>", "    </testcase>"))


def _case(name: str, step: ReportedStep, script: str) -> str:
    classname = script or as_text(to_plain(step.envelope.get("method"))) or "mcpi"
    head = f'    <testcase classname="{_text(classname)}" name="{_text(name)}"'
    if step.skipped:
        return f'{head}><skipped message="not run"/></testcase>'
    inside = [*_verdict(step), *_result(step)]
    told = [f"warning: {one}" for one in violations(step)]
    told += [as_text(line) for line in as_list(to_plain(step.envelope.get("stderr")))]
    if told:
        inside += _output("system-err", "\n".join(told))
    return "\n".join((f'{head} time="{_seconds(step):.3f}">', *inside, "    </testcase>"))


def _result(step: ReportedStep) -> list[str]:
    """Render the result; only the counts of findings, which are test cases of their own."""
    result, found = step.envelope.get("result"), findings_of(step.envelope)
    if found is None:
        return [] if result is None else _output("system-out", pretty(result))
    return _output("system-out", findings_sentence(found, as_object(as_object(to_plain(result)).get("summary"))))


def _verdict(step: ReportedStep) -> list[str]:
    if not step.failed:
        return []
    error = as_object(to_plain(step.envelope.get("error")))
    message, code = failure_message(step), as_text(error.get("code"))
    if step.failure_allowed:
        return [f'      <skipped message="{_text(f"allowed to fail: {message}")}"/>']
    kind = "error" if _is_error(step) else "failure"
    return [f'      <{kind} type="{_text(code)}" message="{_text(message)}">{_text(_explained(step, error))}</{kind}>']


def _explained(step: ReportedStep, error: JsonObject) -> str:
    """Return the reasons of a failure, a line each, its hints, and, if there are no reasons, the details."""
    hints = [as_text(one) for one in as_list(error.get("hints"))]
    return "\n".join((*dict.fromkeys((*failure_reasons(step), *hints)), *failure_details(step)))


def _is_error(step: ReportedStep) -> bool:
    error = as_object(to_plain(step.envelope.get("error")))
    return as_text(error.get("category")) in _ERRORS and as_text(error.get("code")) != "VIOLATION"


def _output(name: str, text: str) -> list[str]:
    more = len(text) - MAX_OUTPUT
    shown = text if more <= 0 else f"{text[:MAX_OUTPUT]}\n… {more} more characters"
    return [f"      <{name}>{_text(shown)}</{name}>"]


def _seconds(step: ReportedStep) -> float:
    value = to_plain(step.envelope.get("durationMs"))
    return value / 1000 if isinstance(value, int | float) else 0.0


def _text(text: str) -> str:
    """Escape text for XML; control characters are replaced, as they are invalid even if escaped."""
    return escape(_FORBIDDEN.sub("\ufffd", text))


@hookimpl
def mcpi_outputs() -> tuple[ReportFormat, ...]:
    """Return the JUnit format."""
    return (ReportFormat("junit", render, "JUnit XML, for CI systems"),)
