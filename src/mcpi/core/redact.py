"""Secrets never reach an output."""

import json
import re
from collections.abc import Iterable

from mcpi.core.render import text as quoted

SHORTEST = 4
"""A secret shorter than that would hide half of every text."""
MASK = "***"

_LITERALS = frozenset({"true", "false", "null"})
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_BARE = re.compile(r"[-+.0-9eE]+|fals|alse")
"""What may be a part of JSON outside of its strings."""
# An escape that the secret seems to begin in goes with it: half of one would be no JSON.
_ESCAPE = r"(?<!\\)((?:\\\\)*)(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
_LEAF = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s"{}\[\],:]++', re.DOTALL)


class Redactor:
    """Knows the secrets of one invocation and takes them out of what is shown."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Nothing else is secret yet."""
        self.secrets: list[str] = []
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """More secrets; the longer ones go first: one may be part of another."""
        hidden = {one for one in secrets if len(one) >= SHORTEST and one not in _LITERALS}
        spellings = {spelling for one in hidden for spelling in (one, quoted(one)[1:-1], json.dumps(one)[1:-1])}
        self.secrets = sorted({*self.secrets, *spellings}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without the secrets; JSON stays JSON."""
        for secret in self.secrets:
            if secret in text:
                text = _without(text, secret)
        return text


def _without(text: str, secret: str) -> str:
    if _BARE.fullmatch(secret):
        return _LEAF.sub(lambda leaf: _of_leaf(leaf[0], secret), text)
    return _masked(text, secret)


def _of_leaf(leaf: str, secret: str) -> str:
    """A number is hidden where it is the secret, and stays where it merely contains it."""
    if leaf in _LITERALS or _NUMBER.fullmatch(leaf):
        return f'"{MASK}"' if leaf == secret else leaf
    return _masked(leaf, secret)


def _masked(text: str, secret: str) -> str:
    return re.sub(_ESCAPE + re.escape(secret), rf"\1{MASK}", text)
