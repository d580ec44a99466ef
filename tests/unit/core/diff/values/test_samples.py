"""Samples: the simplest valid value, and values at the limits."""

from typing import Any

import pytest

from mcpi.core.diff.normal_form import whole_schema
from mcpi.core.diff.schema_node import SchemaRoot
from mcpi.core.diff.values.samples import interesting, sample

CHAIN = {"type": "array", "items": {"$ref": "#/$defs/t"}, "minItems": 1}
SHAPES = [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "null"}}}]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, 1.5),
        ({"type": "number", "minimum": 3}, 3),
        ({"type": "number", "exclusiveMinimum": 3}, 4),
        ({"type": "number", "maximum": -3}, -3),
        ({"type": "number", "exclusiveMaximum": -3}, -4),
        ({"type": "number", "minimum": -5, "maximum": 5}, 0),
        ({"type": "integer", "minimum": 7, "multipleOf": 5}, 10),
        ({"type": "integer", "multipleOf": -1}, 0),
        ({"type": "number", "minimum": 0.25, "multipleOf": 0.1}, 0.3),
        ({"type": "number", "minimum": 1, "multipleOf": 1e-400}, 1),
        ({"type": "object", "required": [1, "a"]}, {"a": "a"}),
        ({"type": "string", "format": "date"}, "2024-01-31"),
        ({"type": "string", "format": "date", "minLength": 10}, "2024-01-31"),
        ({"type": "string", "format": "uri", "maxLength": 5}, "a"),
        ({"type": "string", "maxLength": 0}, ""),
        ({"type": "string", "pattern": "(?=a)"}, "a"),
        ({"type": "boolean"}, True),
        (False, None),
        ({"$ref": "#/$defs/t", "$defs": {"t": {"anyOf": [CHAIN, {"type": "array", "maxItems": 0}]}}}, [[[[[]]]]]),
        ({"anyOf": SHAPES, "required": ["c"]}, {"a": "a", "c": "a"}),
    ],
)
def test_sample_is_the_simplest_valid_value(schema: Any, value: Any) -> None:
    assert sample(whole_schema(SchemaRoot(schema, ""))) == value


def test_interesting_objects_have_names_that_match_each_pattern() -> None:
    node = whole_schema(SchemaRoot({"type": "object", "patternProperties": {"^x$": {}, "^y$": {}}}, ""))
    found = [*interesting(node, node)]

    assert {"x": 0} in found
    assert {"y": 0} in found
