"""Rules about properties."""

from mcpi.core.diff.families.property_rules import RULES
from support.changes import classes_of


def test_removed_property_is_breaking_and_new_required_one_in_inputs() -> None:
    assert (
        classes_of(RULES).items()
        >= {
            "property-removed": "breaking",
            "property-added": "additive",
            "required-added": "breaking in input schemas, additive in output schemas",
        }.items()
    )
