"""The Markdown report."""

from typing import Any

from mcpi.core.findings.finding import Finding, finding_json
from mcpi.core.jsontext.exact import Printable
from mcpi.core.plans.reports import Report, ReportedStep
from mcpi.plugins.reports.markdown import MAX_LENGTH, MAX_ROWS, STDERR_LINES, mcpi_outputs, render


def step(*findings: Finding) -> ReportedStep:
    result: Any = {"findings": [finding_json(one) for one in findings], "summary": {"tools": 2, "tokens": 1000}}
    return ReportedStep("lint", {"result": result})


def test_findings_are_listed_in_a_table_below_the_verdict() -> None:
    one = Finding("type-list", "error", "a | <c>", "tool", "x_y", "/z", ("claude",), "https://e.com", "Fix it.")
    two = Finding("too-many", "info", "many\nlines", pointer="/tools")

    assert render(Report("mcpi lint", (step(one, two),), exit_code=1, facts={"server": "demo"})).splitlines() == [
        "## \u274c mcpi lint \u2014 demo",
        "",
        "**1 error, 1 info in 2 tools, about 1,000 tokens**",
        "",
        "| | where | finding | rule |",
        "| --- | --- | --- | --- |",
        "| \u274c error | tool x\\_y /z | a \\| &lt;c&gt;. Rejected by claude. Fix it. | [type-list](https://e.com) |",
        "| \u2139\ufe0f info | /tools | many lines. | too-many |",
    ]


def test_report_without_findings_has_only_the_verdict() -> None:
    assert (
        render(Report("mcpi lint", (step(),))).splitlines()
        == [
            "## \u2705 mcpi lint",
            "",
            "**no findings in 2 tools, about 1,000 tokens**",
            "",
        ][:3]
    )


def test_long_tables_and_messages_are_truncated() -> None:
    found = Finding("r", "info", "a" * 400)
    text = render(Report("mcpi lint", (step(*[found] * (MAX_ROWS + 1)),)))

    assert "a" * 300 + "\u2026" in text
    assert "and 1 more" in text


def test_whole_report_is_limited_to_complete_lines() -> None:
    steps = tuple(ReportedStep(f"step {number} {'a' * 290}", {"durationMs": 1}) for number in range(1000))
    text = render(Report("mcpi a.json", steps))
    *lines, empty, last = text.splitlines()

    assert MAX_LENGTH - 400 < len(text) < MAX_LENGTH + 100
    assert (lines[-1].endswith(" | passed | 1 ms |"), empty) == (True, "")
    assert last == "The rest of this report is omitted."


FAILED: Printable = {"failures": ["/a: expected 1, got 2", "/b: not found (expected 1)"]}


def test_other_steps_are_listed_in_a_table_with_their_verdicts() -> None:
    steps = (
        ReportedStep("one", {"durationMs": 1.5, "error": None}),
        ReportedStep("two", {"durationMs": 2, "error": {"message": "wrong", "details": FAILED}}, failed=True),
        ReportedStep("three", {"durationMs": 3, "error": {"message": "no"}}, failed=True, failure_allowed=True),
        ReportedStep("four", {}, skipped=True),
    )

    assert render(Report("mcpi s.json", steps, 1)).splitlines()[2:] == [
        "| step | result | time |",
        "| --- | --- | --- |",
        "| one | passed | 1.5 ms |",
        "| two | failed: wrong: /a: expected 1, got 2 | 2 ms |",
        "| three | allowed to fail: no | 3 ms |",
        "| four | skipped | |",
    ]


def test_stderr_of_failed_steps_is_shown_below_the_table() -> None:
    error: Printable = {"message": "the server exited"}
    steps = (
        ReportedStep("one", {"durationMs": 1, "stderr": ["started"]}),
        ReportedStep("t_o", {"durationMs": 2, "error": error, "stderr": ["boom", " ```", "x" * 301]}, failed=True),
        ReportedStep("three", {"durationMs": 3, "error": error, "stderr": []}, failed=True),
    )

    assert render(Report("mcpi s.json", steps, 1)).splitlines()[4:] == [
        "| one | passed | 1 ms |",
        "| t\\_o | failed: the server exited | 2 ms |",
        "| three | failed: the server exited | 3 ms |",
        "",
        "stderr of t\\_o:",
        "",
        "    boom",
        "     ```",
        f"    {'x' * 300}…",
    ]


def test_only_the_last_lines_of_stderr_are_shown() -> None:
    lines: Printable = [f"{at}\r" for at in range(STDERR_LINES + 2)]
    step = ReportedStep("one", {"durationMs": 1, "error": {"message": "no"}, "stderr": lines}, failed=True)

    shown = render(Report("mcpi ping", (step,), 1)).splitlines()[6:]

    assert (shown[0], shown[2], len(shown)) == ("stderr of one (last 20 lines):", "    2", STDERR_LINES + 2)


def test_control_characters_are_escaped() -> None:
    error: Printable = {"message": "no \x1b[0m"}
    step = ReportedStep("one", {"durationMs": 1, "error": error, "stderr": ["\x1b[31mred\0"]}, failed=True)

    shown = render(Report("mcpi ping", (step,), 1)).splitlines()

    assert (shown[4], shown[-1]) == ("| one | failed: no \\\\x1b\\[0m | 1 ms |", "    \\x1b[31mred\\x00")


def test_format_is_registered_as_md() -> None:
    (form,) = mcpi_outputs()

    assert (form.name, form.render) == ("md", render)
