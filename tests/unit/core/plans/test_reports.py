"""Report formats and their data."""

from mcpi.core.plans.reports import Report, ReportedStep, ReportFormat, violations


def test_report_format_is_a_name_and_a_render_function() -> None:
    output = ReportFormat("count", lambda report: f"{len(report.steps)} steps\n")

    assert output.render(Report("run", (ReportedStep("a", {}), ReportedStep("b", {})))) == "2 steps\n"


def test_violations_of_a_step_are_listed_as_sentences() -> None:
    step = ReportedStep("a", {"violations": [{"rule": "x", "detail": "one", "evidence": ""}, {"detail": "two"}]})

    assert (violations(step), violations(ReportedStep("b", {}))) == (["one", "two"], [])
