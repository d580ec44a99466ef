"""Input schemas that clients reject, and those that they accept."""

import pytest

from mcpi.core.jsontext.values import Json
from support.linting import found, lint_result, tool, tool_with_property

VALUE = "/inputSchema/properties/value"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        {"type": "object", "additionalProperties": False},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "string", "pattern": "^(?=a)b(?!c)"},
        {"type": "string", "format": "date-time"},
        {"type": "string", "x-order": 1, "title": "Value"},
        {"$ref": "#/properties/query"},
        {"enum": ["a", "b"]},
    ],
)
def test_schema_accepted_by_all_clients_has_no_finding(schema: Json) -> None:
    given = tool_with_property(schema, **{"$schema": "http://json-schema.org/draft-07/schema#"})
    given["inputSchema"]["properties"]["query"] = {"type": "string"}  # type: ignore[index, call-overload]

    assert found(given) == []


def test_output_schema_is_not_checked_for_clients() -> None:
    output = {
        "type": "object",
        "properties": {"a": {"type": ["array", "null"]}, "b c": {"format": "uri", "type": "string"}},
    }

    assert found(tool(outputSchema=output)) == []


def test_top_level_keywords_list_the_clients_that_reject_them() -> None:
    schema = {"type": "object", "properties": {}, "oneOf": [{"required": []}], "enum": [{}]}
    rejected = {
        one.pointer: one.rejected_by
        for one in lint_result(tool(inputSchema=schema)).findings
        if one.severity == "error"
    }

    assert rejected == {"/inputSchema/oneOf": ("claude", "openai", "gemini"), "/inputSchema/enum": ("openai",)}


def test_a_nested_combinator_is_at_most_an_info_for_gemini() -> None:
    branches = [{"type": "string"}, {"type": "integer"}]

    assert found(tool_with_property({"anyOf": branches})) == []
    assert [(one.rule, one.severity) for one in lint_result(tool_with_property({"oneOf": branches})).findings] == [
        ("unsupported-keyword", "info")
    ]


def test_nested_property_name_is_an_info() -> None:
    nested = {"type": "object", "properties": {"a b": {"type": "string"}}}

    assert [(one.rule, one.severity, one.pointer) for one in lint_result(tool_with_property(nested)).findings] == [
        ("property-name", "info", f"{VALUE}/properties/a b")
    ]


def test_more_than_ten_schema_levels_are_reported() -> None:
    schema: Json = {"type": "string"}
    for _ in range(9):
        schema = {"type": "object", "properties": {"inner": schema}}
    assert found(tool_with_property(schema)) == []

    assert [rule for rule, _ in found(tool_with_property({"type": "array", "items": schema}))] == ["schema-depth"]


def test_untyped_schema_is_an_info_in_properties_and_items() -> None:
    assert found(tool_with_property({"description": "Anything."})) == [("untyped-schema", VALUE)]
    assert found(tool_with_property({"type": "array", "items": {"description": "Anything."}})) == [
        ("untyped-schema", f"{VALUE}/items")
    ]
    assert found(tool_with_property({"type": "object", "additionalProperties": {}})) == []
