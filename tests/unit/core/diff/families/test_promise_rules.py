"""Rules about parts of a definition outside the schemas."""

from mcpi.core.diff.families.promise_rules import RULES


def test_weakened_promise_is_breaking() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "read-only-hint-weakened": "breaking",
        "destructive-hint-strengthened": "additive",
        "argument-added": "additive",
        "argument-required": "breaking",
    }
    assert {name: classes[name] for name in expected} == expected
