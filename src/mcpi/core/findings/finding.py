"""One finding about a definition, in the form that all reports render."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable, to_plain
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, as_text
from mcpi.core.jsontext.writing import dump

Severity: TypeAlias = Literal["error", "warning", "info"]
SubjectKind: TypeAlias = Literal["tool", "resource", "template", "prompt", ""]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_SEVERITIES: Mapping[str, Severity] = {one: one for one in SEVERITIES}
SUBJECT_KINDS: tuple[SubjectKind, ...] = ("tool", "resource", "template", "prompt")


@frozen
class Finding:
    """A problem in a definition, or a change between two versions of it."""

    rule: str
    severity: Severity
    message: str
    kind: SubjectKind = ""
    """The kind of definition; empty for the lists as a whole."""
    name: str = ""
    """The name or URI of the definition."""
    pointer: str = ""
    """JSON pointer inside the definition."""
    rejected_by: tuple[str, ...] = ()
    """The clients and model APIs that reject the definition."""
    evidence: str = ""
    """A link that proves the problem."""
    fix: str = ""
    label: str = ""
    """The class to show instead of the severity, such as breaking."""

    @property
    def subject(self) -> str:
        """The definition as text, such as `tool search`; empty for the lists as a whole."""
        return f"{self.kind} {self.name}" if self.kind else ""

    @property
    def place(self) -> str:
        """The definition and the pointer as text."""
        return " ".join(part for part in (self.subject, self.pointer) if part)

    @property
    def rejection(self) -> str:
        """The clients that reject the definition as text, such as `rejected by claude`; empty if there are none."""
        return f"{rejection_verb(self.severity)} {', '.join(self.rejected_by)}" if self.rejected_by else ""


def rejection_verb(severity: Severity) -> str:
    """Return the words for a rejection; only errors are always rejected."""
    return "rejected by" if severity == "error" else "can be rejected by"


def finding_json(finding: Finding) -> dict[str, Printable]:
    """Write a finding as `mcpi lint` prints it."""
    subject: dict[str, Printable] = {finding.kind: finding.name} if finding.kind else {}
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        **subject,
        "pointer": finding.pointer,
        "message": finding.message,
        "rejectedBy": list(finding.rejected_by),
        "evidence": finding.evidence,
        "fix": finding.fix,
    }


_CHANGE_SEVERITIES: Mapping[str, Severity] = {"breaking": "error", "routing": "warning"}
"""The severity of each class of changes; the default is info."""
_MAX_VALUE = 60
"""Maximum length of the old and of the new value in the message of a change."""


def findings_of(envelope: Mapping[str, Printable]) -> tuple[Finding, ...] | None:
    """Read the findings or changes of an envelope's result; None if it has neither."""
    result = as_object(to_plain(envelope.get("result")))
    if "summary" in result and isinstance(result.get("findings"), list):
        return tuple(_read_finding(as_object(one)) for one in as_list(result["findings"]))
    if "summary" in result and isinstance(result.get("changes"), list):
        return tuple(_read_change(as_object(one)) for one in as_list(result["changes"]))
    return None


def _read_finding(entry: JsonObject) -> Finding:
    severity = _SEVERITIES.get(as_text(entry.get("severity")), "info")
    kind, name = _subject(entry)
    return Finding(
        as_text(entry.get("rule")),
        severity,
        as_text(entry.get("message")),
        kind,
        name,
        as_text(entry.get("pointer")),
        tuple(as_text(one) for one in as_list(entry.get("rejectedBy"))),
        as_text(entry.get("evidence")),
        as_text(entry.get("fix")),
    )


def _read_change(entry: JsonObject) -> Finding:
    label = as_text(entry.get("class"))
    kind, name = _subject(entry)
    return Finding(
        as_text(entry.get("rule")),
        _CHANGE_SEVERITIES.get(label, "info"),
        f"{as_text(entry.get('why'))}{_values(entry)}",
        kind,
        name,
        as_text(entry.get("pointer")),
        label=label,
    )


def _values(change: JsonObject) -> str:
    """Return the old and the new value in parentheses; nothing for whole definitions and large schemas."""
    from mcpi.core.diff.value_text import value_text  # noqa: PLC0415 - rarely needed

    old, new = change.get("old"), change.get("new")
    is_large = any(isinstance(one, dict) and len(dump(one)) > _MAX_VALUE for one in (old, new))
    is_shown = change.get("pointer") and not is_large and (old, new) != (None, None)
    return f" ({value_text(old, new, _MAX_VALUE)})" if is_shown else ""


def _subject(entry: Mapping[str, Json]) -> tuple[SubjectKind, str]:
    for kind in SUBJECT_KINDS:
        if kind in entry:
            return kind, as_text(entry[kind])
    return "", ""


def count_severities(findings: Iterable[Finding]) -> dict[Severity, int]:
    """Count the findings of each severity."""
    counts = Counter(one.severity for one in findings)
    return {severity: counts[severity] for severity in SEVERITIES}


def verdict_text(findings: Iterable[Finding]) -> str:
    """Return the number of findings as text, such as `2 errors, 1 warning` or `no findings`."""
    counts = [(number, severity) for severity, number in count_severities(findings).items() if number]
    return ", ".join(f"{number} {name}{'' if number == 1 else 's'}" for number, name in counts) or "no findings"
