"""The table for people: the verdict first, then the changes by their class."""

from typing import Any

from mcpi.core.diff.change_table import table, verdict


def change(found: str, rule: str, **more: Any) -> dict[str, Any]:
    return {"rule": rule, "class": found, "pointer": "/x", "old": None, "new": None, **more}


def test_the_verdict_counts_the_classes() -> None:
    assert verdict([]) == "no changes"
    assert verdict([change("routing", "r")]) == "1 change: 1 routing"
    assert verdict([change("routing", "r"), change("breaking", "b")]) == "2 changes: 1 breaking, 1 routing"


def test_the_most_severe_changes_come_first() -> None:
    changes = [
        change("cosmetic", "metadata-changed", old="x" * 60),
        change("additive", "tool-added", tool="t", pointer="", new={"a": 1}),
        change("breaking", "minimum-raised", tool="t", old=1, new=2, witness={"a": 1}),
    ]

    assert table(changes) == (
        "3 changes: 1 breaking, 1 additive, 1 cosmetic",
        "breaking  minimum-raised    t/x       1 -> 2",
        '          witness: {"a":1}',
        'additive  tool-added        t         now {"a":1}',
        f'cosmetic  metadata-changed  server/x  was "{"x" * 38}…',
    )


def test_a_long_table_is_cut() -> None:
    lines = table([change("cosmetic", "metadata-changed")] * 203)

    assert (len(lines), lines[-1]) == (202, "and 3 more")
