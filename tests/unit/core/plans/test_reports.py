"""What reports are made of."""

from mcpi.core.plans.reports import Report, ReportedStep, ReportFormat, violations


def test_an_output_is_a_name_and_a_function_of_the_run() -> None:
    output = ReportFormat("count", lambda report: f"{len(report.steps)} steps\n")

    assert output.render(Report("run", (ReportedStep("a", {}), ReportedStep("b", {})))) == "2 steps\n"


def test_the_violations_of_a_step_are_a_sentence_each() -> None:
    step = ReportedStep("a", {"violations": [{"rule": "x", "detail": "one", "evidence": ""}, {"detail": "two"}]})

    assert (violations(step), violations(ReportedStep("b", {}))) == (["one", "two"], [])
