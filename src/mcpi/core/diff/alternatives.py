"""Pair the alternatives (anyOf, oneOf) of two schemas, and tell whether alternatives exclude each other."""

from collections.abc import Sequence
from typing import NamedTuple

from mcpi.core.diff.keyword_changes import differ, listed, without
from mcpi.core.diff.normal_form import children
from mcpi.core.diff.schema_node import Asked, Node, Value
from mcpi.core.jsontext.values import as_list
from mcpi.core.jsontext.writing import dump

_MAX_PAIRS = 400


class PairedAlternatives(NamedTuple):
    """The alternatives of two schemas: those that belong together, and the rest."""

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
    """Rate how much two alternatives have in common, from 0 to 1.5."""
    if not old.kinds.keys() & new.kinds.keys():
        return 0
    mine, other = dict(children(old)), dict(children(new))
    for name in mine.keys() & other.keys():
        values = listed(mine[name]), listed(other[name])
        if values[0] and values[1]:
            return 0 if differ(*values) else 1.5
    return (1 + len(mine.keys() & other.keys())) / (1 + len(mine.keys() | other.keys()))


def written(node: Node) -> Value:
    """Return a part of a schema as it is written."""
    inside = node.pointer.removeprefix(node.root.pointer)
    found = node.root.referenced(f"#{inside}")
    return found or Value(True, node.pointer)  # noqa: FBT003 - a JSON value


def are_disjoint(branches: Sequence[Node]) -> bool:
    """Tell whether no value can match two of the alternatives."""
    return all(_exclude(one, other) for at, one in enumerate(branches) for other in branches[:at])


def _exclude(one: Node, other: Node) -> bool:
    if not one.kinds.keys() & other.kinds.keys():
        return True
    if one.kinds.keys() | other.kinds.keys() != {"object"}:
        return False
    mine, theirs = dict(children(one)), dict(children(other))
    required = {*required_names(one.kinds["object"])} & {*required_names(other.kinds["object"])}
    for name in required & mine.keys() & theirs.keys():
        values = listed(mine[name]), listed(theirs[name])
        if values[0] and values[1]:
            first = as_list(values[0].json)
            if len(without(first, as_list(values[1].json))) == len(first):
                return True
    return False


def required_names(asked: Asked) -> list[str]:
    """Return the names of the required properties."""
    given = as_list(asked["required"].json) if "required" in asked else []
    return [*dict.fromkeys(name for name in given if isinstance(name, str))]
