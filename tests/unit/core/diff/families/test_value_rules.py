"""Rules about values."""

from mcpi.core.diff.families.value_rules import RULES
from support.changes import classes_of


def test_value_rules_depend_on_the_side_and_defaults_matter_in_inputs() -> None:
    assert (
        classes_of(RULES).items()
        >= {
            "enum-narrowed": "breaking in input schemas, additive in output schemas",
            "type-changed": "breaking",
            "default-changed": "breaking in input schemas, cosmetic in output schemas",
            "default-added": "additive",
        }.items()
    )
