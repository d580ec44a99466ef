"""Compare regular expressions by the strings that they match, and find such strings."""

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, TypeAlias

from mcpi.core.text.pattern_syntax import parse_pattern
from mcpi.core.text.pattern_tree import (
    LAST_CODE_POINT,
    CharacterSet,
    Choice,
    Expression,
    Position,
    Repetition,
    Sequence,
    complement,
)

Relation: TypeAlias = Literal["equal", "narrower", "wider", "different"]

EMPTY = Sequence(())
NOTHING = Choice(())
CHARACTER = CharacterSet(((0, LAST_CODE_POINT),))
ANY = Repetition(CHARACTER, 0, None)

_PREFERRED = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
_MAX_STATES = 1500
_MAX_LENGTH = 300
_MAX_CACHED = 20_000


class UndecidedError(Exception):
    """The patterns cannot be compared, or only with too much work."""


@lru_cache(_MAX_CACHED)
def _language(pattern: str) -> Expression | None:
    """Return the expression for whole texts that contain a match; None if it cannot be compared."""
    if len(pattern) > _MAX_LENGTH:
        return None
    parsed = parse_pattern(pattern)
    if parsed.unsupported:
        return None
    tree = parsed.expression
    try:
        return either([_anchored(one) for one in (tree.options if isinstance(tree, Choice) else (tree,))])
    except (UndecidedError, RecursionError):
        return None


def _anchored(option: Expression) -> Expression:
    """Return the texts with a match, which may start and end anywhere unless it is anchored."""
    parts = [*option.parts] if isinstance(option, Sequence) else [option]
    before: Expression = ANY
    after: Expression = ANY
    while parts[:1] == [Position("^")]:
        parts, before = parts[1:], EMPTY
    while parts[-1:] == [Position("$")]:
        parts, after = parts[:-1], EMPTY
    return join([before, *map(_simplified, parts), after])


def _simplified(one: Expression) -> Expression:
    """Return the canonical form of an expression."""
    match one:
        case CharacterSet(ranges, negated, ignore_case):
            if ignore_case:
                raise UndecidedError
            return CharacterSet(complement(ranges)) if negated else one
        case Sequence(parts):
            return join([_simplified(part) for part in parts])
        case Choice(options):
            return either([_simplified(option) for option in options])
        case Repetition(inner, minimum, maximum):
            return repeat(_simplified(inner), minimum, maximum)
        case Position():
            raise UndecidedError


def join(parts: list[Expression]) -> Expression:
    """Return the sequence of the parts."""
    flat: list[Expression] = []
    for one in parts:
        if one == NOTHING:
            return NOTHING
        flat += one.parts if isinstance(one, Sequence) else [one]
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def either(options: list[Expression]) -> Expression:
    """Return the alternatives."""
    flat: dict[Expression, None] = {}
    for one in options:
        flat |= dict.fromkeys(one.options if isinstance(one, Choice) else [one])
    if ANY in flat:
        return ANY
    return next(iter(flat)) if len(flat) == 1 else Choice(tuple(flat))


def repeat(one: Expression, minimum: int, maximum: int | None) -> Expression:
    """Return the repetition."""
    if maximum == 0 or one == EMPTY or (one == NOTHING and minimum == 0):
        return EMPTY
    if isinstance(one, Repetition) and (one.minimum, one.maximum, maximum) == (0, None, None):
        return one
    return one if (minimum, maximum) == (1, 1) else Repetition(one, minimum, maximum)


@lru_cache(_MAX_CACHED)
def _accepts_empty(one: Expression) -> bool:
    match one:
        case CharacterSet() | Position():
            return False
        case Sequence(parts):
            return all(map(_accepts_empty, parts))
        case Choice(options):
            return any(map(_accepts_empty, options))
        case Repetition(inner, minimum):
            return minimum == 0 or _accepts_empty(inner)


