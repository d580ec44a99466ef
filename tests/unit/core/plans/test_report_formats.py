"""What reports are made of."""

from mcpi.core.plans.report_formats import Output, Report, Reported, violations


def test_an_output_is_a_name_and_a_function_of_the_run() -> None:
    output = Output("count", lambda report: f"{len(report.steps)} steps\n")

    assert output.render(Report("run", (Reported("a", {}), Reported("b", {})))) == "2 steps\n"


def test_the_violations_of_a_step_are_a_sentence_each() -> None:
    step = Reported("a", {"violations": [{"rule": "x", "detail": "one", "evidence": ""}, {"detail": "two"}]})

    assert (violations(step), violations(Reported("b", {}))) == (["one", "two"], [])
