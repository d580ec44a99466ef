"""Report formats and their data."""

import pytest

from mcpi.core.jsontext.exact import Printable
from mcpi.core.plans.reports import (
    Report,
    ReportedStep,
    ReportFormat,
    failure_details,
    failure_message,
    failure_reasons,
    violations,
)
from mcpi.core.wire.violations import quote


def test_report_format_is_a_name_and_a_render_function() -> None:
    output = ReportFormat("count", lambda report: f"{len(report.steps)} steps\n")

    assert output.render(Report("run", (ReportedStep("a", {}), ReportedStep("b", {})))) == "2 steps\n"


def test_violations_of_a_step_are_listed_with_their_evidence() -> None:
    step = ReportedStep(
        "a", {"violations": [{"rule": "x", "detail": "one", "evidence": ""}, {"detail": "two", "evidence": "text"}]}
    )

    assert (violations(step), violations(ReportedStep("b", {}))) == (["one", "two: text"], [])


@pytest.mark.parametrize(
    ("details", "reasons", "message"),
    [
        ({"failures": ["/a: x", "/b: y"]}, ["/a: x", "/b: y"], "it failed: /a: x"),
        ({"evidence": ["two\n lines"]}, ["two\n lines"], "it failed: two lines"),
        ({"problems": [{"pointer": "/a", "problem": "x"}, {"problem": "y"}]}, ["/a: x", "/: y"], "it failed: /a: x"),
        ({"failures": ["it failed"]}, ["it failed"], "it failed"),
        ({"evidence": ["x" * 999]}, ["x" * 999], f"it failed: {quote('x' * 999)}"),
        ({"exitCode": 3}, [], "it failed"),
        (None, [], "it failed"),
    ],
)
def test_reasons_of_a_failure_are_its_evidence(details: Printable, reasons: list[str], message: str) -> None:
    step = ReportedStep("a", {"error": {"message": "it failed", "details": details}}, failed=True)

    assert (failure_reasons(step), failure_message(step)) == (reasons, message)


@pytest.mark.parametrize(
    ("error", "found"),
    [
        ({"details": {"exitCode": 3, "signal": None, "stderr": []}}, ["exit code: 3"]),
        ({"details": {"exitCode": 3, "stderr": ["one", "two"]}}, ["exit code: 3", "stderr:", "one", "two"]),
        (
            {"details": {"waitedMs": 300.5, "outstanding": "x/n", "lastSeen": '{"id":2}'}},
            ["waited (ms): 300.5", "waited for: x/n", 'last received: {"id":2}'],
        ),
        ({"details": {"where": "toolName"}, "rpc": {"code": -1}}, ["code: -1"]),
        ({"details": {}, "rpc": {"code": -1, "data": {"a": [1]}}}, ["code: -1", 'data: {"a":[1]}']),
        ({"details": {"evidence": []}}, []),
        ({"details": {"failures": ["/a: x"]}}, []),
        (None, []),
    ],
)
def test_details_of_a_failure_are_lines_unless_they_are_listed_as_reasons(error: Printable, found: list[str]) -> None:
    assert failure_details(ReportedStep("a", {"error": error}, failed=True)) == found


def test_step_without_an_error_has_no_reasons() -> None:
    step = ReportedStep("a", {"error": None})

    assert (failure_reasons(step), failure_message(step)) == ([], "")
