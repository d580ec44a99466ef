"""Schema evaluation agrees with jsonschema or is undecided."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mcpi.core.diff.values.evaluation import evaluate

CASES: list[tuple[Any, Any]] = [
    ({"type": "integer"}, [1, 1.0, 1.5, True, "1", None]),
    ({"type": ["number", "null"]}, [1, True, None, "a"]),
    ({"enum": [1, "a", None]}, [1.0, True, "a", None, False]),
    ({"const": {"a": [1]}}, [{"a": [1.0]}, {"a": [True]}, 1]),
    ({"required": ["a"]}, [{}, {"a": 1}, 1]),
    ({"dependentRequired": {"a": ["b"]}}, [{}, {"a": 1}, {"a": 1, "b": 1}, 1]),
    ({"uniqueItems": True}, [[1, 1.0], [1, True], "a", [{"a": 1}, {"a": 1}]]),
    ({"uniqueItems": False}, [[1, 1]]),
    ({"multipleOf": 3}, [6, 7, "a", True]),
    ({"minimum": 1, "maximum": 3}, [0, 1, 3, 4, "a", True]),
    ({"exclusiveMinimum": 1, "exclusiveMaximum": 3}, [1, 2, 3]),
    ({"minLength": 1, "maxLength": 2}, ["", "a", "abc", 1, "🎉"]),
    ({"minItems": 1, "maxItems": 2}, [[], [1], [1, 2, 3], 1]),
    ({"minProperties": 1, "maxProperties": 1}, [{}, {"a": 1}, {"a": 1, "b": 1}, []]),
    ({"pattern": "^a+$"}, ["a", "b", 1]),
    ({"properties": {"a": {"type": "string"}}, "additionalProperties": False}, [{}, {"a": "x"}, {"a": 1}, {"b": 1}, 1]),
    ({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, [[], ["a"], [1], ["a", 1], ["a", "b"], 1]),
    ({"items": False}, [[], [1]]),
    ({"allOf": [{"minimum": 1}, {"maximum": 3}]}, [0, 2, 4]),
    ({"anyOf": [{"minimum": 5}, {"maximum": 1}]}, [0, 2, 6]),
    ({"oneOf": [{"minimum": 1}, {"maximum": 3}]}, [0, 2, 4]),
    ({"not": {"type": "string"}}, ["a", 1]),
    ({"patternProperties": {"^x": {"type": "integer"}}}, [{"x": 1}, {"x": "a"}, {"y": "a"}, 1]),
    (
        {"properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": {"type": "integer"}},
        [{"a": "a", "x": "a"}, {"y": 1}, {"y": "a"}],
    ),
    ({"propertyNames": {"maxLength": 1}}, [{"a": 1}, {"ab": 1}, 1]),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, [{}, {"a": 1}, {"a": 1, "b": 1}, 1]),
    ({"if": {"type": "string"}, "then": {"minLength": 1}}, ["", "a", 1]),
    ({"if": {"type": "string"}, "else": False}, ["", 1]),
    ({"contains": {"type": "string"}}, [[], [1], [1, "a"], 1]),
    ({"contains": {"type": "string"}, "minContains": 2, "maxContains": 3}, [["a"], ["a", "b"], ["a"] * 4]),
    ({"contains": True, "minContains": 0}, [[], [1]]),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, ["a", 1]),
    ({"$schema": "https://json-schema.org/draft/2020-12/schema#", "type": "string"}, ["a", 1]),
    ({"x-order": 1, "nullable": True, "format": "email", "title": "t"}, ["a"]),
    (True, [1]),
    (False, [1]),
]
UNKNOWN: list[Any] = [
    {"if": {"unevaluatedItems": False}, "then": False},
    {"patternProperties": {"(?=a)": False}},
    {"patternProperties": {"(?=a)": True}, "additionalProperties": False},
    {"patternProperties": 1},
    {"additionalProperties": False, "patternProperties": 1},
    {"dependentSchemas": 1},
    {"contains": True, "minContains": "1"},
    {"$ref": "https://example.com/schema"},
    {"$schema": "http://json-schema.org/draft-07/schema#"},
    {"allOf": [{"$id": "x"}]},
    {"type": "text"},
    {"type": []},
    {"enum": []},
    {"required": "a"},
    {"dependentRequired": 1},
    {"uniqueItems": 1},
    {"multipleOf": -1},
    {"minLength": "1"},
    {"minimum": "1"},
    {"anyOf": []},
    {"anyOf": [{"unevaluatedItems": False}, False]},
    {"oneOf": [{"unevaluatedItems": False}]},
    {"not": {"unevaluatedItems": False}},
    {"properties": 1},
    {"additionalProperties": False, "properties": 1},
    {"items": [{}]},
    {"prefixItems": 1},
    {"prefixItems": 1, "items": {}},
    {"$ref": "#"},
    {"pattern": "(?=a)"},
    1,
]


@pytest.mark.parametrize(("schema", "values"), CASES, ids=str)
def test_evaluation_agrees_with_jsonschema(schema: Any, values: list[Any]) -> None:
    library = Draft202012Validator(schema)

    assert [evaluate(value, schema) for value in values] == [library.is_valid(value) for value in values]


@pytest.mark.parametrize("schema", UNKNOWN, ids=str)
def test_unsupported_schema_is_undecided(schema: Any) -> None:
    assert evaluate({"a": 1} if not isinstance(schema, dict) or "pattern" not in schema else "a", schema) is None


def test_fractions_are_multiples_as_they_are_written() -> None:
    assert [evaluate(one, {"multipleOf": 0.1}) for one in (0.3, 0.35, 1, "a", True)] == [True, False, True, True, True]
    assert [evaluate(one, {"multipleOf": 1}) for one in (1.5, 2.0)] == [False, True]


def test_one_decided_subschema_is_sufficient() -> None:
    assert evaluate(1, {"anyOf": [{"unevaluatedItems": False}, True]}) is True
    assert evaluate(1, {"allOf": [{"unevaluatedItems": False}, False]}) is False


@given(st.integers(-5, 5) | st.floats(-5, 5) | st.text("ab", max_size=3) | st.none() | st.booleans())
def test_evaluation_of_any_value_agrees_with_jsonschema(value: Any) -> None:
    for schema, _ in CASES:
        found = evaluate(value, schema)

        assert found is None or found is Draft202012Validator(schema).is_valid(value)
