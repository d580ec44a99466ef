"""Secrets never reach an output."""

import re
from collections.abc import Iterable

from mcpi.core.secrets.encodings import encoded_forms

SHORTEST = 4
"""A secret shorter than that would hide half of every text."""
MASK = "***"

_LITERALS = frozenset({"true", "false", "null"})
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_BARE = re.compile(r"[-+.0-9eE]+|fals|alse")
"""What may be a part of JSON outside of its strings."""
# An escape that the secret seems to begin in goes with it: half of one would be no JSON.
_ESCAPE = r"(?<!\\)((?:\\\\)*)(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
_REST = r'(u[0-9a-fA-F]{4}|["\\/bfnrt])?'
"""What ends an escape that the secret seems to end in."""
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
        spelled = {spelling for one in hidden for spelling in encoded_forms(one)}
        self.secrets = sorted({*self.secrets, *spelled}, key=len, reverse=True)

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
    rest = _REST if secret.endswith("\\") else "()"
    return re.sub(_ESCAPE + re.escape(secret) + rest, _mask, text)


def _mask(found: re.Match[str]) -> str:
    """The mask, and what follows if it is no part of an escape."""
    if not found[2]:
        return found[1] + MASK
    before = found.string[: found.start(2)]
    backslashes = len(before) - len(before.rstrip("\\"))
    return found[1] + MASK + ("" if backslashes % 2 else found[2])
