"""The class of a diff rule depends on the side of the schema."""

import pytest

from mcpi.core.diff.change_rules import RULES
from mcpi.core.diff.families.diff_rule import CLASSES, DiffRule, Side


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
def test_class_of_a_rule_depends_on_the_side(rule: str, side: Side, expected: str) -> None:
    assert RULES[rule].judge(side)[0] == expected


def test_reason_of_a_schema_rule_depends_on_the_side() -> None:
    assert [RULES[rule].depends_on_side for rule in ("minimum-raised", "tool-removed")] == [True, False]


def test_reason_states_the_change_and_its_effect() -> None:
    assert RULES["minimum-raised"].judge("input")[1] == (
        "the minimum was raised: arguments that used to be valid may be rejected"
    )


@pytest.mark.parametrize(
    ("effect", "classes"),
    [
        ("tighter", "breaking in input schemas, additive in output schemas"),
        ("looser", "additive in input schemas, breaking in output schemas"),
        ("either", "breaking"),
        ("routing", "routing"),
    ],
)
def test_rule_describes_its_classes(effect: str, classes: str) -> None:
    assert DiffRule("r", effect, "it changed", "https://e.com").classes == classes  # type: ignore[arg-type] # an effect


def test_fix_of_a_rule_defaults_to_that_of_its_effect() -> None:
    assert DiffRule("r", "breaking", "it changed", "https://e.com", "Keep it.").fix == "Keep it."
    assert DiffRule("r", "routing", "it changed", "https://e.com").fix.startswith("If you evaluate the server")
    assert {rule.judge("input")[0] for rule in RULES.values()} == {*CLASSES}
