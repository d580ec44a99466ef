"""The human-readable table: the verdict first, then the changes by class."""

from typing import Any

from mcpi.core.diff.change_table import changes_table, verdict
from mcpi.core.text.colors import no_color


def change(found: str, rule: str, **more: Any) -> dict[str, Any]:
    return {"rule": rule, "class": found, "pointer": "/x", "old": None, "new": None, "why": "it changed", **more}


def test_verdict_counts_changes_by_class() -> None:
    assert verdict([]) == "no changes"
    assert verdict([change("routing", "r")]) == "1 change: 1 routing"
    assert verdict([change("routing", "r"), change("breaking", "b")]) == "2 changes: 1 breaking, 1 routing"


def test_table_lists_the_most_severe_changes_first() -> None:
    changes = [
        change("cosmetic", "metadata-changed", old="x" * 80),
        change("additive", "tool-added", tool="t", pointer="", new={"a": 1}),
        change("breaking", "minimum-raised", tool="t", old=1, new=2, witness={"a": 1}),
    ]

    assert changes_table({"changes": changes}, 60, no_color) == [
        "3 changes: 1 breaking, 1 additive, 1 cosmetic",
        "breaking  minimum-raised  tool t /x",
        "          it changed",
        "          1 -> 2",
        '          witness: {"a":1}',
        "          fix: Continue to accept the old arguments, or add a new tool with the constraint.",
        "additive  tool-added  tool t",
        "          it changed",
        '          now {"a":1}',
        "cosmetic  metadata-changed  /x",
        "          it changed",
        f'          was "{"x" * 48}…',
    ]


def test_accepted_changes_are_counted() -> None:
    assert changes_table({"changes": [], "accepted": [change("breaking", "b")]}, 60, no_color) == [
        "no changes, 1 accepted"
    ]
    assert changes_table({"changes": [], "accepted": []}, 60, no_color) == ["no changes"]


def test_verdict_has_the_style_of_the_worst_class() -> None:
    verdicts = [
        changes_table({"changes": [change(found, "title-changed")] if found else []}, 60, lambda style, _: style)[0]
        for found in ("", "cosmetic", "routing", "breaking")
    ]

    assert verdicts == ["good", "good", "warning", "error"]


def test_long_table_is_truncated() -> None:
    lines = changes_table({"changes": [change("cosmetic", "metadata-changed")] * 53}, 60, no_color)

    assert (len(lines), lines[-1]) == (152, "and 3 more")
