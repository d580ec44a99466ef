"""Rules about parts of a definition outside the schemas."""

from mcpi.core.diff.families.promise_rules import RULES
from support.changes import classes_of


def test_weakened_promise_is_breaking() -> None:
    assert (
        classes_of(RULES).items()
        >= {
            "read-only-hint-weakened": "breaking",
            "destructive-hint-strengthened": "additive",
            "argument-added": "additive",
            "argument-required": "breaking",
        }.items()
    )
