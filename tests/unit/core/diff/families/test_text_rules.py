"""Rules about texts."""

from mcpi.core.diff.families.text_rules import RULES


def test_changed_text_is_a_routing_change() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "title-changed": "routing",
        "instructions-changed": "routing",
    }
    assert {name: classes[name] for name in expected} == expected
