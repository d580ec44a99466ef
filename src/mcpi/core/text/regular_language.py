"""Compare regular expressions by the strings that they match, and find such strings."""

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, TypeAlias

from mcpi.core.text.regular_syntax import (
    ALPHABET,
    EMPTY,
    NOTHING,
    Expression,
    IrregularPatternError,
    either,
    join,
    parse_pattern,
    repeat,
)

Relation: TypeAlias = Literal["equal", "narrower", "wider", "different"]

_PREFERRED = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MAX_STATES = 1500
_MAX_LENGTH = 300
_MAX_CACHED = 20_000


@lru_cache(_MAX_CACHED)
def _parsed(pattern: str) -> Expression | None:
    """Parse a pattern; None if it cannot be compared."""
    if len(pattern) > _MAX_LENGTH:
        return None
    try:
        return parse_pattern(pattern)
    except (IrregularPatternError, RecursionError):
        return None


@lru_cache(_MAX_CACHED)
def _accepts_empty(one: Expression) -> bool:
    match one.kind:
        case "one":
            return False
        case "then":
            return all(map(_accepts_empty, one.parts))
        case "or":
            return any(map(_accepts_empty, one.parts))
        case "times":
            return one.low == 0 or _accepts_empty(one.parts[0])


@lru_cache(_MAX_CACHED)
def _after(one: Expression, letter: str) -> Expression:
    """Return the expression of what may follow the letter (Brzozowski's derivative)."""
    match one.kind:
        case "one":
            return EMPTY if letter in one.characters else NOTHING
        case "or":
            return either([_after(part, letter) for part in one.parts])
        case "times":
            inner = one.parts[0]
            rest = repeat(inner, max(one.low - 1, 0), None if one.high is None else one.high - 1)
            return join([_after(inner, letter), rest])
        case "then":
            found: list[Expression] = []
            for place, part in enumerate(one.parts):
                found.append(join([_after(part, letter), *one.parts[place + 1 :]]))
                if not _accepts_empty(part):
                    break
            return either(found)


def _letters(*expressions: Expression) -> str:
    """Return one letter for each set of letters that the expressions do not tell apart."""
    sets = {one.characters for whole in expressions for one in _leaves(whole)}
    order = sorted(ALPHABET, key=lambda letter: (_PREFERRED.find(letter) % 1000, letter))
    return "".join({tuple(letter in one for one in sets): letter for letter in reversed(order)}.values())[::-1]


def _leaves(one: Expression) -> Iterator[Expression]:
    if one.kind == "one":
        yield one
    for part in one.parts:
        yield from _leaves(part)


def _missing(one: Expression, other: Expression) -> str | None:
    """Return a shortest string that the first matches and the other does not; None if there is none.

    Raise IrregularPatternError if that takes too long to tell.
    """
    letters = _letters(one, other)
    waiting = deque([(one, other, "")])
    seen = {(one, other)}
    while waiting:
        left, right, text = waiting.popleft()
        if _accepts_empty(left) and not _accepts_empty(right):
            return text
        for letter in letters:
            pair = (_after(left, letter), _after(right, letter))
            if pair[0] == NOTHING or pair in seen:
                continue
            if len(seen) > _MAX_STATES:
                raise IrregularPatternError
            seen.add(pair)
            waiting.append((*pair, text + letter))
    return None


def relation(old: str, new: str) -> Relation:
    """Compare what two patterns match; 'different' also if that cannot be told."""
    one, other = _parsed(old), _parsed(new)
    if old == new:
        return "equal"
    if one is None or other is None:
        return "different"
    try:
        lost, gained = _missing(one, other), _missing(other, one)
    except (IrregularPatternError, RecursionError):
        return "different"
    if lost is None:
        return "equal" if gained is None else "wider"
    return "narrower" if gained is None else "different"


def matches(pattern: str, text: str) -> bool | None:
    """Tell whether the pattern is found in the text; None if it cannot be told."""
    one = _parsed(pattern)
    if one is None or not frozenset(text) <= ALPHABET or len(text) > _MAX_LENGTH:
        return None
    for letter in text:
        one = _after(one, letter)
    return _accepts_empty(one)


def samples(pattern: str, other: str | None = None, shortest: int = 0) -> Iterator[str]:
    """Yield strings that match the pattern: one that the other does not match, one that is long enough."""
    one = _parsed(pattern)
    if one is None:
        return
    too_short = repeat(Expression("one", ALPHABET), 0, shortest - 1) if shortest > 1 else EMPTY
    for avoided in (_parsed(other) if other is not None else None, too_short if shortest else NOTHING):
        if avoided is None:
            continue
        try:
            found = _missing(one, avoided)
        except (IrregularPatternError, RecursionError):
            continue
        if found is not None:
            yield found
