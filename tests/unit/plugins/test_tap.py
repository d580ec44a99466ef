"""TAP."""

from mcpi.core.outputs import Report, Reported
from mcpi.plugins.tap import mcpi_outputs, render
from support.reports import RUN


def test_each_step_has_its_line_and_each_failure_its_reason() -> None:
    assert render(RUN).splitlines() == [
        "TAP version 13",
        "1..5",
        "ok 1 - step 0 (sum)",
        "not ok 2 - step 1 (wrong)",
        "  ---",
        '  message: "1 of 2 <expectations> did not hold"',
        '  code: "EXPECTATION_FAILED"',
        "  durationMs: 1",
        '  details: {"failures":["/sum: expected 4, found 3"]}',
        "  ...",
        "not ok 3 - step 2 (may) # TODO allowed to fail",
        "  ---",
        '  message: "no"',
        '  code: "JSON_RPC_ERROR"',
        "  durationMs: 1",
        "  details: {}",
        "  ...",
        "not ok 4 - step 3 (gone)",
        "  ---",
        '  message: "the server exited"',
        '  code: "SERVER_EXITED"',
        "  durationMs: null",
        '  details: {"exitCode":3}',
        "  ...",
        "ok 5 - step 4 (never) # SKIP not carried out",
    ]


def test_a_title_cannot_pass_for_a_directive() -> None:
    run = Report("run", (Reported("a # SKIP\nok \\ b", {"error": None}),))

    assert render(run).splitlines()[2] == "ok 1 - a \\# SKIP ok \\\\ b"


def test_a_failure_without_an_error_has_its_line_all_the_same() -> None:
    assert render(Report("run", (Reported("a", {}, failed=True),))).splitlines()[2:] == ["not ok 1 - a"]


def test_the_output_is_offered_under_its_name() -> None:
    assert [output.name for output in mcpi_outputs()] == ["tap"]
