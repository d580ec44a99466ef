"""The rules about promises beside the schemas."""

from mcpi.core.diff.families.promise_rules import RULES


def test_a_promise_that_is_weakened_breaks_clients() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "read-only-hint-weakened": "breaking",
        "destructive-hint-strengthened": "additive",
        "argument-added": "additive",
        "argument-required": "breaking",
    }
    assert {name: classes[name] for name in expected} == expected
