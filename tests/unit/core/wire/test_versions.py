"""Protocol versions and their eras."""

from collections.abc import Callable

import pytest

from mcpi.core.wire import versions
from mcpi.core.wire.versions import HANDSHAKE_VERSIONS, MODERN_VERSIONS, Era, era_of

KNOWN = sorted((*HANDSHAKE_VERSIONS, *MODERN_VERSIONS))


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
def test_unsupported_versions_belong_to_an_era(version: str, era: Era) -> None:
    assert era_of(version) == era


@pytest.mark.parametrize(
    ("has", "expected"),
    [
        (versions.allows_batches, ["2025-03-26"]),
        (versions.has_version_header, ["2025-06-18", "2025-11-25", "2026-07-28"]),
        (versions.has_completions_capability, ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]),
        (versions.has_elicitation, ["2025-06-18", "2025-11-25", "2026-07-28"]),
        (versions.has_elicitation_modes, ["2025-11-25", "2026-07-28"]),
    ],
)
def test_features_of_each_version_follow_its_specification(has: Callable[[str], bool], expected: list[str]) -> None:
    assert [version for version in KNOWN if has(version)] == expected
