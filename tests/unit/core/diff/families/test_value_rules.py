"""The rules about values."""

from mcpi.core.diff.families.value_rules import RULES


def test_values_are_judged_by_the_side_and_a_default_only_in_an_input() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "enum-narrowed": "breaking in an input, additive in an output",
        "type-changed": "breaking",
        "default-changed": "breaking in an input, cosmetic in an output",
        "default-added": "additive",
    }
    assert {name: classes[name] for name in expected} == expected
