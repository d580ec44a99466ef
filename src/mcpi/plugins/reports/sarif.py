"""SARIF 2.1.0 report, which code scanning shows."""

from hashlib import sha256
from urllib.parse import quote

from mcpi.plugins.api import (
    Finding,
    JsonObject,
    Report,
    ReportFormat,
    findings_of,
    hookimpl,
    pretty,
)

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME = "https://github.com/mcpi-cli/mcpi"
RULES = f"{HOME}/blob/main/docs/rules.md"
CHANGES = f"{HOME}/blob/main/docs/diff.md"
"""The page that explains the rules of changes, whose findings have a label."""
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render(report: Report) -> str:
    """Render one run with a result per finding of any step."""
    findings = [one for step in report.steps for one in findings_of(step.envelope) or ()]
    rules = {one.rule: one for one in reversed(findings)}
    numbers = {name: at for at, name in enumerate(rules)}
    driver: JsonObject = {
        "name": "mcpi",
        "informationUri": HOME,
        "version": report.version,
        "rules": [_rule(one) for one in rules.values()],
    }
    run: JsonObject = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, numbers[one.rule], report.source) for one in findings],
    }
    return f"{pretty({'$schema': SCHEMA, 'version': '2.1.0', 'runs': [run]})}\n"


def _rule(finding: Finding) -> JsonObject:
    title = finding.rule.replace("-", " ").capitalize()
    rule: JsonObject = {
        "id": finding.rule,
        "name": title.title().replace(" ", ""),
        "shortDescription": {"text": title},
        "helpUri": CHANGES if finding.label else f"{RULES}#{finding.rule}",
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
    }
    if finding.fix:
        evidence = f" Evidence: {finding.evidence}" if finding.evidence else ""
        markdown = f"{finding.fix}\n\n[Evidence]({finding.evidence})" if finding.evidence else finding.fix
        rule["help"] = {"text": f"{finding.fix}{evidence}", "markdown": markdown}
    return rule


def _result(finding: Finding, number: int, source: str) -> JsonObject:
    place = "/".join(part for part in (finding.kind, finding.name) if part) or "lists"
    identity = f"{finding.rule}|{place}|{finding.pointer}"
    digest = sha256(identity.encode(errors="backslashreplace")).hexdigest()
    rejected = f" Rejected by {', '.join(finding.rejected_by)}." if finding.rejected_by else ""
    subject = f"{finding.subject}: " if finding.subject else ""
    physical: JsonObject = {
        "artifactLocation": {"uri": quote(source or "mcp-server", safe="/.-_~")},
        "region": {"startLine": 1},
    }
    logical: JsonObject = {"fullyQualifiedName": f"{place}{finding.pointer}", "kind": finding.kind or "list"}
    return {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{subject}{finding.message}.{rejected}"},
        "locations": [{"physicalLocation": physical, "logicalLocations": [logical]}],
        # All results are on one line of one file, so their fingerprints tell them apart.
        "partialFingerprints": {"primaryLocationLineHash": f"{digest[:16]}:1", "mcpiFinding/v1": digest},
    }


@hookimpl
def mcpi_outputs() -> tuple[ReportFormat, ...]:
    """Return the SARIF format."""
    return (ReportFormat("sarif", render, "findings for code scanning"),)
