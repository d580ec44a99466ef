"""Rules about values."""

from mcpi.core.diff.families.value_rules import RULES


def test_value_rules_depend_on_the_side_and_defaults_matter_in_inputs() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "enum-narrowed": "breaking in an input, additive in an output",
        "type-changed": "breaking",
        "default-changed": "breaking in an input, cosmetic in an output",
        "default-added": "additive",
    }
    assert {name: classes[name] for name in expected} == expected
