"""Compare the constraints of two schemas on a value itself: type, enum, limits and texts."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from mcpi.core.diff.schema_node import Asked, Node, Value
from mcpi.core.diff.value_set import ValueSet
from mcpi.core.jsontext.values import Json, as_list, json_equal
from mcpi.core.text.regular_language import relation

_LIMITS = (
    *(("lower", "minimum", True), ("upper", "maximum", False)),
    *(("minLength", "min-length", True), ("maxLength", "max-length", False)),
    *(("minItems", "min-items", True), ("maxItems", "max-items", False)),
    *(("minProperties", "min-properties", True), ("maxProperties", "max-properties", False)),
)
_NOTES = {
    "title": "title-changed",
    "description": "description-changed",
    "examples": "examples-changed",
    "deprecated": "deprecation-changed",
}
_WIDER_FORMATS = frozenset(
    {
        *(("uri", "uri-reference"), ("uri", "iri"), ("uri", "iri-reference"), ("uri-reference", "iri-reference")),
        *(("iri", "iri-reference"), ("email", "idn-email"), ("hostname", "idn-hostname")),
        *(("int32", "int64"), ("float", "double")),
    }
)
"""Pairs of formats in which the second one includes all values of the first one."""


class Difference(NamedTuple):
    """A rule, and the two values that differ."""

    rule: str
    old: Value | None
    new: Value | None


def differ(old: Value | None, new: Value | None) -> bool:
    """Tell whether two values differ."""
    if old is None or new is None:
        return old is not new
    return not json_equal(old.json, new.json)


def added_or_removed(name: str, old: Value | None, new: Value | None, found: str = "different") -> Difference:
    """Return the difference with the rule for `name`; `found` is the relation of the new value to the old one."""
    if old is None or new is None:
        return Difference(f"{name}-{'added' if old is None else 'removed'}", old, new)
    ending = {"narrower": "narrowed", "wider": "widened"}.get(found, "changed")
    return Difference(f"{name}-{ending}", old, new)


def note_differences(old: Node, new: Node) -> Iterator[Difference]:
    """Compare the texts and the defaults."""
    for name, rule in _NOTES.items():
        if differ(old.notes.get(name), new.notes.get(name)):
            yield Difference(rule, old.notes.get(name), new.notes.get(name))
    before, after = old.notes.get("default"), new.notes.get("default")
    if differ(before, after):
        yield added_or_removed("default", before, after)


def listed(node: Node) -> Value | None:
    """Return the list of all values that a node allows, if it has one."""
    values: list[Json] = []
    places: list[str] = []
    for kind, asked in node.kinds.items():
        if "enum" in asked:
            values += as_list(asked["enum"].json)
            places.append(asked["enum"].pointer)
        elif kind == "null":
            values.append(None)
        elif kind == "boolean":
            values += [False, True]
        else:
            return None
    return Value([*values], places[0] if len({*places}) == 1 else node.pointer) if places else None


def are_compared_by_list(old: Node, new: Node) -> bool:
    """Tell whether comparing the lists of all values covers the types and the values of each type."""
    mine, other = listed(old), listed(new)
    if mine is not None and other is not None:
        return True
    if other is not None:
        return new.kinds.keys() <= old.kinds.keys()
    return mine is not None and old.kinds.keys() <= new.kinds.keys()


def type_differences(old: Node, new: Node) -> list[Difference]:
    """Compare the types, or the lists of all values, which imply the types."""
    if are_compared_by_list(old, new):
        mine, other = listed(old), listed(new)
        return [*_value_differences(mine, other)] if mine and other else [added_or_removed("enum", mine, other)]
    before, after = _type_names(old), _type_names(new)
    lost, gained = before - after, after - before
    lost -= {"integer"} if "number" in after else set()
    gained -= {"integer"} if "number" in before else set()
    if not lost and not gained:
        return []
    rule = "type-changed" if lost and gained else "type-narrowed" if lost else "type-widened"
    return [Difference(rule, _spelled(before, old), _spelled(after, new))]


def _value_differences(old: Value, new: Value) -> Iterator[Difference]:
    """Compare two lists of values."""
    before, after = as_list(old.json), as_list(new.json)
    lost, gained = without(before, after), without(after, before)
    if len(before) == len(after) == 1 and lost:
        yield Difference("const-changed", Value(before[0], old.pointer), Value(after[0], new.pointer))
        return
    if lost:
        yield Difference("enum-narrowed", old, new)
    if gained:
        yield Difference("enum-widened", old, new)


def without(values: list[Json], others: list[Json]) -> list[Json]:
    """Return the values that are not among the others."""
    known = ValueSet(others)
    return [one for one in values if one not in known]


def _type_names(node: Node) -> set[str]:
    return {"integer" if kind == "number" and "integer" in asked else kind for kind, asked in node.kinds.items()}


def _spelled(names: set[str], node: Node) -> Value:
    found: list[Json] = [*sorted(names)]
    return Value(found[0] if len(found) == 1 else found, node.type_pointer)


def keyword_differences(old: Asked, new: Asked, *, has_list: bool) -> Iterator[Difference]:
    """Compare the keywords for one type; with `has_list` the values have been compared already."""
    for name, rule, is_lower in _LIMITS:
        if differ(old.get(name), new.get(name)):
            yield _limit_difference(rule, old.get(name), new.get(name), is_lower=is_lower)
    for name, rule, compared in _FAMILIES:
        mine, other = old.get(name), new.get(name)
        if differ(mine, other):
            found = compared(mine.json, other.json) if mine and other else ""
            if found != "equal":
                yield added_or_removed(rule, mine, other, found)
    before, after = old.get("enum"), new.get("enum")
    if has_list or not differ(before, after):
        return
    if before and after:
        yield from _value_differences(before, after)
    else:
        yield added_or_removed("enum", before, after)


def _limit_difference(rule: str, old: Value | None, new: Value | None, *, is_lower: bool) -> Difference:
    if old is None or new is None:
        mine, other = (one and Value(_limit(one)[0], one.pointer) for one in (old, new))
        return added_or_removed(rule, mine, other)
    before, after = _limit(old), _limit(new)
    raised = after[0] > before[0] or (after[0] == before[0] and after[1] == is_lower)
    name = f"{rule}-{'raised' if raised else 'lowered'}"
    return Difference(name, Value(before[0], old.pointer), Value(after[0], new.pointer))


def _limit(value: Value) -> tuple[float, bool]:
    """Return a limit, and whether the limit itself is excluded."""
    limit, excluded = value.json if isinstance(value.json, list) else (value.json, False)
    return (limit if isinstance(limit, int | float) else 0), excluded is True


def _patterns(old: Json, new: Json) -> str:
    return relation(old, new) if isinstance(old, str) and isinstance(new, str) else "different"


def _formats(old: Json, new: Json) -> str:
    if (old, new) in _WIDER_FORMATS:
        return "wider"
    return "narrower" if (new, old) in _WIDER_FORMATS else "different"


def _steps(old: Json, new: Json) -> str:
    if not isinstance(old, int) or not isinstance(new, int) or old <= 0 or new <= 0:
        return "different"
    return "narrower" if new % old == 0 else "wider" if old % new == 0 else "different"


def _unrelated(_: Json, __: Json) -> str:
    return "different"


_FAMILIES: tuple[tuple[str, str, Callable[[Json, Json], str]], ...] = (
    ("pattern", "pattern", _patterns),
    ("format", "format", _formats),
    ("multipleOf", "multiple-of", _steps),
    ("contentEncoding", "encoding", _unrelated),
    ("contentMediaType", "encoding", _unrelated),
    ("uniqueItems", "unique-items", _unrelated),
    ("contains", "contains", _unrelated),
    ("minContains", "contains", _unrelated),
    ("maxContains", "contains", _unrelated),
    ("dependentRequired", "dependency", _unrelated),
    ("dependentSchemas", "dependency", _unrelated),
    ("dependencies", "dependency", _unrelated),
)
