"""The rules about limits."""

from mcpi.core.diff.families.limit_rules import RULES


def test_a_lower_limit_that_is_raised_is_tighter_and_an_upper_one_looser() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "minimum-raised": "breaking in an input, additive in an output",
        "maximum-raised": "additive in an input, breaking in an output",
        "max-items-lowered": "breaking in an input, additive in an output",
    }
    assert {name: classes[name] for name in expected} == expected
