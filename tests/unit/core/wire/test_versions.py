"""Protocol versions and eras."""

import pytest

from mcpi.core.wire.versions import Era, era_of


@pytest.mark.parametrize(
    ("version", "era"),
    [
        ("2024-11-05", "handshake"),
        ("2025-11-25", "handshake"),
        ("2024-10-07", "handshake"),
        ("2026-07-28", "modern"),
        ("2027-01-01", "modern"),
    ],
)
def test_a_version_belongs_to_an_era_also_if_we_do_not_speak_it(version: str, era: Era) -> None:
    assert era_of(version) == era
