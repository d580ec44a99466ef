"""Witnesses of breaking changes, validated with jsonschema."""

from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from mcpi.core.diff.alternatives import are_disjoint
from mcpi.core.diff.change_rules import Change
from mcpi.core.diff.normal_form import whole_schema
from mcpi.core.diff.schema_node import SchemaRoot
from mcpi.core.diff.values.witnesses import search
from mcpi.core.jsontext.values import Json, JsonObject
from support.changes import CASES, schema_change

SIDES = {"input": "inputSchema", "output": "outputSchema"}
BREAKING = [(side, case) for side in SIDES for case in CASES[side] if case["class"] == "breaking"]


def is_valid(value: Json, schema: Any) -> bool:
    return bool(validator_for(schema, default=Draft202012Validator)(schema).is_valid(value))


def confirmed_witness(change: Change, accepting: Any, refusing: Any) -> list[Json]:
    """Return the witness found or the undecided ones that jsonschema confirms."""
    found = search(change)
    assert found is not None
    if found.is_found:
        assert is_valid(found.found, accepting)
        assert not is_valid(found.found, refusing)
        return [found.found]
    return [one for one in found.undecided if is_valid(one, accepting) and not is_valid(one, refusing)]


@pytest.mark.parametrize(("side", "case"), BREAKING, ids=lambda one: str(one)[:60])
def test_breaking_change_has_a_witness_if_one_exists(side: str, case: dict[str, Any]) -> None:
    (change,) = schema_change(case["old"], case["new"], SIDES[side])
    schemas = (case["old"], case["new"]) if side == "input" else (case["new"], case["old"])

    assert bool(confirmed_witness(change, *schemas)) is case["witness"]


def test_witness_is_searched_only_for_breaking_schema_changes() -> None:
    (widened,) = schema_change({"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"type": "number"}}})

    assert search(widened) is None


SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.just({}),
    st.builds(
        lambda low, high: {"type": "integer", "minimum": min(low, high), "maximum": max(low, high)},
        st.integers(-3, 3),
        st.integers(-3, 6),
    ),
    st.builds(lambda low: {"type": "number", "exclusiveMinimum": low}, st.integers(-3, 3)),
    st.builds(lambda step: {"type": "integer", "multipleOf": step}, st.integers(1, 6)),
    st.builds(
        lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more},
        st.integers(0, 3),
        st.integers(0, 3),
    ),
    st.builds(
        lambda pattern: {"type": "string", "pattern": pattern}, st.sampled_from(["^[a-z]+$", "^a", "b", "^\\d{2}$"])
    ),
    st.builds(lambda values: {"enum": values}, st.lists(st.sampled_from(["x", "y", 1, 2.5, None, True]), min_size=1)),
    st.builds(
        lambda types: {"type": types},
        st.lists(st.sampled_from(["string", "integer", "null", "boolean"]), min_size=1, unique=True),
    ),
    st.just({"const": "x"}),
)


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def build(properties: dict[str, Any], required: set[str], closed: bool | None) -> dict[str, Any]:  # noqa: FBT001 - drawn
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        schema |= {"required": sorted(required)} if required else {}
        return schema | ({} if closed is None else {"additionalProperties": not closed})

    names = st.sampled_from(["a", "b", "c"])
    return st.builds(
        build, st.dictionaries(names, inner, max_size=3), st.sets(names, max_size=2), st.none() | st.booleans()
    )


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        objects(inner),
        st.builds(lambda items, size: {"type": "array", "items": items, "minItems": size}, inner, st.integers(0, 2)),
        st.builds(
            lambda branches, word: {word: branches},
            st.lists(inner, min_size=1, max_size=3),
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
        ),
        st.builds(lambda one: {"not": one}, inner),
    ),
    max_leaves=5,
)
INPUTS = objects(SCHEMAS)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(INPUTS, INPUTS, st.sampled_from(list(SIDES)))
def test_witness_is_confirmed_by_jsonschema(old: Any, new: Any, side: str) -> None:
    for change in schema_change(old, new, SIDES[side]):
        if change.change_class == "breaking":
            confirmed_witness(change, *((old, new) if side == "input" else (new, old)))