@lru_cache(_MAX_CACHED)
def _after(one: Expression, letter: str) -> Expression:
    """Return the expression of what may follow the letter (Brzozowski's derivative)."""
    assert not isinstance(one, Position)
    match one:
        case CharacterSet():
            return EMPTY if one.accepts(letter) else NOTHING
        case Choice(options):
            return either([_after(option, letter) for option in options])
        case Repetition(inner, minimum, maximum):
            rest = repeat(inner, max(minimum - 1, 0), None if maximum is None else maximum - 1)
            return join([_after(inner, letter), rest])
        case Sequence(parts):
            found: list[Expression] = []
            for place, part in enumerate(parts):
                found.append(join([_after(part, letter), *parts[place + 1 :]]))
                if not _accepts_empty(part):
                    break
            return either(found)


def _letters(*expressions: Expression) -> str:
    """Return one letter for each set of letters that the expressions treat alike."""
    sets = {one for whole in expressions for one in _character_sets(whole)}
    starts = {0, *(start for one in sets for low, high in one.ranges for start in (low, high + 1))}
    others = [*_PRINTABLE, *map(chr, sorted(start for start in starts if start <= LAST_CODE_POINT))]
    order = dict.fromkeys((*_PREFERRED, *others))
    return "".join({tuple(one.accepts(letter) for one in sets): letter for letter in reversed(order)}.values())[::-1]


def _character_sets(one: Expression) -> Iterator[CharacterSet]:
    assert not isinstance(one, Position)
    match one:
        case CharacterSet():
            yield one
        case Repetition(inner):
            yield from _character_sets(inner)
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from _character_sets(part)


def _missing(one: Expression, other: Expression, *, only_printable: bool = False) -> str | None:
    """Return a shortest string that the first matches and the other does not; None if there is none.

    Raise UndecidedError if that takes too long.
    """
    for left, right, text in _reached(one, other, only_printable=only_printable):
        if _accepts_empty(left) and not _accepts_empty(right):
            return text
    return None


def _reached(
    one: Expression, other: Expression, *, only_printable: bool = False
) -> Iterator[tuple[Expression, Expression, str]]:
    """Yield what may follow each string that the first can start with, the shortest ones first."""
    letters = [letter for letter in _letters(one, other) if letter in _PRINTABLE or not only_printable]
    waiting = deque([(one, other, "")])
    seen = {(one, other)}
    while waiting:
        left, right, text = waiting.popleft()
        yield left, right, text
        for letter in letters:
            pair = (_after(left, letter), _after(right, letter))
            if pair[0] == NOTHING or pair in seen:
                continue
            if len(seen) > _MAX_STATES:
                raise UndecidedError
            seen.add(pair)
            waiting.append((*pair, text + letter))


def exclude(one: str, other: str) -> bool:
    """Tell whether it is certain that no string matches both patterns."""
    left, right = _language(one), _language(other)
    if left is None or right is None:
        return False
    try:
        return not any(_accepts_empty(mine) and _accepts_empty(theirs) for mine, theirs, _ in _reached(left, right))
    except (UndecidedError, RecursionError):
        return False


def relation(old: str, new: str) -> Relation:
    """Compare the strings that two patterns match; return 'different' also if the relation is unknown."""
    one, other = _language(old), _language(new)
    if old == new:
        return "equal"
    if one is None or other is None:
        return "different"
    try:
        lost, gained = _missing(one, other), _missing(other, one)
    except (UndecidedError, RecursionError):
        return "different"
    if lost is None:
        return "equal" if gained is None else "wider"
    return "narrower" if gained is None else "different"


def samples(pattern: str, other: str | None = None, shortest: int = 0) -> Iterator[str]:
    """Yield strings of printable ASCII that match the pattern.

    The first one does not match `other`; the second one has at least `shortest` characters.
    """
    one = _language(pattern)
    if one is None:
        return
    too_short = repeat(CHARACTER, 0, shortest - 1) if shortest > 1 else EMPTY
    for avoided in (_language(other) if other is not None else None, too_short if shortest else NOTHING):
        if avoided is None:
            continue
        try:
            found = _missing(one, avoided, only_printable=True)
        except (UndecidedError, RecursionError):
            continue
        if found is not None:
            yield found
