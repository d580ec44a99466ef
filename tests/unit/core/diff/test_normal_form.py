"""The normal form: circular references, limits of drafts, and deep nesting."""

from typing import Any

import pytest

from mcpi.core.diff.normal_form import children, whole_schema
from mcpi.core.diff.schema_node import Node, SchemaRoot


def node(schema: Any) -> Node:
    return whole_schema(SchemaRoot(schema, "/s"))


def answers_of(schema: Any, kind: str) -> dict[str, Any]:
    return {name: value.json for name, value in node(schema).kinds[kind].items()}


def test_false_schema_allows_no_value_and_true_schema_any_value() -> None:
    assert node(False).kinds == {}  # noqa: FBT003 - a JSON value
    assert node(True).is_open  # noqa: FBT003 - a JSON value


def test_circular_reference_is_followed_once() -> None:
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a", "title": "B"}}}
    found = node(schema)

    assert (found.others["$ref"].json, found.notes["title"].json) == ("#/$defs/a", "B")


def test_unresolvable_reference_is_kept() -> None:
    assert node({"$ref": "#/nowhere"}).others["$ref"].pointer == "/s/$ref"
    assert node({"$ref": 1}).others["$ref"].json == 1


def test_deeply_nested_schema_is_kept_unchanged() -> None:
    schema: Any = {"type": "string"}
    for _ in range(70):
        schema = {"allOf": [schema]}

    assert "$deep" in node(schema).others


@pytest.mark.parametrize(
    ("schema", "kind", "expected"),
    [
        ({"type": "number", "minimum": 1, "exclusiveMinimum": True}, "number", {"lower": [1, True]}),
        ({"type": "number", "minimum": 1, "exclusiveMinimum": 0}, "number", {"lower": [1, False]}),
        ({"type": "integer", "exclusiveMaximum": 10**400}, "number", {"integer": True, "upper": [10**400 - 1, False]}),
        ({"type": "integer", "maximum": 2.5, "multipleOf": 1}, "number", {"integer": True, "upper": [2, False]}),
        ({"type": "integer", "minimum": float("inf")}, "number", {"integer": True, "lower": [float("inf"), False]}),
        ({"type": "integer", "enum": [1, 1.5, 2.0, "a"]}, "number", {"enum": [1, 2.0]}),
        ({"enum": [1, 2], "const": 2}, "number", {"enum": [2]}),
        ({"enum": [True, False]}, "boolean", {}),
        ({"anyOf": [{"const": True}, {"const": False}]}, "boolean", {}),
        ({"anyOf": [{"type": "string"}, {"type": "string", "minLength": 1}]}, "string", {}),
        ({"anyOf": [{"type": "string", "minLength": 1}] * 2}, "string", {"minLength": 1}),
        ({"anyOf": [{"const": "a"}, {"enum": ["a", "b"]}]}, "string", {"enum": ["a", "b"]}),
        (
            {"allOf": [{"minLength": 1, "maxLength": 5}, {"minLength": 2, "maxLength": 9}]},
            "string",
            {"minLength": 2, "maxLength": 5},
        ),
        (
            {"allOf": [{"minimum": 1, "maximum": 9}, {"minimum": 3, "maximum": 5}]},
            "number",
            {"lower": [3, False], "upper": [5, False]},
        ),
        ({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, "string", {"enum": ["b"]}),
        ({"allOf": [{"required": ["a"]}, {"required": ["b", 1]}]}, "object", {"required": ["a", "b"]}),
        (
            {"allOf": [{"properties": {"a": {"minLength": 1}}}, {"properties": {"a": {"maxLength": 2}, "b": {}}}]},
            "object",
            {"properties": {"a": {"allOf": [{"minLength": 1}, {"maxLength": 2}]}, "b": {}}},
        ),
    ],
)
def test_keywords_are_merged_and_normalized(schema: Any, kind: str, expected: Any) -> None:
    assert answers_of(schema, kind) == expected


@pytest.mark.parametrize(
    ("schema", "kept"),
    [
        ({"allOf": [{"pattern": "a"}, {"pattern": "b"}]}, "allOf pattern"),
        (
            {"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}, "additionalProperties": False}]},
            "allOf additionalProperties",
        ),
        ({"allOf": [{"minLength": "a"}, {"minLength": 1}]}, "allOf minLength"),
    ],
)
def test_keywords_that_cannot_be_merged_are_kept_separately(schema: Any, kept: str) -> None:
    assert kept in node(schema).others


def test_contradictory_schemas_leave_no_type() -> None:
    assert node({"allOf": [{"enum": ["a"]}, {"enum": ["b"]}]}).kinds == {}
    assert node({"allOf": [{"type": "string"}, {"type": "null"}]}).kinds == {}


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [{"const": "a"}, {"enum": ["a", "b"]}]},
        {"oneOf": [{"type": "string"}, {"type": "string", "minLength": 1}]},
        {"anyOf": [{"type": "string", "minLength": 1}, {"type": "string", "maxLength": 3}]},
        {"anyOf": [{"not": {"const": 1}}, {"type": "null"}]},
    ],
)
def test_overlapping_alternatives_are_kept(schema: Any) -> None:
    assert len(node(schema).choices) == 1


def test_alternatives_that_reject_every_value_are_dropped() -> None:
    assert answers_of({"anyOf": [False, {"type": "string", "minLength": 1}]}, "string") == {"minLength": 1}


def test_malformed_properties_keyword_has_no_children() -> None:
    assert list(children(node({"properties": 1}))) == []
    assert list(children(node({"type": "string"}))) == []