@given(INPUTS)
def test_a_schema_compared_with_itself_has_no_changes(schema: Any) -> None:
    assert schema_change(schema, schema) == ()


@given(INPUTS, st.sampled_from(list(SIDES)))
def test_optional_property_added_to_an_open_object_is_additive(schema: Any, side: str) -> None:
    assume(schema.get("additionalProperties") is not False)
    wider = {**schema, "properties": {**schema["properties"], "new": {"type": "string"}}}

    assert [one.change_class for one in schema_change(schema, wider, SIDES[side])] == ["additive"]


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(INPUTS, INPUTS)
def test_nonbreaking_input_changes_have_no_witness(old: Any, new: Any) -> None:
    changes = schema_change(old, new)
    assume(all(one.change_class != "breaking" for one in changes))
    assume(not any(one.rule.startswith(("property-added", "default")) for one in changes))
    found = [evolve(one, change_class="breaking") for one in changes if one.schema is not None]

    assert [search(one).is_found for one in found if search(one)] == [False] * len(found)  # type: ignore[union-attr]


VALUES: list[Any] = [None, True, 0, 1, 2, 3, 2.5, -1, 6, "", "a", "ab", "x", "y", "10", "abcd", [], [0], [None, "a"]]
OBJECTS = [{}, *({name: value} for name in "abc" for value in VALUES), {"a": 1, "b": "x"}, {"a": {}, "b": 2, "c": "a"}]


@st.composite
def alternatives(draw: st.DrawFn) -> tuple[Any, Any]:
    """Draw a oneOf, and a copy with one alternative added or replaced."""
    branches = draw(st.lists(SCHEMAS, min_size=2, max_size=3))
    more = draw(st.sampled_from([[], [draw(SCHEMAS)]]))
    changed = branches if more else [draw(SCHEMAS), *branches[1:]]
    return tuple({"type": "object", "properties": {"a": {"oneOf": one}}} for one in (branches, [*changed, *more]))  # type: ignore[return-value] # two


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(alternatives(), st.sampled_from(list(SIDES)))
def test_nonbreaking_changes_of_alternatives_keep_valid_values_valid(schemas: tuple[Any, Any], side: str) -> None:
    changes = schema_change(*schemas, SIDES[side])
    assume(all(one.change_class != "breaking" for one in changes))
    accepting, refusing = schemas if side == "input" else schemas[::-1]

    assert [one for one in OBJECTS if is_valid(one, accepting) and not is_valid(one, refusing)] == []


@given(SCHEMAS, SCHEMAS)
def test_no_value_matches_two_disjoint_schemas(one: Any, other: Any) -> None:
    assume(are_disjoint([whole_schema(SchemaRoot(schema, "")) for schema in (one, other)]))

    assert [value for value in [*VALUES, *OBJECTS] if is_valid(value, one) and is_valid(value, other)] == []


SHAPES = [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "null"}}}]


@pytest.mark.parametrize(
    ("old", "new", "witness"),
    [
        ({"type": "integer", "minimum": 7, "multipleOf": 5}, {"type": "integer", "minimum": 7, "multipleOf": 10}, 15),
        ({"type": "integer", "multipleOf": -1}, {"type": "integer", "minimum": 7, "multipleOf": -1}, None),
        ({"type": "integer", "multipleOf": 5}, {"type": "integer", "minimum": 7, "multipleOf": 5}, 0),
        (
            {"anyOf": SHAPES, "maxProperties": 2},
            {"anyOf": SHAPES, "maxProperties": 1},
            {"unexpected0": "a", "unexpected1": "a"},
        ),
        ({"type": "number"}, {"type": "number", "maximum": 10**400}, None),
    ],
)
def test_witness_lies_between_the_old_and_new_limits(old: Any, new: Any, witness: Any) -> None:
    before: JsonObject = {"properties": {"a": old}}
    after: JsonObject = {"properties": {"a": new}}
    found = [one for change in schema_change(before, after) for one in confirmed_witness(change, before, after)]

    assert ({"a": witness} in found) is (witness is not None)
