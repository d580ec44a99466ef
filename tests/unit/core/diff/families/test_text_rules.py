"""Rules about texts."""

from mcpi.core.diff.families.text_rules import RULES
from support.changes import classes_of


def test_changed_text_is_a_routing_change() -> None:
    assert (
        classes_of(RULES).items()
        >= {
            "title-changed": "routing",
            "instructions-changed": "routing",
        }.items()
    )
