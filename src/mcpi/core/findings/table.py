"""Human-readable table of findings."""

from collections.abc import Iterator, Mapping, Sequence

from mcpi.core.findings.finding import Finding, findings_of, verdict_text
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.core.text.colors import Paint
from mcpi.core.text.layout import clamp_width
from mcpi.core.text.terminal_safe import escape_controls

MAX_ROWS = 50
"""Maximum number of findings to show; the JSON has all of them."""
_STYLES = {"error": "error", "warning": "warning", "info": "faint"}
_INDENT = 10


def findings_table(document: Printable, width: int, paint: Paint) -> list[str]:
    """Format a document with findings or changes: the totals, then each finding."""
    findings = findings_of({"result": document}) or ()
    lines = [_verdict_line(findings, as_object(to_plain(document)), paint)]
    for one in findings[:MAX_ROWS]:
        lines += _rows(one, clamp_width(width), paint)
    if len(findings) > MAX_ROWS:
        lines.append(f"and {len(findings) - MAX_ROWS} more")
    return lines


def verdict_sentence(findings: Sequence[Finding], summary: Mapping[str, Printable]) -> str:
    """Count the findings or changes, and the tools, in one sentence."""
    counted = _class_text(findings) or ("no changes" if "breaking" in summary else verdict_text(findings))
    tools, tokens = summary.get("tools"), summary.get("tokens")
    about = f" in {tools} tool{'' if tools == 1 else 's'}" if isinstance(tools, int) else ""
    return f"{counted}{about}{f', about {tokens:,} tokens' if isinstance(tokens, int) else ''}"


def finding_lines(findings: Sequence[Finding], limit: int) -> tuple[str, ...]:
    """Format findings as one line each."""
    lines = [f"{one.label or one.severity}: {one.place}: {one.message} [{one.rule}]" for one in findings[:limit]]
    more = (f"and {len(findings) - limit} more",) if len(findings) > limit else ()
    return (*(line.replace(": : ", ": ") for line in lines), *more)


def _verdict_line(findings: Sequence[Finding], document: JsonObject, paint: Paint) -> str:
    worst = next((name for name in ("error", "warning") if any(one.severity == name for one in findings)), "good")
    return paint(worst, verdict_sentence(findings, as_object(document.get("summary"))))


def _class_text(findings: Sequence[Finding]) -> str:
    labels = dict.fromkeys(one.label for one in findings if one.label)
    return ", ".join(f"{sum(one.label == label for one in findings)} {label}" for label in labels)


def _rows(finding: Finding, width: int, paint: Paint) -> Iterator[str]:
    word = finding.label or finding.severity
    head = " ".join(part for part in (finding.subject, finding.pointer) if part)
    severity = paint(_STYLES[finding.severity], f"{word:{_INDENT - 1}}")
    yield f"{severity} {paint('name', finding.rule)}  {_short(head, width)}"
    rejected = f" ({finding.rejection})" if finding.rejected_by else ""
    yield f"{'':{_INDENT}}{_short(finding.message, 4 * width)}{rejected}"
    if finding.fix:
        yield f"{'':{_INDENT}}{paint('faint', f'fix: {finding.fix}')}"


def _short(text: str, width: int) -> str:
    shown = escape_controls(text)
    return shown if len(shown) <= width else f"{shown[: width - 1]}…"
