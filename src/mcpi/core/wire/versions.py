"""Known protocol versions, their eras, and the differences between them."""

from typing import Literal, TypeAlias

Era: TypeAlias = Literal["handshake", "modern"]

HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MODERN_VERSIONS = ("2026-07-28",)


def era_of(version: str) -> Era:
    """Return the era of a protocol version; unknown versions are compared by date."""
    return "handshake" if version < MODERN_VERSIONS[-1] else "modern"


def allows_batches(version: str) -> bool:
    """Tell whether the version has JSON-RPC batches, which only one version had."""
    return version == "2025-03-26"


def has_version_header(version: str) -> bool:
    """Tell whether HTTP requests carry the MCP-Protocol-Version header."""
    return version >= "2025-06-18"


def has_completions_capability(version: str) -> bool:
    """Tell whether servers declare completions; in older versions, any server could support them."""
    return version >= "2025-03-26"


def has_elicitation(version: str) -> bool:
    """Tell whether a server can ask the user for input."""
    return version >= "2025-06-18"


def has_elicitation_modes(version: str) -> bool:
    """Tell whether elicitation is declared with its modes, form and url."""
    return version >= "2025-11-25"
