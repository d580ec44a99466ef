"""Markdown report, which GitHub shows as the summary of a job."""

import re

from mcpi.core.text.terminal_safe import escape_controls
from mcpi.plugins.api import (
    Finding,
    Report,
    ReportedStep,
    ReportFormat,
    as_list,
    as_object,
    as_text,
    failure_message,
    findings_of,
    findings_sentence,
    hookimpl,
    to_plain,
)

MAX_ROWS = 200
"""Maximum number of findings in a table."""
MAX_LENGTH = 250_000
"""Maximum number of characters: up to four bytes each, as GitHub limits a summary to 1 MiB."""
STDERR_LINES = 20
"""Maximum number of lines of the server's stderr below a failed step."""
_SIGNS = {"error": "❌", "warning": "⚠️", "info": "ℹ️"}  # noqa: RUF001 - the sign that GitHub shows as an icon
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~]")
_MAX_CELL = 300


def render(report: Report) -> str:
    """Render a heading, and a table of the steps or of the findings."""
    sign = _SIGNS["error"] if report.exit_code else "✅"
    server = as_text(to_plain(report.facts.get("server")))
    lines = [f"## {sign} {_text(report.title)}{f' — {_text(server)}' if server else ''}", ""]
    plain = [step for step in report.steps if findings_of(step.envelope) is None]
    if plain:
        lines += ["| step | result | time |", "| --- | --- | --- |"]
        lines += [_step_row(step) for step in plain]
        lines.append("")
        lines += [line for step in plain if step.failed for line in _stderr(step)]
    for step in report.steps:
        found = findings_of(step.envelope)
        if found is not None:
            lines += _findings(step, found)
    text = "\n".join(lines)
    if len(text) <= MAX_LENGTH:
        return text
    end = text.rindex("\n", 0, MAX_LENGTH)
    return f"{text[:end]}\n\nThe rest of this report is omitted.\n"


def _step_row(step: ReportedStep) -> str:
    if step.skipped:
        return f"| {_text(step.title)} | skipped | |"
    message = failure_message(step)
    verdict = "passed" if not step.failed else "allowed to fail" if step.failure_allowed else "failed"
    about = f"{verdict}: {_text(message)}" if message and step.failed else verdict
    return f"| {_text(step.title)} | {about} | {to_plain(step.envelope.get('durationMs'))} ms |"


def _stderr(step: ReportedStep) -> list[str]:
    """Return the last lines that the server wrote to stderr as a code block, which is indented."""
    lines = [as_text(line) for line in as_list(to_plain(step.envelope.get("stderr")))]
    if not lines:
        return []
    about = f" (last {STDERR_LINES} lines)" if len(lines) > STDERR_LINES else ""
    shown = (_shortened(" ".join(line.splitlines())) for line in lines[-STDERR_LINES:])
    return [f"stderr of {_text(step.title)}{about}:", "", *(f"    {line}" for line in shown), ""]


def _findings(step: ReportedStep, found: tuple[Finding, ...]) -> list[str]:
    summary = as_object(as_object(to_plain(step.envelope.get("result"))).get("summary"))
    lines = [f"**{_text(findings_sentence(found, summary))}**", ""]
    if found:
        lines += ["| | where | finding | rule |", "| --- | --- | --- | --- |"]
        lines += [_finding_row(one) for one in found[:MAX_ROWS]]
        lines.append("")
    if len(found) > MAX_ROWS:
        lines += [f"and {len(found) - MAX_ROWS} more", ""]
    return lines


def _finding_row(finding: Finding) -> str:
    rejected = f" {finding.rejection.capitalize()}." if finding.rejected_by else ""
    rule = f"[{finding.rule}]({finding.evidence})" if finding.evidence else finding.rule
    fix = f" {_text(finding.fix)}" if finding.fix else ""
    sign = f"{_SIGNS[finding.severity]} {finding.label or finding.severity}"
    return f"| {sign} | {_text(finding.place)} | {_text(finding.message)}.{rejected}{fix} | {rule} |"


def _text(text: str) -> str:
    """Escape markup, and put the text on one line."""
    shown = _shortened(" ".join(text.split()))
    return _MARKUP.sub(
        lambda found: f"\\{found[0]}" if found[0] not in "<>" else {"<": "&lt;", ">": "&gt;"}[found[0]], shown
    )


def _shortened(text: str) -> str:
    """Shorten the text, and escape control characters."""
    return escape_controls(text if len(text) <= _MAX_CELL else f"{text[:_MAX_CELL]}…")


@hookimpl
def mcpi_outputs() -> tuple[ReportFormat, ...]:
    """Return the Markdown format."""
    return (ReportFormat("md", render, "Markdown, for job summaries"),)
