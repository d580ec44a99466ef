"""Definitions and their schemas."""

from mcpi.core.jsontext.values import JsonObject
from mcpi.core.lint.definitions import (
    BooleanNode,
    SchemaNode,
    ServerLists,
    escape_token,
    schema_nodes,
    unused_definitions,
)


def test_definition_label_is_its_identifier_or_position() -> None:
    server = ServerLists({"prompts": [{"name": "p"}], "tools": [{"name": "t"}, {}, 1], "resources": [{"uri": "u"}]})

    assert [(one.kind, one.name) for one in server.definitions()] == [
        ("tool", "t"),
        ("tool", "#2"),
        ("tool", "#3"),
        ("resource", "u"),
        ("prompt", "p"),
    ]


def test_all_subschemas_are_listed_in_order_with_their_depth() -> None:
    schema: JsonObject = {
        "properties": {"a/b": {"items": [{}, True]}, "c": 1},
        "anyOf": [{}, {"not": {}}],
        "additionalProperties": False,
        "required": ["a"],
        "dependencies": {"a": ["b"], "c": {}},
        "oneOf": {},
    }
    nodes = schema_nodes(schema, "/s", is_output=False)

    assert [(one.pointer, one.keyword) for one in nodes] == [
        ("/s", ""),
        ("/s/properties/a~1b", "properties"),
        ("/s/properties/a~1b/items/0", "items"),
        ("/s/properties/a~1b/items/1", "items"),
        ("/s/anyOf/0", "anyOf"),
        ("/s/anyOf/1", "anyOf"),
        ("/s/anyOf/1/not", "not"),
        ("/s/additionalProperties", "additionalProperties"),
        ("/s/dependencies/c", "dependencies"),
    ]
    assert [one.level for one in nodes if isinstance(one, SchemaNode)] == [1, 2, 3, 1, 1, 1, 1]
    assert [one.value for one in nodes if isinstance(one, BooleanNode)] == [True, False]


def test_pointer_tokens_are_escaped() -> None:
    assert [escape_token(name) for name in ("a", "a/b", "a~b")] == ["a", "a~1b", "a~0b"]


def test_definition_counts_as_used_only_if_reachable_from_the_rest() -> None:
    schema: JsonObject = {
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": [{"$ref": "#/$defs/A/properties/x"}]},
        "$defs": {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {}, "C": {"$ref": "#/$defs/C"}},
        "definitions": {"D": {}},
    }

    assert unused_definitions(schema, "/s") == ("/s/$defs/C", "/s/definitions/D")
    assert unused_definitions({"properties": {}}, "/s") == ()
