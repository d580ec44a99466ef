"""The rules about alternatives and references."""

from mcpi.core.diff.families.combination_rules import RULES


def test_a_new_alternative_widens_a_schema_and_one_that_overlaps_breaks_both_sides() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "alternative-added": "additive in an input, breaking in an output",
        "alternative-removed": "breaking in an input, additive in an output",
        "alternatives-overlap": "breaking",
    }
    assert {name: classes[name] for name in expected} == expected
