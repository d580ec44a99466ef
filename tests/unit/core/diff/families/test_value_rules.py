"""Rules about values."""

from mcpi.core.diff.families.value_rules import RULES


def test_value_rules_depend_on_the_side_and_defaults_matter_in_inputs() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "enum-narrowed": "breaking in input schemas, additive in output schemas",
        "type-changed": "breaking",
        "default-changed": "breaking in input schemas, cosmetic in output schemas",
        "default-added": "additive",
    }
    assert {name: classes[name] for name in expected} == expected
