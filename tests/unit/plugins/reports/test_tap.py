"""The TAP report."""

from mcpi.core.plans.reports import Report, ReportedStep
from mcpi.plugins.reports.tap import mcpi_outputs, render
from support.reports import RUN


def test_every_step_has_a_line_and_every_failure_a_diagnostic() -> None:
    assert render(RUN).splitlines() == [
        "TAP version 13",
        "1..5",
        "ok 1 - sum",
        "not ok 2 - wrong",
        "  ---",
        '  message: "1 of 2 <expectations> failed: /sum: expected 4, got 3"',
        '  code: "EXPECTATION_FAILED"',
        "  durationMs: 1",
        '  details: {"failures":["/sum: expected 4, got 3"]}',
        "  ...",
        "not ok 3 - may # TODO allowed to fail",
        "  ---",
        '  message: "no"',
        '  code: "JSON_RPC_ERROR"',
        "  durationMs: 1",
        '  details: {"code":-32002}',
        "  ...",
        "not ok 4 - gone",
        "  ---",
        '  message: "the server exited"',
        '  code: "SERVER_EXITED"',
        "  durationMs: null",
        '  details: {"exitCode":3}',
        "  ...",
        "ok 5 - never # SKIP not run",
    ]


def test_violations_are_comments_below_the_step() -> None:
    noise = {"rule": "not-json", "detail": "not a\nJSON-RPC message", "evidence": "hello"}
    steps = (
        ReportedStep("a", {"violations": [noise]}),
        ReportedStep("b", {"violations": [noise], "error": {}}, failed=True),
    )

    lines = render(Report("run", steps)).splitlines()
    assert (lines[2:4], lines[-1]) == (["ok 1 - a", "# warning: not a JSON-RPC message: hello"], lines[3])


def test_directives_in_titles_are_escaped() -> None:
    run = Report("run", (ReportedStep("a # SKIP\nok \\ b", {"error": None}),))

    assert render(run).splitlines()[2] == "ok 1 - a \\# SKIP ok \\\\ b"


def test_failure_without_an_error_has_a_line() -> None:
    assert render(Report("run", (ReportedStep("a", {}, failed=True),))).splitlines()[2:] == ["not ok 1 - a"]


def test_format_is_registered_as_tap() -> None:
    assert [output.name for output in mcpi_outputs()] == ["tap"]
