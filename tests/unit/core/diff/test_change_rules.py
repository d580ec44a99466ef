"""Rules: judged by the side of a schema, and each of them documented."""

from pathlib import Path

import pytest

from mcpi.core.diff.change_rules import CLASSES, RULES, Change, DiffRule, summary

PAGE = (Path(__file__).parents[4] / "docs" / "diff.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("rule", "side", "expected"),
    [
        ("required-added", "input", "breaking"),
        ("required-added", "output", "additive"),
        ("required-removed", "input", "additive"),
        ("required-removed", "output", "breaking"),
        ("type-changed", "input", "breaking"),
        ("type-changed", "output", "breaking"),
        ("default-changed", "input", "breaking"),
        ("default-changed", "output", "cosmetic"),
        ("tool-removed", "", "breaking"),
    ],
)
def test_a_rule_is_judged_by_the_side(rule: str, side: str, expected: str) -> None:
    assert RULES[rule].judge(side)[0] == expected  # type: ignore[arg-type] # one of the sides


def test_a_reason_says_what_changed_and_what_follows() -> None:
    assert RULES["minimum-raised"].judge("input")[1] == (
        "the minimum was raised: arguments that were valid before can be refused"
    )


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: str(rule.name))
def test_each_rule_is_documented(rule: DiffRule) -> None:
    assert f"| `{rule.name}` |" in PAGE


def test_a_change_as_json_has_its_subject_and_both_values() -> None:
    change = Change("tool-added", "additive", "", None, {"name": "t"}, "why", "tool", "t")

    assert change.document() == {
        "rule": "tool-added",
        "class": "additive",
        "tool": "t",
        "pointer": "",
        "old": None,
        "new": {"name": "t"},
        "why": "why",
    }
    assert "tool" not in Change("instructions-changed", "routing", "/instructions", 1, 2, "why").document()


def test_a_summary_has_all_classes() -> None:
    assert summary([{"class": "routing"}, {"class": "routing"}]) == {**dict.fromkeys(CLASSES, 0), "routing": 2}
