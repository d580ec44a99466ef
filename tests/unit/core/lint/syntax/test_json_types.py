"""JSON types of values and schemas."""

import pytest

from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.lint.syntax.json_types import TYPES, allowed_types, has_type, resolve_reference


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        ("a", {"string"}),
        (1, {"integer", "number"}),
        (1.0, {"integer", "number"}),
        (1.5, {"number"}),
        (True, {"boolean"}),
        (None, {"null"}),
        ([], {"array"}),
        ({}, {"object"}),
    ],
)
def test_value_matches_its_json_types(value: Json, kinds: set[str]) -> None:
    assert {kind for kind in TYPES if has_type(value, kind)} == kinds


ROOT: JsonObject = {
    "$defs": {"A": {"type": "string"}, "Loop": {"$ref": "#/$defs/Loop"}, "N": {"$anchor": "n", "type": "null"}},
    "definitions": {"I": {"$id": "#i", "type": "integer"}},
    "anyOf": [{"$dynamicAnchor": "d"}],
}


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"type": "int"}, None),
        ({"$ref": "#/$defs/A"}, {"string"}),
        ({"$ref": "#/$defs/Loop"}, None),
        ({"$ref": "other.json"}, None),
        ({"$ref": "#n"}, {"null"}),
        ({"$ref": "#i"}, {"integer"}),
        ({"$ref": "#d"}, None),
        ({"anyOf": [{"type": "string"}, {"$ref": "#n"}]}, {"string", "null"}),
        ({"oneOf": [{"type": "string"}, {}]}, None),
        ({"oneOf": [], "anyOf": [{"type": "null"}]}, {"null"}),
        ({}, None),
        (True, None),
    ],
)
def test_allowed_types_are_read_from_the_schema(schema: Json, types: set[str] | None) -> None:
    assert allowed_types(schema, ROOT) == types


def test_reference_without_a_target_resolves_to_none() -> None:
    assert resolve_reference("#/$defs/B", ROOT) is None
    assert resolve_reference("#missing", ROOT) is None
    assert resolve_reference("#", ROOT) == ROOT
