"""Protocol versions and their eras."""

from typing import Literal, TypeAlias

Era: TypeAlias = Literal["handshake", "modern"]

HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MODERN_VERSIONS = ("2026-07-28",)


def era_of(version: str) -> Era:
    """Return the era of a protocol version; unknown versions are compared by date."""
    return "handshake" if version < MODERN_VERSIONS[-1] else "modern"
