"""Findings as JSON and as read by reports."""

from typing import Any

import pytest

from mcpi.core.findings.finding import (
    Finding,
    Severity,
    count_severities,
    finding_json,
    findings_of,
    verdict_text,
)
from support.replay import exact

FINDING = Finding(
    "unknown-type",
    "error",
    "there is no type",
    "tool",
    "search",
    "/inputSchema/type",
    ("claude",),
    "https://example.com",
    "Fix it.",
)


def test_finding_as_json_matches_the_output_of_lint() -> None:
    assert finding_json(FINDING) == {
        "rule": "unknown-type",
        "severity": "error",
        "tool": "search",
        "pointer": "/inputSchema/type",
        "message": "there is no type",
        "rejectedBy": ["claude"],
        "evidence": "https://example.com",
        "fix": "Fix it.",
    }


def test_finding_about_all_tools_has_no_subject() -> None:
    about_all = Finding("too-many-tools", "warning", "too many", pointer="/tools")

    assert {"tool", "resource", "template", "prompt"} & finding_json(about_all).keys() == set()
    assert (about_all.subject, about_all.place) == ("", "/tools")
    assert (FINDING.subject, FINDING.place) == ("tool search", "tool search /inputSchema/type")


def test_findings_are_read_from_the_result_of_an_envelope() -> None:
    result: Any = {"findings": [finding_json(FINDING)], "summary": {}}

    assert findings_of({"result": result}) == (FINDING,)
    assert findings_of({"result": exact({"findings": [{}], "summary": {}})}) == (Finding("", "info", ""),)


def test_changes_become_findings_labeled_with_their_class() -> None:
    changes: Any = [
        {"rule": "r", "class": name, "prompt": "p", "pointer": "/name", "why": "because"}
        for name in ("breaking", "routing", "additive", "cosmetic")
    ]
    found = findings_of({"result": exact({"changes": changes, "summary": {}})}) or ()

    assert [(one.label, one.severity) for one in found] == [
        ("breaking", "error"),
        ("routing", "warning"),
        ("additive", "info"),
        ("cosmetic", "info"),
    ]
    assert (found[0].subject, found[0].message, found[0].pointer) == ("prompt p", "because", "/name")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("create_ticket", "open_ticket", 'because ("create_ticket" -> "open_ticket")'),
        (None, "limit", 'because (now "limit")'),
        ("a" * 100, 1, f'because ("{"a" * 58}… -> 1)'),
        ({"type": "string"}, None, 'because (was {"type":"string"})'),
        ({"name": "a" * 100}, None, "because"),
        (None, None, "because"),
    ],
)
def test_message_of_a_change_has_its_values(old: Any, new: Any, message: str) -> None:
    changes: Any = [{"rule": "r", "class": "breaking", "pointer": "/name", "old": old, "new": new, "why": "because"}]
    found = findings_of({"result": exact({"changes": changes, "summary": {}})}) or ()

    assert [one.message for one in found] == [message]


def test_message_of_a_removed_definition_does_not_repeat_it() -> None:
    removed: Any = {"rule": "r", "class": "breaking", "prompt": "p", "pointer": "", "old": {"name": "p"}, "why": "gone"}
    found = findings_of({"result": exact({"changes": [removed], "summary": {}})}) or ()

    assert [one.message for one in found] == ["gone"]


def test_other_results_have_no_findings() -> None:
    results: Any = (None, {}, {"findings": []}, {"changes": 1, "summary": {}}, {"tools": [], "summary": {}})
    for result in results:
        assert findings_of({"result": result}) is None


def test_verdict_counts_findings_by_severity() -> None:
    warning = Finding("r", "warning", "m")

    assert verdict_text([FINDING, FINDING, warning]) == "2 errors, 1 warning"
    assert verdict_text([]) == "no findings"
    assert count_severities([warning]) == {"error": 0, "warning": 1, "info": 0}


@pytest.mark.parametrize(
    ("severity", "clients", "expected"),
    [
        ("error", ("claude", "openai"), "rejected by claude, openai"),
        ("warning", ("gemini",), "can be rejected by gemini"),
        ("info", ("gemini",), "can be rejected by gemini"),
        ("error", (), ""),
    ],
)
def test_only_errors_are_always_rejected(severity: Severity, clients: tuple[str, ...], expected: str) -> None:
    assert Finding("r", severity, "wrong", rejected_by=clients).rejection == expected
