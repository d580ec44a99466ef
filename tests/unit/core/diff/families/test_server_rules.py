"""Rules about the server."""

from mcpi.core.diff.families.server_rules import RULES


def test_removed_server_capability_is_breaking() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "capability-removed": "breaking",
        "protocol-version-added": "additive",
        "server-info-changed": "cosmetic",
    }
    assert {name: classes[name] for name in expected} == expected
