"""The JUnit XML report."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.findings.finding import Finding, Severity, finding_json
from mcpi.core.jsontext.exact import Printable
from mcpi.core.plans.reports import Report, ReportedStep
from mcpi.plugins.reports.junit import MAX_OUTPUT, mcpi_outputs, render
from support.junit_schema import schema_problems
from support.reports import RUN

SUITE = ET.fromstring(render(RUN))[0]  # noqa: S314 - written by mcpi


def test_suite_counts_all_verdicts() -> None:
    assert SUITE.attrib == {
        "name": "mcpi <script>.json",
        "tests": "5",
        "failures": "1",
        "errors": "1",
        "skipped": "2",
        "time": "0.014",
        "timestamp": "2026-11-18T12:00:00.000",
    }


def test_every_step_is_a_test_case_with_its_verdict() -> None:
    assert [(case.get("classname"), case.get("name"), [part.tag for part in case]) for case in SUITE] == [
        ("<script>.json", "sum", ["system-out", "system-err"]),
        ("<script>.json", "wrong", ["failure", "system-out"]),
        ("<script>.json", "may", ["skipped"]),
        ("<script>.json", "gone", ["error"]),
        ("<script>.json", "never", ["skipped"]),
    ]


def cases(*titles: str, script: str = "") -> list[tuple[str | None, str | None]]:
    """The classes and names of the cases for steps with these titles."""
    steps = tuple(ReportedStep(title, {"method": "ping"}) for title in titles)
    suite = ET.fromstring(render(Report("run", steps, script=script)))[0]  # noqa: S314 - written by mcpi
    return [(case.get("classname"), case.get("name")) for case in suite]


def test_duplicate_names_are_numbered() -> None:
    assert cases("a", "b", "a", "a #3", "a", script="s.json") == [
        ("s.json", "a"), ("s.json", "b"), ("s.json", "a #2"), ("s.json", "a #3"), ("s.json", "a #4")
    ]  # fmt: skip


def test_class_name_of_a_single_call_is_its_method() -> None:
    assert cases("ping") == [("ping", "ping")]


@given(st.lists(st.sampled_from(["a", "a #2", "b"]), max_size=6), st.integers(0, 6))
def test_inserted_step_does_not_rename_other_cases(titles: list[str], place: int) -> None:
    before = cases(*titles)
    after = cases(*titles[:place], "a new one", *titles[place:])

    assert [case for case in after if case[1] != "a new one"] == before
    assert len(set(after)) == len(after)


CODES = [
    ("VIOLATION", "protocol", "failure"),
    ("INVALID_RESPONSE", "protocol", "error"),
    ("TOOL_ERROR", "application", "failure"),
    ("INVALID_SCRIPT", "validation", "failure"),
    ("SERVER_EXITED", "transport", "error"),
]


@pytest.mark.parametrize(("code", "category", "kind"), CODES)
def test_step_that_cannot_be_checked_is_an_error_and_others_are_failures(code: str, category: str, kind: str) -> None:
    error: Printable = {"code": code, "category": category, "message": "no", "details": {}}
    suite = ET.fromstring(render(Report("run", (ReportedStep("a", {"error": error}, failed=True),))))[0]  # noqa: S314 - written by mcpi

    assert suite[0][0].tag == kind
    assert (suite.get("failures"), suite.get("errors")) == (("1", "0") if kind == "failure" else ("0", "1"))


def test_report_conforms_to_the_jenkins_schema() -> None:
    assert schema_problems(render(RUN)) == []


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("<testcase ", "<testcase file='a' ", "testcase with file=a"),
        (' tests="5"', "", "testsuite without tests"),
        (' time="0.014"', ' time="soon"', "testsuite with time=soon"),
        ("<failure ", "<system-out/>x<property/><failure ", "property in testcase"),
        ("<testsuites>", "<testsuites>text", "text in testsuites"),
    ],
)
def test_schema_check_detects_invalid_reports(right: str, wrong: str, problem: str) -> None:
    assert problem in schema_problems(render(RUN).replace(right, wrong, 1))


def test_failure_has_type_message_and_details() -> None:
    failure = SUITE[1][0]

    assert (failure.get("type"), failure.get("message")) == (
        "EXPECTATION_FAILED",
        "1 of 2 <expectations> failed: /sum: expected 4, got 3",
    )
    assert failure.text == "/sum: expected 4, got 3"


def test_tool_error_and_hints_are_plain_text() -> None:
    error: Printable = {"message": "it failed", "details": {"evidence": ["no\nnote"]}, "hints": ["try again"]}
    case = ET.fromstring(render(Report("run", (ReportedStep("a", {"error": error}, failed=True),))))[0][0]  # noqa: S314 - written by mcpi

    assert (case[0].get("message"), case[0].text) == ("it failed: no note", "no\nnote\ntry again")


def test_result_and_stderr_are_the_output_of_the_case() -> None:
    assert [part.text for part in SUITE[0]] == ['{\n  "sum": 1.10\n}', "started"]


def test_long_result_is_shortened() -> None:
    text = render(Report("mcpi", (ReportedStep("a", {"result": "b" * MAX_OUTPUT}),)))

    assert "b\n… 2 more characters</system-out>" in text


def test_rpc_errors_violations_and_stderr_are_included() -> None:
    noise = {"rule": "not-json", "detail": "not a JSON-RPC message", "evidence": "hello"}
    error: Printable = {"code": "JSON_RPC_ERROR", "message": "no", "rpc": {"code": -1}, "details": {}}
    step = ReportedStep("a", {"error": error, "violations": [noise], "stderr": ["started"]}, failed=True)
    case = ET.fromstring(render(Report("run", (step,))))[0][0]  # noqa: S314 - written by mcpi

    assert [part.text for part in case] == ["code: -1", "warning: not a JSON-RPC message: hello\nstarted"]


@given(st.text())
def test_any_text_gives_well_formed_xml(text: str) -> None:
    run = Report(
        text, (ReportedStep(text, {"method": "m", "error": {"message": text}, "stderr": [text]}, failed=True),)
    )

    assert ET.fromstring(render(run).encode("utf-8", "replace"))[0][0].tag == "testcase"  # noqa: S314 - written by mcpi


def test_format_is_registered_as_junit() -> None:
    assert [output.name for output in mcpi_outputs()] == ["junit"]


def test_every_finding_is_a_test_case() -> None:
    findings = (
        Finding(
            "unknown-type", "error", "there is no type", "tool", "search", "/x", ("claude",), "https://e.com", "Fix."
        ),
        Finding("type-list", "warning", "a list", "tool", "search", "/y"),
    )
    result: Any = {"findings": [finding_json(one) for one in findings], "summary": {}}
    suite = ET.fromstring(render(Report("mcpi lint", (ReportedStep("lint", {"result": result}),))))[0]  # noqa: S314 - written by mcpi

    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert [(case.get("classname"), case.get("name"), case[0].tag) for case in suite][1:] == [
        ("lint", "unknown-type: tool search /x", "failure"),
        ("lint", "type-list: tool search /y", "system-out"),
    ]
    assert (suite[1][0].get("type"), suite[1][0].text) == (
        "unknown-type",
        "there is no type\nrejected by claude\nFix.\nhttps://e.com",
    )


def lint_suite(code: str, *severities: Severity, allowed: bool = False, failing: Printable = ("error",)) -> ET.Element:
    """The test suite of a lint run that failed with this code, with one finding of each severity."""
    findings: Any = [finding_json(Finding("rule", one, "no", "tool", "search")) for one in severities]
    envelope: Any = {
        "method": "lint",
        "result": {"findings": findings, "summary": {"tools": 2}},
        "error": {"code": code, "category": "application", "message": "lint: failed", "details": {"failing": failing}},
    }
    step = ReportedStep("lint", envelope, failed=True, failure_allowed=allowed)
    return ET.fromstring(render(Report("mcpi lint", (step,))))[0]  # noqa: S314 - written by mcpi


@pytest.mark.parametrize("code", ["FINDINGS", "CONTRACT_CHANGED"])
def test_run_passes_if_its_failures_are_test_cases_of_their_own(code: str) -> None:
    suite = lint_suite(code, "error", "error", "warning")

    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
    assert [(part.tag, part.text) for part in suite[0]] == [("system-out", "2 errors, 1 warning in 2 tools")]


def diff_suite(fails: Printable, *classes: str) -> ET.Element:
    """The test suite of a diff that failed because of changes of these classes, with one change of each class."""
    changes: Any = [{"rule": one, "class": one, "pointer": "/x", "why": "it changed"} for one in classes]
    envelope: Any = {
        "method": "diff",
        "result": {"changes": changes, "summary": {}},
        "error": {"code": "CONTRACT_CHANGED", "message": "it changed", "details": {"additive": 1, "failing": fails}},
    }
    return ET.fromstring(render(Report("mcpi diff", (ReportedStep("diff", envelope, failed=True),))))[0]  # noqa: S314 - written by mcpi


@pytest.mark.parametrize(
    ("failing", "failed"),
    [
        (["breaking"], ["breaking: /x"]),
        (["breaking", "routing"], ["breaking: /x", "routing: /x"]),
        (["breaking", "additive", "routing", "cosmetic"], ["breaking: /x", "routing: /x", "cosmetic: /x"]),
    ],
)
def test_change_that_fails_the_run_is_a_failing_test_case(failing: Printable, failed: list[str]) -> None:
    suite = diff_suite(failing, "breaking", "routing", "cosmetic")

    assert suite.get("failures") == str(len(failed))
    assert [case.get("name") for case in suite if case[0].tag == "failure"] == failed
    assert [part.tag for part in suite[0]] == ["system-out"]


def test_run_without_a_failing_change_is_a_failing_test_case() -> None:
    suite = diff_suite(["breaking"], "additive")

    assert [case.get("name") for case in suite if case[0].tag == "failure"] == ["diff"]


def test_warning_that_fails_a_lint_is_a_failing_test_case() -> None:
    suite = lint_suite("FINDINGS", "warning", "info", failing=["error", "warning"])

    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert [case[0].tag for case in suite] == ["system-out", "failure", "system-out"]


@pytest.mark.parametrize(
    ("code", "severity", "failures", "verdict"),
    [
        ("FINDINGS", "warning", "1", "failure"),
        ("VIOLATION", "error", "2", "failure"),
    ],
)
def test_run_fails_for_a_reason_that_no_finding_shows(
    code: str, severity: Severity, failures: str, verdict: str
) -> None:
    suite = lint_suite(code, severity)

    assert (suite.get("failures"), suite[0][0].tag) == (failures, verdict)


def test_allowed_findings_are_reported_as_allowed() -> None:
    assert lint_suite("FINDINGS", "error", allowed=True)[0][0].tag == "skipped"
    suite = lint_suite("FINDINGS", "warning", allowed=True, failing=["warning"])
    assert [case[0].tag for case in suite] == ["skipped", "system-out"]
