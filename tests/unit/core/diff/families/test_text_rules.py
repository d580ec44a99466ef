"""The rules about texts."""

from mcpi.core.diff.families.text_rules import RULES


def test_texts_change_what_a_model_chooses() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "title-changed": "routing",
        "instructions-changed": "routing",
    }
    assert {name: classes[name] for name in expected} == expected
