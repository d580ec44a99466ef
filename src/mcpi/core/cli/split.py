"""Split a command line into the words for mcpi and the server's command."""

from collections.abc import Sequence
from typing import NamedTuple

SEPARATOR = "--"
MODES = ("--method", "-m", "--follow", "--script")
"""Flags that select a mode; one of them after `--` ends the server's command."""


class SplitLine(NamedTuple):
    """The words for mcpi, and those of the server's command."""

    ours: tuple[str, ...]
    server: tuple[str, ...] = ()


def split_line(argv: Sequence[str], *, has_method: bool = False) -> SplitLine:
    """Split the command line at the first `--`; a positional method counts like --method."""
    if SEPARATOR not in argv:
        return SplitLine(tuple(argv))
    first = argv.index(SEPARATOR)
    before, after = argv[:first], argv[first + 1 :]
    end = _second(after)
    if end is not None:
        return SplitLine((*before, *after[end + 1 :]), tuple(after[:end]))
    if has_method or any(_is_mode(token) for token in before):
        return SplitLine(tuple(before), tuple(after))
    end = next((place for place, token in enumerate(after) if _is_mode(token)), len(after))
    return SplitLine((*before, *after[end:]), tuple(after[:end]))


def _second(after: Sequence[str]) -> int | None:
    """Find the second `--`, which ends the server's part only if a flag follows: `npm exec -- x` contains one."""
    for place, token in enumerate(after):
        if token == SEPARATOR and (place + 1 == len(after) or after[place + 1].startswith("-")):
            return place
    return None


def _is_mode(token: str) -> bool:
    return token.partition("=")[0] in MODES


def before_separator(argv: Sequence[str]) -> Sequence[str]:
    """Return the words before the first `--`."""
    return argv[: argv.index(SEPARATOR)] if SEPARATOR in argv else argv


def value_of(spellings: tuple[str, ...], tokens: Sequence[str]) -> str | None:
    """Return the last value of a flag under any of its spellings, before all flags are known."""
    found: str | None = None
    for place, token in enumerate(tokens):
        spelled, equals, value = token.partition("=")
        if spelled not in spellings:
            continue
        if equals:
            found = value
        elif place + 1 < len(tokens):
            found = tokens[place + 1]
    return found
