"""Rules about properties."""

from mcpi.core.diff.families.property_rules import RULES


def test_removed_property_is_breaking_and_new_required_one_in_inputs() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "property-removed": "breaking",
        "property-added": "additive",
        "required-added": "breaking in input schemas, additive in output schemas",
    }
    assert {name: classes[name] for name in expected} == expected
