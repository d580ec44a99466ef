"""The SARIF report."""

import json
from typing import Any

from mcpi.core.diff.change_rules import RULES as CHANGES
from mcpi.core.findings.finding import Finding, Severity, finding_json
from mcpi.core.lint.rules import RULES as LINT
from mcpi.core.plans.reports import Report, ReportedStep
from mcpi.plugins.reports.sarif import MAX_RESULTS, mcpi_outputs, render
from support.sarif import sarif_problems

FINDINGS = (
    Finding("unknown-type", "error", "there is no type", "tool", "a b", "/x", ("claude",), "https://e.com", "Fix it."),
    Finding("unknown-type", "error", "there is no type", "tool", "c", "/x", fix="Fix it."),
    Finding("type-list", "warning", "a list", "resource", "file:///\u00e9\ud800", "/y"),
    Finding("too-many-tools", "info", "too many", pointer="/tools"),
)


def rendered(source: str = "server.js", *steps: ReportedStep) -> Any:
    envelope: Any = {"result": {"findings": [finding_json(one) for one in FINDINGS], "summary": {}}}
    report = Report(
        "mcpi lint",
        (ReportedStep("lint", envelope), ReportedStep("ping", {"result": {}}), *steps),
        version="1.0",
        source=source,
    )
    return json.loads(render(report))


def test_each_finding_is_a_result_with_its_rule() -> None:
    (run,) = rendered()["runs"]
    driver = run["tool"]["driver"]

    assert (driver["name"], driver["version"]) == ("mcpi", "1.0")
    assert {rule["id"] for rule in driver["rules"]} == {"unknown-type", "type-list", "too-many-tools"}
    assert [driver["rules"][one["ruleIndex"]]["id"] for one in run["results"]] == [one.rule for one in FINDINGS]
    assert [one["level"] for one in run["results"]] == ["error", "error", "warning", "note"]
    assert [one["message"]["text"] for one in run["results"]] == [
        "tool a b: there is no type. Rejected by claude.",
        "tool c: there is no type.",
        "resource file:///\u00e9\ud800: a list.",
        "too many.",
    ]


def test_a_rule_links_to_its_section_and_has_its_fix() -> None:
    rules = {rule["id"]: rule for rule in rendered()["runs"][0]["tool"]["driver"]["rules"]}
    rule = LINT["type-list"]
    link = rules["type-list"]["helpUri"]

    assert link.endswith("docs/rules.md#type-list")
    assert rules["type-list"]["fullDescription"] == {"text": rule.sentence}
    assert rules["type-list"]["help"] == {
        "text": f"{rule.sentence} {rule.why} {rule.fix} Evidence: {rule.evidence}",
        "markdown": f"{rule.sentence}\n\n{rule.why}\n\n{rule.fix}\n\n[Evidence]({rule.evidence})\n\n"
        f"[About this rule]({link})",
    }


def test_rule_of_another_plugin_is_described_by_its_finding() -> None:
    entries = [finding_json(Finding(rule, "info", "m")) for rule in ("bare", "own")]
    entries[1] |= {"fix": "Fix it.", "evidence": "https://e.com"}
    step = ReportedStep("lint", {"result": {"findings": entries, "summary": {}}})
    (run,) = json.loads(render(Report("lint", (step,))))["runs"]

    texts = {rule["id"]: rule["help"]["text"] for rule in run["tool"]["driver"]["rules"]}
    assert texts == {"bare": "Bare", "own": "Fix it. Evidence: https://e.com"}


def test_result_has_a_file_a_logical_location_and_a_unique_fingerprint() -> None:
    results = rendered()["runs"][0]["results"]
    (location,) = results[0]["locations"]

    assert location["physicalLocation"]["artifactLocation"] == {"uri": "server.js"}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "tool/a b/x", "kind": "tool"}]
    assert results[3]["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "lists/tools", "kind": "list"}]
    assert len({one["partialFingerprints"]["primaryLocationLineHash"] for one in results}) == len(FINDINGS)
    assert rendered()["runs"][0]["results"] == results


def test_artifact_uri_is_percent_encoded_and_never_empty() -> None:
    uris = [
        rendered(source)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for source in ("my server.py", "")
    ]

    assert uris == ["my%20server.py", "mcp-server"]


def test_diff_changes_are_results() -> None:
    changes: Any = {
        "changes": [{"rule": "tool-removed", "class": "breaking", "tool": "a", "pointer": "", "why": "gone"}],
        "summary": {},
    }
    results = rendered("a", ReportedStep("diff", {"result": changes}))["runs"][0]["results"]

    assert (results[-1]["ruleId"], results[-1]["level"], results[-1]["message"]["text"]) == (
        "tool-removed",
        "error",
        "tool a: gone.",
    )


def test_report_is_valid_by_the_schema_and_for_code_scanning() -> None:
    assert sarif_problems(rendered()) == []


def test_all_lint_and_diff_rules_have_the_descriptions_for_code_scanning() -> None:
    findings: Any = [finding_json(Finding(rule, "error", "wrong", "tool", "t")) for rule in LINT]
    changes: Any = [{"rule": rule, "class": "breaking", "tool": "t", "pointer": "", "why": "gone"} for rule in CHANGES]
    steps = (
        ReportedStep("lint", {"result": {"findings": findings, "summary": {}}}),
        ReportedStep("diff", {"result": {"changes": changes, "summary": {}}}),
    )
    document = json.loads(render(Report("mcpi", steps)))

    assert len(document["runs"][0]["tool"]["driver"]["rules"]) == len(LINT) + len(CHANGES)
    assert sarif_problems(document) == []


def test_findings_at_the_same_place_have_distinct_fingerprints() -> None:
    entry = finding_json(Finding("type-list", "warning", "a list", "tool", "t", "/x"))
    twice: Any = {"result": {"findings": [entry, entry], "summary": {}}}
    document = json.loads(render(Report("mcpi lint", (ReportedStep("lint", twice),))))

    assert sarif_problems(document) == []


def test_most_severe_results_are_kept_beyond_the_code_scanning_limit() -> None:
    severities: tuple[tuple[Severity, int], ...] = (("info", MAX_RESULTS), ("error", 2))
    entries = [
        finding_json(Finding("type-list", severity, "a list", "tool", f"t{at}"))
        for severity, size in severities
        for at in range(size)
    ]
    step = ReportedStep("lint", {"result": {"findings": entries, "summary": {}}})
    (run,) = json.loads(render(Report("mcpi lint", (step,))))["runs"]

    assert [one["level"] for one in run["results"][:3]] == ["error", "error", "note"]
    assert len(run["results"]) == MAX_RESULTS
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "2 more findings are omitted."


def test_format_is_registered_as_sarif() -> None:
    (form,) = mcpi_outputs()

    assert (form.name, form.render) == ("sarif", render)


def test_step_without_a_result_is_a_notification_and_not_successful() -> None:
    lost: Any = {"error": {"message": "the server exited"}}
    steps = (ReportedStep("lint", lost, failed=True), ReportedStep("diff", {}, failed=True), ReportedStep("ping", {}))
    document = json.loads(render(Report("mcpi lint", steps)))
    (invocation,) = document["runs"][0]["invocations"]

    assert sarif_problems(document) == []
    assert not invocation["executionSuccessful"]
    assert [one["message"]["text"] for one in invocation["toolExecutionNotifications"]] == [
        "lint: the server exited",
        "diff: failed",
    ]
    assert rendered()["runs"][0]["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
