"""JUnit XML report for CI systems."""

import re
from html import escape

from mcpi.plugins.api import (
    Printable,
    Report,
    ReportedStep,
    ReportFormat,
    as_list,
    as_object,
    as_text,
    hookimpl,
    pretty,
    to_plain,
    violations,
)

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ERRORS = frozenset({"transport", "protocol", "validation", "capability"})
"""Fault categories that count as errors: the step's result could not be checked."""


def render(report: Report) -> str:
    """Render one test suite with a test case per step."""
    failing = [step for step in report.steps if step.failed and not step.failure_allowed]
    errors = [step for step in failing if _category(step) in _ERRORS]
    counts = {
        "tests": len(report.steps) + len(report.skipped),
        "failures": len(failing) - len(errors),
        "errors": len(errors),
        "skipped": len(report.skipped) + sum(step.failed and step.failure_allowed for step in report.steps),
        "time": f"{sum(map(_seconds, report.steps)):.3f}",
        "timestamp": report.time.removesuffix("Z"),
    }
    attributes = "".join(f' {name}="{value}"' for name, value in counts.items())
    cases = [_case(step) for step in report.steps]
    cases += [
        f'    <testcase{_name(title)}><skipped message="not carried out"/></testcase>' for title in report.skipped
    ]
    suite = f'  <testsuite name="{_text(report.title)}"{attributes}>'
    return "\n".join(
        ('<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", suite, *cases, "  </testsuite>", "</testsuites>", "")
    )


def _case(step: ReportedStep) -> str:
    inside = [*_verdict(step), *_output("system-out", pretty(step.envelope.get("result")))]
    told = [f"warning: {one}" for one in violations(step)]
    told += [as_text(line) for line in as_list(to_plain(step.envelope.get("stderr")))]
    if told:
        inside += _output("system-err", "\n".join(told))
    head = (
        f'    <testcase{_name(step.title, as_text(to_plain(step.envelope.get("method"))))} time="{_seconds(step):.3f}">'
    )
    return "\n".join((head, *inside, "    </testcase>"))


def _verdict(step: ReportedStep) -> list[str]:
    if not step.failed:
        return []
    error = as_object(to_plain(step.envelope.get("error")))
    message, code = as_text(error.get("message")), as_text(error.get("code"))
    if step.failure_allowed:
        return [f'      <skipped message="{_text(f"allowed to fail: {message}")}"/>']
    kind = "error" if _category(step) in _ERRORS else "failure"
    about: Printable = error.get("details") or error.get("rpc", {})
    return [f'      <{kind} type="{_text(code)}" message="{_text(message)}">{_text(pretty(about))}</{kind}>']


def _category(step: ReportedStep) -> str:
    return as_text(as_object(to_plain(step.envelope.get("error"))).get("category"))


def _output(name: str, text: str) -> list[str]:
    return [f"      <{name}>{_text(text)}</{name}>"]


def _name(title: str, method: str = "") -> str:
    return f' classname="{_text(method or "mcpi")}" name="{_text(title)}"'


def _seconds(step: ReportedStep) -> float:
    value = to_plain(step.envelope.get("durationMs"))
    return value / 1000 if isinstance(value, int | float) else 0.0


def _text(text: str) -> str:
    """Escape text for XML; control characters are replaced, as they are invalid even if escaped."""
    return escape(_FORBIDDEN.sub("\ufffd", text))


@hookimpl
def mcpi_outputs() -> tuple[ReportFormat, ...]:
    """Return the JUnit format."""
    return (ReportFormat("junit", render, "for CI systems"),)
