"""The rules about properties."""

from mcpi.core.diff.families.property_rules import RULES


def test_a_property_that_is_gone_breaks_both_sides_and_a_required_one_inputs() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "property-removed": "breaking",
        "property-added": "additive",
        "required-added": "breaking in an input, additive in an output",
    }
    assert {name: classes[name] for name in expected} == expected
