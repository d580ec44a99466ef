"""The parts of a regular expression."""

from typing import Literal, NamedTuple, TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of code points, in order and without overlaps."""
AssertionKind: TypeAlias = Literal["^", "$", "line start", "line end", "b", "B"]
LAST_CODE_POINT = 0x10FFFF


class CharacterSet(NamedTuple):
    """One character inside some ranges, or outside of all of them."""

    ranges: Ranges
    negated: bool = False
    ignore_case: bool = False

    def accepts(self, character: str) -> bool:
        """Tell whether the character is in the set."""
        spelled = {character, character.lower(), character.upper()} if self.ignore_case else (character,)
        codes = [ord(one) for one in spelled if len(one) == 1]
        return any(low <= code <= high for code in codes for low, high in self.ranges) != self.negated


class Sequence(NamedTuple):
    """One expression after the other."""

    parts: "tuple[Expression, ...]"
    kind: str = "sequence"


class Choice(NamedTuple):
    """One of several expressions."""

    options: "tuple[Expression, ...]"
    kind: str = "choice"


class Repetition(NamedTuple):
    """A repeated expression; without a maximum, any number of times."""

    inner: "Expression"
    minimum: int
    maximum: int | None


class Position(NamedTuple):
    """An assertion about the characters on both sides."""

    kind: AssertionKind


Expression: TypeAlias = CharacterSet | Sequence | Choice | Repetition | Position


def merged(ranges: Ranges) -> Ranges:
    """Return the ranges in order, without overlaps."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def complement(ranges: Ranges) -> Ranges:
    """Return the ranges of all other characters."""
    starts = [0, *(high + 1 for _, high in ranges)]
    ends = [*(low - 1 for low, _ in ranges), LAST_CODE_POINT]
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start <= end)
