"""The rules about whole definitions."""

from mcpi.core.diff.families.definition_rules import RULES


def test_what_is_gone_breaks_clients_and_what_is_new_does_not() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "tool-removed": "breaking",
        "prompt-renamed": "breaking",
        "template-added": "additive",
    }
    assert {name: classes[name] for name in expected} == expected
