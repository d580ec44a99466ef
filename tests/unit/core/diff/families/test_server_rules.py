"""The rules about the server."""

from mcpi.core.diff.families.server_rules import RULES


def test_what_a_server_no_longer_speaks_breaks_clients() -> None:
    classes = {rule.name: rule.classes for rule in RULES}

    expected = {
        "capability-removed": "breaking",
        "protocol-version-added": "additive",
        "server-info-changed": "cosmetic",
    }
    assert {name: classes[name] for name in expected} == expected
