"""The SARIF report."""

import json
from typing import Any

from jsonschema import Draft7Validator

from mcpi.core.findings.finding import Finding, finding_json
from mcpi.core.plans.reports import Report, ReportedStep
from mcpi.plugins.reports.sarif import mcpi_outputs, render

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

    assert rules["unknown-type"]["helpUri"].endswith("docs/rules.md#unknown-type")
    assert rules["unknown-type"]["help"] == {
        "text": "Fix it. Evidence: https://e.com",
        "markdown": "Fix it.\n\n[Evidence](https://e.com)",
    }
    assert "help" not in rules["type-list"]


def test_a_result_has_a_file_a_definition_and_a_fingerprint_of_its_own() -> None:
    results = rendered()["runs"][0]["results"]
    (location,) = results[0]["locations"]

    assert location["physicalLocation"]["artifactLocation"] == {"uri": "server.js"}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "tool/a b/x", "kind": "tool"}]
    assert results[3]["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "lists/tools", "kind": "list"}]
    assert len({one["partialFingerprints"]["primaryLocationLineHash"] for one in results}) == len(FINDINGS)
    assert rendered()["runs"][0]["results"] == results


def test_a_file_name_is_a_uri_and_there_always_is_one() -> None:
    uris = [
        rendered(source)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for source in ("my server.py", "")
    ]

    assert uris == ["my%20server.py", "mcp-server"]


def test_changes_are_results_too() -> None:
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


def test_the_parts_that_the_schema_of_sarif_requires_are_there() -> None:
    """The complete schema is checked against the installed command."""
    required = {
        "type": "object",
        "required": ["version", "runs"],
        "properties": {
            "version": {"const": "2.1.0"},
            "runs": {
                "items": {
                    "required": ["tool", "results"],
                    "properties": {"results": {"items": {"required": ["message", "locations"]}}},
                }
            },
        },
    }

    assert [*Draft7Validator(required).iter_errors(rendered())] == []


def test_the_format_is_offered() -> None:
    (form,) = mcpi_outputs()

    assert (form.name, form.render) == ("sarif", render)


def test_changes_are_explained_on_their_own_page() -> None:
    change = {"rule": "tool-removed", "class": "breaking", "tool": "t", "pointer": "", "why": "calls of it fail"}
    result: Any = {"changes": [change], "summary": {}}
    document = json.loads(render(Report("mcpi diff", (ReportedStep("diff", {"result": result}),))))

    (rule,) = document["runs"][0]["tool"]["driver"]["rules"]
    assert rule["helpUri"].endswith("docs/diff.md")
