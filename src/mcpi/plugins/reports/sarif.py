"""SARIF 2.1.0 report, which code scanning shows."""

from collections import Counter
from hashlib import sha256
from urllib.parse import quote

from mcpi.core.version import DOCS
from mcpi.plugins.api import (
    Finding,
    JsonObject,
    Report,
    ReportFormat,
    failure_message,
    findings_of,
    hookimpl,
    pretty,
)

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME = "https://github.com/mcpi-cli/mcpi"
RULES = f"{DOCS}/rules.md"
"""The page with a section for each rule."""
MAX_RESULTS = 25_000
"""Maximum number of results in a file that code scanning accepts."""
_MAX_DESCRIPTION = 1024
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render(report: Report) -> str:
    """Render one run with a result per finding of any step; beyond the limit, only the most severe ones."""
    found = [one for step in report.steps for one in findings_of(step.envelope) or ()]
    findings = found if len(found) <= MAX_RESULTS else sorted(found, key=lambda one: [*_LEVELS].index(one.severity))
    findings = findings[:MAX_RESULTS]
    rules = {one.rule: one for one in reversed(findings)}
    numbers = {name: at for at, name in enumerate(rules)}
    driver: JsonObject = {
        "name": "mcpi",
        "informationUri": HOME,
        **({"version": report.version} if report.version else {}),
        "rules": [_rule(one) for one in rules.values()],
    }
    seen: Counter[str] = Counter()
    run: JsonObject = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, len(found) - len(findings))],
        "results": [_result(one, numbers[one.rule], report.source, seen) for one in findings],
    }
    return f"{pretty({'$schema': SCHEMA, 'version': '2.1.0', 'runs': [run]})}\n"


def _invocation(report: Report, left_out: int) -> JsonObject:
    """Tell whether all definitions were checked; otherwise, no results does not mean no problems."""
    failed = [step for step in report.steps if step.failed and findings_of(step.envelope) is None]
    notes = [("error", f"{step.title}: {failure_message(step) or 'failed'}") for step in failed]
    notes += [("warning", f"{left_out} more findings are omitted.")] if left_out else []
    return {
        "executionSuccessful": not failed,
        "toolExecutionNotifications": [{"level": level, "message": {"text": text}} for level, text in notes],
    }


def _rule(finding: Finding) -> JsonObject:
    """Describe a rule; code scanning requires both descriptions and the help."""
    title = finding.rule.replace("-", " ").capitalize()
    sentence, why, fix, evidence = _described(finding)
    link = f"{RULES}#{finding.rule}"
    return {
        "id": finding.rule,
        "name": title.title().replace(" ", ""),
        "shortDescription": {"text": title},
        "fullDescription": {"text": (sentence or title)[:_MAX_DESCRIPTION]},
        "helpUri": link,
        "help": {
            "text": " ".join(part for part in (sentence, why, fix, evidence and f"Evidence: {evidence}") if part)
            or title,
            "markdown": "\n\n".join(
                part.replace("<", "&lt;")
                for part in (sentence, why, fix, evidence and f"[Evidence]({evidence})", f"[About this rule]({link})")
                if part
            ),
        },
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
    }


def _described(finding: Finding) -> tuple[str, str, str, str]:
    """Return a rule's sentence, reason, fix and evidence; or the finding's own fix and evidence for other rules."""
    from mcpi.core.diff.change_rules import RULES as CHANGES  # noqa: PLC0415 - rarely needed
    from mcpi.core.lint.rules import RULES as CHECKS  # noqa: PLC0415 - rarely needed

    if finding.rule in CHECKS:
        check = CHECKS[finding.rule]
        return check.sentence, check.why, check.fix, check.evidence
    if finding.rule in CHANGES:
        change = CHANGES[finding.rule]
        return change.title, "", change.fix, change.evidence
    return "", "", finding.fix, finding.evidence


def _result(finding: Finding, number: int, source: str, seen: "Counter[str]") -> JsonObject:
    place = "/".join(part for part in (finding.kind, finding.name) if part) or "lists"
    identity = f"{finding.rule}|{place}|{finding.pointer}"
    digest = sha256(identity.encode(errors="backslashreplace")).hexdigest()
    seen[digest] += 1
    rejected = f" {finding.rejection.capitalize()}." if finding.rejected_by else ""
    subject = f"{finding.subject}: " if finding.subject else ""
    physical: JsonObject = {
        "artifactLocation": {"uri": quote(source or "mcp-server", safe="/.-_~")},
        "region": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2},
    }
    logical: JsonObject = {"fullyQualifiedName": f"{place}{finding.pointer}", "kind": finding.kind or "list"}
    return {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{subject}{finding.message}.{rejected}"},
        "locations": [{"physicalLocation": physical, "logicalLocations": [logical]}],
        # All results are on one line of one file, so their fingerprints tell them apart.
        "partialFingerprints": {
            "primaryLocationLineHash": f"{digest[:16]}:{seen[digest]}",
            "mcpiFinding/v1": f"{digest}:{seen[digest]}",
        },
    }


@hookimpl
def mcpi_outputs() -> tuple[ReportFormat, ...]:
    """Return the SARIF format."""
    return (ReportFormat("sarif", render, "lint and diff findings, for code scanning"),)
