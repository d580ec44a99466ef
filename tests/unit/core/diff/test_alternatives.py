"""Alternatives: paired by what they have in common, and told apart."""

from typing import Any

import pytest

from mcpi.core.diff.alternatives import are_disjoint, pair_alternatives, written
from mcpi.core.diff.normal_form import normal_form, whole_schema
from mcpi.core.diff.schema_node import Node, SchemaRoot


def node(schema: Any) -> Node:
    return whole_schema(SchemaRoot(schema, ""))


def thing(kind: str | None, *more: str, required: bool = True) -> Any:
    properties: Any = {name: {"type": "string"} for name in more}
    about: Any = {} if kind is None else {"kind": {"const": kind}}
    return {"type": "object", "properties": {**about, **properties}, **({"required": ["kind"]} if required else {})}


def test_alternatives_are_paired_by_their_constants_and_else_by_their_properties() -> None:
    old = [node(thing("a", "x")), node(thing("b", "x")), node({"type": "string"})]
    new = [node(thing("b", "y")), node({"type": "string"}), node(thing("c", "x"))]
    paired = pair_alternatives(old, new)

    assert {(old.index(one), new.index(other)) for one, other in paired.pairs} == {(1, 0), (2, 1)}
    assert (paired.lost, paired.gained) == ((old[0],), (new[2],))


def test_alternatives_without_constants_are_paired_by_their_properties() -> None:
    old, new = [node(thing(None, "x", "y"))], [node(thing(None, "z")), node(thing(None, "x"))]

    assert pair_alternatives(old, new).pairs == ((old[0], new[1]),)


@pytest.mark.parametrize(
    ("one", "other", "disjoint"),
    [
        ({"type": "string"}, {"type": "null"}, True),
        ({"type": "string"}, {"type": "string", "minLength": 1}, False),
        (thing("a"), thing("b"), True),
        (thing("a"), thing("a"), False),
        (thing("a", required=False), thing("b"), False),
        (thing(None, "kind"), thing("b"), False),
    ],
)
def test_alternatives_exclude_each_other_by_type_or_by_a_required_constant(one: Any, other: Any, disjoint: Any) -> None:
    assert are_disjoint([node(one), node(other)]) is disjoint


def test_a_part_that_is_not_written_allows_anything() -> None:
    root = SchemaRoot({}, "/x")

    assert written(normal_form(root, {}, "/x/nowhere")).json is True


def test_of_very_many_alternatives_only_equal_ones_are_paired() -> None:
    old = [node({"type": "string", "minLength": at}) for at in range(1, 30)]
    new = [node({"type": "string", "minLength": at}) for at in range(29, 60)]
    paired = pair_alternatives(old, new)

    assert (paired.pairs, len(paired.lost), len(paired.gained)) == (((old[-1], new[0]),), 28, 30)
