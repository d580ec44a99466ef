"""Rules about alternatives and references."""

from mcpi.core.diff.families.combination_rules import RULES


def test_added_alternative_widens_a_schema_and_overlap_is_breaking() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "alternative-added": "additive in input schemas, breaking in output schemas",
        "alternative-removed": "breaking in input schemas, additive in output schemas",
        "alternatives-overlap": "breaking",
    }
    assert {name: classes[name] for name in expected} == expected
