"""Rules about whole definitions."""

from mcpi.core.diff.families.definition_rules import RULES
from support.changes import classes_of


def test_removed_definition_is_breaking_and_added_one_additive() -> None:
    assert (
        classes_of(RULES).items()
        >= {
            "tool-removed": "breaking",
            "prompt-renamed": "breaking",
            "template-added": "additive",
        }.items()
    )
