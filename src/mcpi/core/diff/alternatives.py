"""Pair the alternatives (anyOf, oneOf) of two schemas, and tell whether alternatives exclude each other."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcpi.core.diff.keyword_changes import listed, without
from mcpi.core.diff.normal_form import NOTES, children
from mcpi.core.diff.schema_node import Asked, Node, merge_both, written
from mcpi.core.diff.values.evaluation import evaluate
from mcpi.core.jsontext.values import JsonObject, as_list, json_equal
from mcpi.core.jsontext.writing import dump
from mcpi.core.text.regular_language import exclude

_MAX_PAIRS = 400
_MAX_DEPTH = 8
_MAX_PROOFS = 10_000
"""Maximum number of pairs of alternatives to compare; all others count as overlapping."""
_BOUNDS = (("lower", "minimum", "exclusiveMinimum"), ("upper", "maximum", "exclusiveMaximum"))
_LIMITS = (
    *(("lower", "upper"), ("minLength", "maxLength")),
    *(("minItems", "maxItems"), ("minProperties", "maxProperties")),
)
_DECIDABLE = frozenset({name for pair in _LIMITS[1:] for name in pair} | {"enum", "pattern", "multipleOf", "required"})
"""Keywords that constrain a value itself, not its parts."""


class PairedAlternatives(NamedTuple):
    """The alternatives of two schemas: matching pairs, and the rest."""

    pairs: tuple[tuple[Node, Node], ...]
    lost: tuple[Node, ...]
    gained: tuple[Node, ...]


def pair_alternatives(old: Sequence[Node], new: Sequence[Node]) -> PairedAlternatives:
    """Pair the most similar alternatives."""
    left, right = dict(enumerate(old)), dict(enumerate(new))
    pairs: list[tuple[Node, Node]] = []
    texts = {dump(written(other).json): place for place, other in reversed(right.items())}
    for at, one in enumerate(old):
        place = texts.pop(dump(written(one).json), None)
        if place is not None:
            pairs.append((left.pop(at), right.pop(place)))
    if len(left) * len(right) > _MAX_PAIRS:
        return PairedAlternatives(tuple(pairs), tuple(left.values()), tuple(right.values()))
    scores = [(_similarity(one, other), at, place) for at, one in left.items() for place, other in right.items()]
    for score, at, place in sorted(scores, key=lambda found: (-found[0], found[1], found[2])):
        if score > 0 and at in left and place in right:
            pairs.append((left.pop(at), right.pop(place)))
    return PairedAlternatives(tuple(pairs), tuple(left.values()), tuple(right.values()))


def _similarity(old: Node, new: Node) -> float:
    """Rate the similarity of two alternatives, from 0 to 2; a property without a common value makes it 0."""
    if not old.kinds.keys() & new.kinds.keys():
        return 0
    mine, other = dict(children(old)), dict(children(new))
    shared = mine.keys() & other.keys()
    lists = [(listed(mine[name]), listed(other[name])) for name in shared]
    values = [(as_list(one.json), as_list(more.json)) for one, more in lists if one and more]
    if any(len(without(one, more)) == len(one) for one, more in values):
        return 0
    return bool(values) + (1 + len(shared)) / (1 + len(mine.keys() | other.keys()))


def are_disjoint(branches: Sequence[Node]) -> bool:
    """Tell whether it is certain that no value matches two of the alternatives."""
    return all(exclude_each_other(one, other) for at, one in enumerate(branches) for other in branches[:at])


def exclude_each_other(one: Node, other: Node, depth: int = 0) -> bool:
    """Tell whether it is certain that no value matches both schemas."""
    shared = one.kinds.keys() & other.kinds.keys()
    return all(
        _values_differ(one.kinds[kind], other.kinds[kind])
        or _limits_differ(one.kinds[kind], other.kinds[kind])
        or _patterns_differ(one.kinds[kind], other.kinds[kind])
        or (kind == "object" and depth < _MAX_DEPTH and _members_differ(one, other, depth))
        for kind in shared
    )


def _values_differ(one: Asked, other: Asked) -> bool:
    """Tell whether one side lists its values, and the other side allows none of them."""
    for mine, theirs in ((one, other), (other, one)):
        if "enum" in mine:
            return all(evaluate(value, _keywords(theirs)) is False for value in as_list(mine["enum"].json))
    return False


def _keywords(asked: Asked) -> JsonObject:
    """Return the keywords that constrain the value itself, in the form of a schema."""
    found: JsonObject = {name: value.json for name, value in asked.items() if name in _DECIDABLE}
    for name, keyword, exclusive in _BOUNDS:
        if name in asked:
            limit, excluded = as_list(asked[name].json)
            found[exclusive if excluded else keyword] = limit
    return {**found, "type": "integer"} if "integer" in asked else found


def _limits_differ(one: Asked, other: Asked) -> bool:
    """Tell whether the minimum of one side is greater than the maximum of the other side."""
    return any(
        _limit(mine, least) > _limit(theirs, most)
        for least, most in _LIMITS
        for mine, theirs in ((one, other), (other, one))
        if least in mine and most in theirs
    )


def _limit(asked: Asked, name: str) -> tuple[float, int]:
    """Return a limit; an exclusive limit is moved beyond its value."""
    value, excluded = as_list(asked[name].json) if name in {"lower", "upper"} else (asked[name].json, False)
    beyond = 1 if name == "lower" else -1
    return (value if isinstance(value, int | float) else math.nan), (beyond if excluded else 0)


def _patterns_differ(one: Asked, other: Asked) -> bool:
    patterns = [asked["pattern"].json for asked in (one, other) if "pattern" in asked]
    match patterns:
        case [str(mine), str(theirs)]:
            return exclude(mine, theirs)
        case _:
            return False


def _members_differ(one: Node, other: Node, depth: int) -> bool:
    """Tell whether a property that one side requires has no value that both sides allow."""
    mine, theirs = dict(children(one)), dict(children(other))
    sides = ((one.kinds["object"], mine), (other.kinds["object"], theirs))
    return any(
        exclude_each_other(mine[name], theirs[name], depth + 1)
        if name in mine and name in theirs
        else name not in known and _is_closed(asked)
        for (needing, _), (asked, known) in (sides, sides[::-1])
        for name in required_names(needing)
    )


def _is_closed(asked: Asked) -> bool:
    rest = asked.get("additionalProperties")
    return rest is not None and rest.json is False and "patternProperties" not in asked


def overlaps(paired: PairedAlternatives, *, in_new: bool) -> Iterator[tuple[Node | None, Node | None, Node]]:
    """Yield each changed or new alternative, with its possible overlap with another one in that version.

    A `oneOf` rejects values in the overlap. `in_new` selects the version to check.
    """
    both = [*paired.pairs, *((one, None) for one in paired.lost), *((None, one) for one in paired.gained)]
    judged = [(one, old, new) for old, new in both if (one := new if in_new else old) is not None]
    proofs = 0
    for one, old, new in judged:
        if old is not None and new is not None and _is_unchanged(old, new):
            continue
        for other, _, _ in judged:
            proofs += 1
            if other is not one and (proofs > _MAX_PROOFS or not exclude_each_other(one, other)):
                yield old, new, merge_both(one, other)
                break


def _is_unchanged(old: Node, new: Node) -> bool:
    """Tell whether two alternatives are equal except for texts and defaults."""
    before, after = (one.root.inlined(written(one).json, without=NOTES) for one in (old, new))
    return json_equal(before, after)


def required_names(asked: Asked) -> list[str]:
    """Return the names of the required properties."""
    given = as_list(asked["required"].json) if "required" in asked else []
    return [*dict.fromkeys(name for name in given if isinstance(name, str))]
