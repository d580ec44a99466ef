"""The parts of a schema's normal form, and how to merge them."""

from collections.abc import Mapping
from typing import TypeAlias
from urllib.parse import unquote

from attrs import define, evolve, field

from mcpi.core.diff.value_set import ValueSet
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.pointers import escape_token, resolve_pointer
from mcpi.core.jsontext.values import Json, JsonObject, as_list, json_equal

SCHEMA_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose members are schemas by name."""
TEXTS = ("title", "description")
_MAX_INLINED = 6
KINDS = ("null", "boolean", "number", "string", "array", "object")
MERGED: Mapping[str, str] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), "max"),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), "min"),
}
"""Functions that merge two values of a keyword so that both apply."""


@define
class Value:
    """A value in a schema, and its place in the document."""

    json: Json
    pointer: str


Asked: TypeAlias = dict[str, Value]
"""The keywords that apply to values of one type."""


@define(eq=False)
class Node:
    """A schema in its normal form."""

    pointer: str
    root: "SchemaRoot"
    kinds: dict[str, Asked] = field(factory=dict)
    """The types that are allowed, with their keywords; an 'enum' has the values of that type."""
    notes: Asked = field(factory=dict)
    choices: list[tuple[str, list["Node"]]] = field(factory=list)
    """Alternatives (anyOf, oneOf) that could not be merged."""
    others: Asked = field(factory=dict)
    """Conditions, and parts of an allOf that could not be merged."""
    type_pointer: str = ""

    @property
    def is_open(self) -> bool:
        """Tell whether the schema allows any value and has no annotations."""
        return len(self.kinds) == len(KINDS) and not (
            any(self.kinds.values()) or self.notes or self.choices or self.others
        )


@define
class SchemaRoot:
    """A whole schema, in which references are resolved."""

    json: Json
    pointer: str
    left: int = 100_000
    """Number of parts that may still be visited; recursive references make a schema infinite."""

    def count_part(self) -> bool:
        """Count one part; tell whether there were too many."""
        self.left -= 1
        return self.left < 0

    def referenced(self, reference: Json) -> Value | None:
        """Return the target of a reference inside the document."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        return self.at(f"{self.pointer}{unquote(reference[1:])}")

    def at(self, pointer: str) -> Value | None:
        """Return the value at a place in the document."""
        try:
            return Value(resolve_pointer(self.json, pointer.removeprefix(self.pointer)), pointer)
        except KeyError:
            return None

    def inlined(self, schema: Json, depth: int = 0, without: tuple[str, ...] = TEXTS) -> Json:
        """Replace the references inside a part of the document with their targets, and omit some keywords."""
        if isinstance(schema, list):
            return [self.inlined(one, depth, without) for one in schema]
        if not isinstance(schema, dict) or self.count_part():
            return schema
        target = self.referenced(schema.get("$ref")) if depth < _MAX_INLINED else None
        if target is not None:
            return self.inlined(target.json, depth + 1, without)
        found: JsonObject = {}
        for name, value in schema.items():
            if name in SCHEMA_MAPS and isinstance(value, dict):
                found[name] = {key: self.inlined(one, depth, without) for key, one in value.items()}
            elif name not in without:
                found[name] = self.inlined(value, depth, without)
        return found


def written(node: Node) -> Value:
    """Return a part of a schema as it is written."""
    return node.root.at(node.pointer) or Value(True, node.pointer)  # noqa: FBT003 - a JSON value


FURTHER, NAMES = -1, -2
"""Steps to the schema of additional properties, and to that of property names."""


@frozen
class Level:
    """One step from a schema to a part of it: a property, an item, or None for an alternative of the same value."""

    old: Node
    new: Node
    step: str | int | None = None


@frozen
class SchemaChange:
    """A difference between two schemas."""

    rule: str
    pointer: str
    old: Json
    new: Json
    levels: tuple[Level, ...]
    """The path from the whole schema to the part that differs."""


def token(name: str | int) -> str:
    """Return one step of a JSON pointer."""
    return f"/{escape_token(name)}"


def is_whole(value: Json) -> bool:
    """Tell whether the value is an integer, which may be written as 1.0."""
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


def contains(values: list[Json], value: Json) -> bool:
    """Tell whether a list of values has the value."""
    return any(json_equal(one, value) for one in values)


def drop_idle_enum(kind: str, asked: Asked) -> None:
    """Drop an enum that lists all values of its type."""
    if kind == "null" or (kind == "boolean" and {True, False} <= {*map(bool, as_list(asked["enum"].json))}):
        del asked["enum"]


