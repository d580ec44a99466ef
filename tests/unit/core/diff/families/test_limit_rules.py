"""Rules about limits."""

from mcpi.core.diff.families.limit_rules import RULES


def test_raised_minimum_is_tighter_and_raised_maximum_looser() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "minimum-raised": "breaking in input schemas, additive in output schemas",
        "maximum-raised": "additive in input schemas, breaking in output schemas",
        "max-items-lowered": "breaking in input schemas, additive in output schemas",
    }
    assert {name: classes[name] for name in expected} == expected
