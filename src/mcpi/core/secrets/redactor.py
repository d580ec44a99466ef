"""Mask secrets in all output."""

import re
from collections.abc import Iterable

from mcpi.core.jsontext.patterns import LITERAL, STRING
from mcpi.core.secrets.encodings import encoded_forms

MIN_LENGTH = 4
"""Minimum length of a secret: masking shorter ones would hide parts of unrelated text."""
MIN_WORD_LENGTH = 8
"""Minimum length of a secret that consists of letters alone; it is masked only as a whole word."""
_MOST_LINES = 200
MASK = "***"

_LITERALS = frozenset({"true", "false", "null"})
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_BARE = re.compile(r"[-+.0-9eE]+")
"""Text that can occur in a JSON number."""
# Mask the whole escape sequence that the secret starts in: half of one is invalid JSON.
_ESCAPE = r"(?<!\\)((?:\\\\)*)(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
_REST = r'(u[0-9a-fA-F]{4}|["\\/bfnrt])?'
"""The rest of the escape sequence that the secret ends in."""
_WORD = re.compile("[A-Za-z]+")
_BEFORE_WORD = re.compile(r"(?:^|[^A-Za-z0-9]|\\[bfnrt]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2})$")
"""The allowed text before a word, including an escape sequence, which ends in a letter or a digit."""
_LONGEST_BEFORE = 6
_LEAF = re.compile(f"{STRING}|{LITERAL}", re.DOTALL)


class Redactor:
    """A filter that masks the secrets of one invocation."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Start with the given secrets."""
        self.secrets: list[str] = []
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Add secrets; longer ones are masked first because one may be part of another."""
        found = {part for one in secrets for part in (one, *_long_lines(one))}
        hidden = {one for one in found if len(one) >= (MIN_WORD_LENGTH if _WORD.fullmatch(one) else MIN_LENGTH)}
        spelled = {spelling for one in hidden for spelling in encoded_forms(one)}
        self.secrets = sorted({*self.secrets, *spelled}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Mask the secrets in the text; JSON stays valid."""
        for secret in self.secrets:
            if secret in text:
                text = _mask_secret(text, secret)
        return text


def _long_lines(secret: str) -> list[str]:
    """Return the long lines of a secret such as a private key: messages are printed line by line."""
    return [line.strip() for line in secret.splitlines()[:_MOST_LINES] if len(line.strip()) >= MIN_WORD_LENGTH]


def _mask_secret(text: str, secret: str) -> str:
    if _BARE.fullmatch(secret):
        return _LEAF.sub(lambda leaf: _mask_leaf(leaf[0], secret), text)
    return _mask_text(text, secret)


def _mask_leaf(leaf: str, secret: str) -> str:
    """Mask a number if it is the secret, but not if it merely contains the secret."""
    if leaf in _LITERALS or _NUMBER.fullmatch(leaf):
        return f'"{MASK}"' if leaf == secret else leaf
    return _mask_text(leaf, secret)


def _mask_text(text: str, secret: str) -> str:
    rest = _REST if secret.endswith("\\") else "()"
    mask = _mask_word if _WORD.fullmatch(secret) else _mask_match
    return re.sub(f"{_ESCAPE}({re.escape(secret)}){rest}", mask, text)


def _mask_word(found: re.Match[str]) -> str:
    """Return the mask if the word stands alone, and the text unchanged if it is part of a longer word."""
    start, end = found.span(2)
    before = found.string[max(start - _LONGEST_BEFORE, 0) : start]
    after = found.string[end : end + 1]
    is_alone = _BEFORE_WORD.search(before) and not (after.isascii() and after.isalnum())
    return found[1] + MASK if is_alone else found[0]


def _mask_match(found: re.Match[str]) -> str:
    """Return the mask, followed by the text after the secret unless that is part of an escape sequence."""
    if not found[3]:
        return found[1] + MASK
    before = found.string[: found.start(3)]
    backslashes = len(before) - len(before.rstrip("\\"))
    return found[1] + MASK + ("" if backslashes % 2 else found[3])
