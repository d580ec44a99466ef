"""The human-readable table of findings."""

from typing import Any

from mcpi.core.findings.finding import Finding, finding_json
from mcpi.core.findings.table import MAX_ROWS, finding_lines, findings_table, verdict_sentence
from mcpi.core.text.colors import no_color
from support.replay import exact

ERROR = Finding(
    "array-without-items", "error", "no items", "tool", "se\x1barch", "/a", ("openai", "vscode"), "", "Add items."
)
INFO = Finding("empty-capability", "info", "none listed", pointer="/capabilities/prompts")


def document(*findings: Finding) -> Any:
    entries: Any = [finding_json(one) for one in findings]
    return exact({"findings": entries, "summary": {"tools": 2, "tokens": 1234}})


def test_table_has_the_verdict_followed_by_each_finding() -> None:
    assert findings_table(document(ERROR, INFO), 100, no_color) == [
        "1 error, 1 info in 2 tools, about 1,234 tokens",
        "error     array-without-items  tool se\\x1barch /a",
        "          no items (rejected by openai, vscode)",
        "          fix: Add items.",
        "info      empty-capability  /capabilities/prompts",
        "          none listed",
    ]


def test_verdict_has_the_style_of_the_worst_finding() -> None:
    styles = [
        findings_table(document(*found), 100, lambda style, text: f"<{style}>{text}")[0]
        for found in ((ERROR, INFO), (INFO,), ())
    ]

    assert [line.partition(">")[0] for line in styles] == ["<error", "<good", "<good"]


def test_long_table_is_truncated() -> None:
    lines = findings_table(document(*[INFO] * (MAX_ROWS + 2)), 100, no_color)

    assert lines[-1] == "and 2 more"


def test_changes_are_counted_by_class() -> None:
    changes = [Finding("r", "error", "m", label="breaking"), Finding("r", "info", "m", label="additive")]

    assert verdict_sentence(changes, {}) == "1 breaking, 1 additive"
    assert verdict_sentence([], {"tools": 1}) == "no findings in 1 tool"
    assert verdict_sentence([], {"breaking": 0}) == "no changes"


def test_finding_lines_end_with_the_rule() -> None:
    assert finding_lines([ERROR, INFO, INFO], 2) == (
        "error: tool se\x1barch /a: no items [array-without-items]",
        "info: /capabilities/prompts: none listed [empty-capability]",
        "and 1 more",
    )
    assert finding_lines([Finding("r", "warning", "m")], 5) == ("warning: m [r]",)
