"""Rules about alternatives and references."""

from mcpi.core.diff.families.combination_rules import RULES
from support.changes import classes_of


def test_added_alternative_widens_a_schema_and_overlap_is_breaking() -> None:
    assert (
        classes_of(RULES).items()
        >= {
            "alternative-added": "additive in input schemas, breaking in output schemas",
            "alternative-removed": "breaking in input schemas, additive in output schemas",
            "alternatives-overlap": "breaking",
        }.items()
    )
