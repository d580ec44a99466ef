"""Rules about limits."""

from mcpi.core.diff.families.limit_rules import RULES


def test_raised_minimum_is_tighter_and_raised_maximum_looser() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "minimum-raised": "breaking in an input, additive in an output",
        "maximum-raised": "additive in an input, breaking in an output",
        "max-items-lowered": "breaking in an input, additive in an output",
    }
    assert {name: classes[name] for name in expected} == expected
