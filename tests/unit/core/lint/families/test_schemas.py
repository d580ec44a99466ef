"""Schemas that contradict JSON Schema or themselves, and valid schemas."""

import pytest

from mcpi.core.jsontext.values import Json
from support.linting import found, lint_result, tool, tool_with_property

VALUE = "/inputSchema/properties/value"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("int", 'unknown type "int" (did you mean integer?)'),
        ("Strng", 'unknown type "Strng" (did you mean string?)'),
        ("datetime", 'unknown type "datetime" (did you mean string?)'),
        ("zzz", 'unknown type "zzz"'),
    ],
)
def test_unknown_type_suggests_the_nearest_type(kind: str, message: str) -> None:
    assert [one.message for one in lint_result(tool_with_property({"type": kind})).findings] == [message]


def test_non_string_type_is_unknown() -> None:
    assert found(tool_with_property({"type": [1]})) == [
        ("unknown-type", f"{VALUE}/type"),
        ("type-list", f"{VALUE}/type"),
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"$defs": {"A": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/A"}}},
        {"$defs": {"A": {"$anchor": "a", "type": "string"}}, "properties": {"a": {"$ref": "#a"}}},
        {"definitions": {"a b": {"type": "string"}}, "properties": {"a": {"$ref": "#/definitions/a%20b"}}},
        {"$id": "https://example.com/s", "properties": {"a": {"$ref": "https://example.com/s#/$defs/A"}}},
        {"$defs": {"A": {"$id": "a.json", "type": "string"}}, "properties": {"a": {"$ref": "a.json"}}},
        {"properties": {"a": {"$ref": "#"}}},
    ],
)
def test_resolvable_reference_has_no_finding(more: dict[str, Json]) -> None:
    assert found(tool(inputSchema={"type": "object", **more})) == []


@pytest.mark.parametrize(
    ("reference", "rule"),
    [
        ("#/$defs/B", "dangling-ref"),
        ("#b", "dangling-ref"),
        ("https://example.com/a.json", "remote-ref"),
        ("other.json", "remote-ref"),
    ],
)
def test_dangling_or_remote_reference_is_reported(reference: str, rule: str) -> None:
    assert found(tool_with_property({"$ref": reference}, **{"$defs": {"A": {"type": "string"}}})) == [
        (rule, f"{VALUE}/$ref")
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"required": ["a"], "allOf": [{"properties": {"a": {}}}]},
        {"required": ["a"], "then": {"properties": {"a": {}}}},
        {"required": ["a"], "$ref": "#/$defs/A"},
        {"required": ["a"], "$ref": "https://example.com/unknown"},
        {"required": ["a"], "patternProperties": {"^a": {}}},
        {"required": ["a"], "additionalProperties": {"type": "string"}},
        {"required": []},
    ],
)
def test_required_property_may_be_defined_in_another_keyword(schema: dict[str, Json]) -> None:
    whole = tool_with_property({"type": "object", **schema}, **{"$defs": {"A": {"properties": {"a": {}}}}})

    assert [rule for rule, _ in found(whole) if rule == "required-without-property"] == []


def test_required_name_without_a_property_is_reported_with_its_position() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a", "b"],
        "allOf": [{"minProperties": 1}],
    }

    assert ("required-without-property", f"{VALUE}/required/1") in found(tool_with_property(schema))
    assert found(
        tool_with_property({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", 1]})
    ) == [("invalid-keyword", f"{VALUE}/required")]


def test_circular_references_terminate() -> None:
    schema = {"type": "object", "required": ["a"], "$ref": "#/properties/value"}

    assert found(tool_with_property(schema)) == []


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "string", "required": False}, '"required" is of type boolean (false); expected array'),
        (
            {"type": "array", "items": "string"},
            '"items" is of type string ("string"); expected object or boolean or array',
        ),
        ({"type": "number", "minimum": True}, '"minimum" is of type boolean (true); expected number'),
        (
            {"type": "object", "properties": {"a": "string"}},
            'the schema of the property is of type string ("string"); expected object',
        ),
        ({"anyOf": []}, "the list of schemas is empty"),
    ],
)
def test_invalid_keyword_value_is_reported(schema: Json, message: str) -> None:
    assert [
        one.message for one in lint_result(tool_with_property(schema)).findings if one.rule == "invalid-keyword"
    ] == [message]


def test_invalid_pattern_is_reported_as_value_and_as_property_name() -> None:
    names = {"type": "object", "patternProperties": {"^[a": {"type": "string"}, "^b": {"type": "string"}}}

    assert ("invalid-pattern", f"{VALUE}/patternProperties/^[a") in found(tool_with_property(names))
    assert found(tool_with_property({"type": "string", "pattern": "^\\p{L}+$"})) == []


def test_boolean_schema_is_reported_where_clients_do_not_expect_it() -> None:
    assert found(tool_with_property(schema=True)) == [("boolean-schema", VALUE)]
    assert found(tool_with_property({"anyOf": [{"type": "string"}, False]})) == [("boolean-schema", f"{VALUE}/anyOf/1")]
    assert found(tool_with_property({"type": "object", "additionalProperties": True})) == []


def test_only_contradictory_bounds_are_reported() -> None:
    assert found(tool_with_property({"type": "integer", "minimum": 1, "maximum": 1})) == []
    assert found(tool_with_property({"type": "string", "minLength": 2, "maxLength": 1})) == [
        ("impossible-bounds", f"{VALUE}/minLength")
    ]


def test_supported_dialect_has_no_finding() -> None:
    for dialect in ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"):
        assert found(tool_with_property({"type": "string"}, **{"$schema": dialect})) == []
