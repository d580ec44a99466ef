"""Diff rules: documentation, unique names and complete texts."""

import re
from pathlib import Path

import pytest

from mcpi.core.diff.change_rules import FAMILIES, RULES, Change, summary
from mcpi.core.diff.families.diff_rule import CLASSES, DiffRule
from mcpi.core.lint import rules as lint_rules

PAGE = (Path(__file__).parents[4] / "docs" / "rules.md").read_text("utf-8")


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: str(rule.name))
def test_each_rule_is_documented(rule: DiffRule) -> None:
    assert f"\n### {rule.name}\n" in PAGE


def test_rule_names_are_unique_and_distinct_from_lint_rules() -> None:
    assert sum(map(len, FAMILIES.values())) == len(RULES)
    assert RULES.keys() & lint_rules.RULES.keys() == set()
    assert [name for name in RULES if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name)] == []


def test_each_rule_has_a_reason_a_fix_and_a_link() -> None:
    assert [rule.name for rule in RULES.values() if not rule.fix[0].isupper() or not rule.fix.endswith(".")] == []
    assert [rule.name for rule in RULES.values() if not rule.sentence or rule.sentence.endswith(".")] == []
    assert [rule.name for rule in RULES.values() if not rule.evidence.startswith("https://")] == []


def test_change_as_json_has_its_subject_and_both_values() -> None:
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


def test_summary_counts_all_classes() -> None:
    assert summary([{"class": "routing"}, {"class": "routing"}]) == {**dict.fromkeys(CLASSES, 0), "routing": 2}
