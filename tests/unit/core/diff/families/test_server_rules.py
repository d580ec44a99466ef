"""Rules about the server."""

from mcpi.core.diff.families.server_rules import RULES
from support.changes import classes_of


def test_removed_server_capability_is_breaking() -> None:
    assert (
        classes_of(RULES).items()
        >= {
            "capability-removed": "breaking",
            "protocol-version-added": "additive",
            "server-info-changed": "cosmetic",
        }.items()
    )
