"""Schemas that contradict JSON Schema or themselves, and those that do not."""

import pytest

from mcpi.core.jsontext.values import Json
from support.linting import found, judged, taking, tool

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
def test_an_unknown_type_names_the_one_that_is_meant(kind: str, message: str) -> None:
    assert [one.message for one in judged(taking({"type": kind})).findings] == [message]


def test_a_type_that_is_no_string_is_unknown() -> None:
    assert found(taking({"type": [1]})) == [
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
def test_a_reference_inside_the_document_is_no_finding(more: dict[str, Json]) -> None:
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
def test_a_reference_that_leads_nowhere(reference: str, rule: str) -> None:
    assert found(taking({"$ref": reference}, **{"$defs": {"A": {"type": "string"}}})) == [(rule, f"{VALUE}/$ref")]


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
def test_a_required_property_may_be_described_elsewhere(schema: dict[str, Json]) -> None:
    whole = taking({"type": "object", **schema}, **{"$defs": {"A": {"properties": {"a": {}}}}})

    assert [rule for rule, _ in found(whole) if rule == "required-without-property"] == []


def test_a_required_name_that_nothing_describes_is_named_with_its_place() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a", "b"],
        "allOf": [{"minProperties": 1}],
    }

    assert ("required-without-property", f"{VALUE}/required/1") in found(taking(schema))
    assert found(taking({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", 1]})) == [
        ("invalid-keyword", f"{VALUE}/required")
    ]


def test_endless_references_end() -> None:
    schema = {"type": "object", "required": ["a"], "$ref": "#/properties/value"}

    assert found(taking(schema)) == []


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "string", "required": False}, "required is boolean false, which must be array"),
        ({"type": "array", "items": "string"}, 'items is string "string", which must be object or boolean or array'),
        ({"type": "number", "minimum": True}, "minimum is boolean true, which must be number"),
        ({"type": "object", "properties": {"a": "string"}}, 'the schema of the property is string "string"'),
        ({"anyOf": []}, "the list of alternatives is empty"),
    ],
)
def test_a_keyword_with_a_wrong_value(schema: Json, message: str) -> None:
    assert [one.message for one in judged(taking(schema)).findings if one.rule == "invalid-keyword"] == [message]


def test_patterns_are_checked_as_values_and_as_names() -> None:
    names = {"type": "object", "patternProperties": {"^[a": {"type": "string"}, "^b": {"type": "string"}}}

    assert ("invalid-pattern", f"{VALUE}/patternProperties/^[a") in found(taking(names))
    assert found(taking({"type": "string", "pattern": "^\\p{L}+$"})) == []


def test_a_boolean_schema_is_found_where_clients_do_not_expect_it() -> None:
    assert found(taking(schema=True)) == [("boolean-schema", VALUE)]
    assert found(taking({"anyOf": [{"type": "string"}, False]})) == [("boolean-schema", f"{VALUE}/anyOf/1")]
    assert found(taking({"type": "object", "additionalProperties": True})) == []


def test_bounds_that_are_the_same_are_possible() -> None:
    assert found(taking({"type": "integer", "minimum": 1, "maximum": 1})) == []
    assert found(taking({"type": "string", "minLength": 2, "maxLength": 1})) == [
        ("impossible-bounds", f"{VALUE}/minLength")
    ]


def test_a_dialect_that_clients_know_is_no_finding() -> None:
    for dialect in ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"):
        assert found(taking({"type": "string"}, **{"$schema": dialect})) == []
