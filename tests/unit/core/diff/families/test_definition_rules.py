"""Rules about whole definitions."""

from mcpi.core.diff.families.definition_rules import RULES


def test_removed_definition_is_breaking_and_added_one_additive() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "tool-removed": "breaking",
        "prompt-renamed": "breaking",
        "template-added": "additive",
    }
    assert {name: classes[name] for name in expected} == expected
