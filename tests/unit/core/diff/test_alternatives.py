"""Alternatives: pairing by common members, and disjointness."""

from typing import Any

import pytest

from mcpi.core.diff.alternatives import are_disjoint, overlaps, pair_alternatives
from mcpi.core.diff.normal_form import normal_form, whole_schema
from mcpi.core.diff.schema_node import Node, SchemaRoot, written


def node(schema: Any) -> Node:
    return whole_schema(SchemaRoot(schema, ""))


def object_of_kind(kind: str | None, *more: str, required: bool = True) -> Any:
    properties: Any = {name: {"type": "string"} for name in more}
    about: Any = {} if kind is None else {"kind": {"const": kind}}
    return {"type": "object", "properties": {**about, **properties}, **({"required": ["kind"]} if required else {})}


def test_alternatives_are_paired_by_constants_before_properties() -> None:
    old = [node(object_of_kind("a", "x")), node(object_of_kind("b", "x")), node({"type": "string"})]
    new = [node(object_of_kind("b", "y")), node({"type": "string"}), node(object_of_kind("c", "x"))]
    paired = pair_alternatives(old, new)

    assert {(old.index(one), new.index(other)) for one, other in paired.pairs} == {(1, 0), (2, 1)}
    assert (paired.lost, paired.gained) == ((old[0],), (new[2],))


def test_alternatives_without_constants_are_paired_by_properties() -> None:
    old, new = (
        [node(object_of_kind(None, "x", "y"))],
        [node(object_of_kind(None, "z")), node(object_of_kind(None, "x"))],
    )

    assert pair_alternatives(old, new).pairs == ((old[0], new[1]),)


def test_alternatives_with_several_constants_are_paired_only_if_each_has_a_common_value() -> None:
    def alternative(kind: str, modes: list[Any], *more: str) -> Any:
        found = object_of_kind(kind, *more)
        return node({**found, "properties": {**found["properties"], "mode": {"enum": modes}}})

    old = [alternative("a", ["x"]), alternative("b", ["x"], "y")]
    new = [alternative("b", ["x", "z"], "y"), alternative("c", ["x"])]
    paired = pair_alternatives(old, new)

    assert (paired.pairs, paired.lost, paired.gained) == (((old[1], new[0]),), (old[0],), (new[1],))


NEEDS_A = {"type": "object", "required": ["a"]}


@pytest.mark.parametrize(
    ("one", "other", "disjoint"),
    [
        ({"type": "string"}, {"type": "null"}, True),
        ({"type": "string"}, {"type": "string", "minLength": 1}, False),
        (object_of_kind("a"), object_of_kind("b"), True),
        (object_of_kind("a"), object_of_kind("a"), False),
        (object_of_kind("a", required=False), object_of_kind("b"), True),
        (object_of_kind("a", required=False), object_of_kind("b", required=False), False),
        (object_of_kind(None, "kind"), object_of_kind("b"), False),
        ({"maximum": 3}, {"minimum": 4}, False),
        ({"type": "number", "maximum": 3}, {"type": "number", "minimum": 3}, False),
        ({"type": "number", "maximum": 3}, {"type": "number", "exclusiveMinimum": 3}, True),
        ({"type": "number", "exclusiveMaximum": 3}, {"type": "number", "minimum": 3}, True),
        ({"type": "string", "minLength": 3}, {"type": "string", "maxLength": 2}, True),
        ({"type": "string", "minLength": "3"}, {"type": "string", "maxLength": 2}, False),
        ({"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^b"}, True),
        ({"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "b$"}, False),
        ({"type": "string", "pattern": "^a"}, {"type": "string"}, False),
        ({"enum": ["a", 1]}, {"enum": ["b", 2]}, True),
        ({"enum": ["a", 1]}, {"enum": ["b", 1]}, False),
        ({"enum": [1, 2]}, {"type": "integer", "minimum": 3}, True),
        ({"type": "integer", "exclusiveMinimum": 1}, {"enum": [1, 2]}, False),
        ({"enum": [1.5]}, {"type": "integer"}, True),
        (NEEDS_A, {**NEEDS_A, "additionalProperties": False}, True),
        (NEEDS_A, {**NEEDS_A, "additionalProperties": False, "patternProperties": {"a": {}}}, False),
        (NEEDS_A, {"type": "object", "required": ["b"]}, False),
    ],
)
def test_disjoint_alternatives_differ_in_types_values_limits_or_required(one: Any, other: Any, disjoint: Any) -> None:
    assert are_disjoint([node(one), node(other)]) is disjoint


def test_missing_subschema_allows_any_value() -> None:
    root = SchemaRoot({}, "/x")

    assert written(normal_form(root, {}, "/x/nowhere")).json is True


def test_large_sets_of_alternatives_pair_only_equal_ones() -> None:
    old = [node({"type": "string", "minLength": at}) for at in range(1, 30)]
    new = [node({"type": "string", "minLength": at}) for at in range(29, 60)]
    paired = pair_alternatives(old, new)

    assert (paired.pairs, len(paired.lost), len(paired.gained)) == (((old[-1], new[0]),), 28, 30)


def test_overlap_check_of_many_alternatives_is_limited() -> None:
    old, new = ([node({"const": at}) for at in range(start, start + 110)] for start in (0, 200))
    found = [*overlaps(pair_alternatives(old, new), in_new=True)]

    assert 0 < len(found) < len(new)