def merge_both(one: Node, other: Node) -> Node:
    """Return the node of values that match both."""
    kinds: dict[str, Asked] = {}
    left: Asked = {}
    for kind, asked in one.kinds.items():
        if kind not in other.kinds:
            continue
        merged, conflict = _merged(asked, other.kinds[kind], one.pointer)
        if not merged.get("enum", Value([0], "")).json:
            continue
        kinds[kind] = merged
        left |= {f"allOf {name}": value for name, value in conflict.items()}
    typed = other.type_pointer if len(other.kinds) < len(one.kinds) else one.type_pointer
    return evolve(
        one,
        kinds=kinds,
        notes={**other.notes, **one.notes},
        choices=[*one.choices, *other.choices],
        others={**other.others, **one.others, **left},
        type_pointer=typed,
    )


def _merged(one: Asked, other: Asked, pointer: str) -> tuple[Asked, Asked]:
    """Merge the keywords for one type; those that cannot be merged are returned separately.

    `pointer` is the place of the schema that contains both.
    """
    merged, conflict = dict(one), dict[str, Value]()
    closes = [asked for asked in (one, other) if "additionalProperties" in asked]
    apart = len(closes) == 1 and any("properties" in asked for asked in (one, other) if asked is not closes[0])
    for name, value in other.items():
        mine = merged.get(name)
        if apart and name in ("properties", "additionalProperties", "patternProperties"):
            conflict[name] = value
        elif mine is None:
            merged[name] = value
        elif not json_equal(mine.json, value.json):
            found = _combined(name, mine, value, pointer)
            if found is None:
                conflict[name] = value
            else:
                merged[name] = found
    return merged, conflict


def _combined(name: str, mine: Value, value: Value, pointer: str) -> Value | None:
    """Return the merged value of a keyword, or None."""
    if name == "enum":
        known = ValueSet(as_list(value.json))
        both = [one for one in as_list(mine.json) if one in known]
        return Value(both, mine.pointer if len(both) == len(as_list(mine.json)) else pointer)
    if name == "required":
        both = [*as_list(mine.json), *as_list(value.json)]
        return Value([*dict.fromkeys(one for one in both if isinstance(one, str))], mine.pointer)
    if name in ("lower", "upper"):
        sign = 1 if name == "lower" else -1
        return max((mine, value), key=lambda one: _strength(one, sign))
    if name in MERGED and isinstance(mine.json, int | float) and isinstance(value.json, int | float):
        stronger = value.json > mine.json if MERGED[name] == "max" else value.json < mine.json
        return value if stronger else mine
    if name == "properties" and isinstance(mine.json, dict) and isinstance(value.json, dict):
        same = {key for key in mine.json if key in value.json and not json_equal(mine.json[key], value.json[key])}
        shared: JsonObject = {key: {"allOf": [mine.json[key], value.json[key]]} for key in same}
        return Value({**value.json, **mine.json, **shared}, mine.pointer)
    return None


def _strength(bound: Value, sign: int) -> tuple[float, bool]:
    limit, excluded = as_list(bound.json)
    assert isinstance(limit, int | float)
    return sign * limit, bool(excluded)


def merge_alternatives(keyword: str, branches: list[Node], pointer: str) -> Node:
    """Return the node of values that match one of the alternatives; those that cannot be merged are kept."""
    possible = [one for one in branches if one.kinds]
    if len(possible) == 1:
        return possible[0]
    kinds: dict[str, Asked] = {}
    for branch in possible:
        if branch.choices or branch.others:
            break
        for kind, asked in branch.kinds.items():
            united = asked if kind not in kinds else _united(kinds[kind], asked, pointer, exclusive=keyword == "oneOf")
            if united is None:
                break
            kinds[kind] = united
        else:
            continue
        break
    else:
        for kind in ("null", "boolean"):
            if "enum" in kinds.get(kind, {}):
                drop_idle_enum(kind, kinds[kind])
        return Node(
            pointer, branches[0].root, {kind: kinds[kind] for kind in KINDS if kind in kinds}, type_pointer=pointer
        )
    allowed = {kind for one in possible for kind in one.kinds}
    return Node(
        pointer,
        branches[0].root,
        {kind: {} for kind in KINDS if kind in allowed},
        choices=[(keyword, possible)],
        type_pointer=pointer,
    )


def _united(one: Asked, other: Asked, pointer: str, *, exclusive: bool) -> Asked | None:
    """Return the keywords that allow what either allows, or None if no keywords express that.

    `pointer` is the place of the list of alternatives.
    """
    if one.keys() == {"enum"} == other.keys():
        mine, more = as_list(one["enum"].json), as_list(other["enum"].json)
        known = ValueSet(mine)
        added = [value for value in more if value not in known]
        return None if exclusive and len(added) < len(more) else {"enum": Value([*mine, *added], pointer)}
    if exclusive:
        return None
    if not one or not other:
        return {}
    same = one.keys() == other.keys() and all(json_equal(one[name].json, other[name].json) for name in one)
    return one if same else None
