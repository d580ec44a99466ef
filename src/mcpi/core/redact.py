"""Secrets never reach an output."""

from collections.abc import Iterable

SHORTEST = 4
"""A secret shorter than that would hide half of every text."""
MASK = "***"


class Redactor:
    """Knows the secrets of one invocation and takes them out of what is shown."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Longer secrets first: one may be part of another."""
        self.secrets = sorted({one for one in secrets if len(one) >= SHORTEST}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without the secrets."""
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text
