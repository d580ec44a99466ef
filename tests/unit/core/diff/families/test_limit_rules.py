"""Rules about limits."""

from mcpi.core.diff.families.limit_rules import RULES
from support.changes import classes_of


def test_raised_minimum_is_tighter_and_raised_maximum_looser() -> None:
    assert (
        classes_of(RULES).items()
        >= {
            "minimum-raised": "breaking in input schemas, additive in output schemas",
            "maximum-raised": "additive in input schemas, breaking in output schemas",
            "max-items-lowered": "breaking in input schemas, additive in output schemas",
        }.items()
    )
