"""Default and enum values in schemas."""

import pytest

from mcpi.core.jsontext.values import Json
from support.linting import lint_result, tool_with_property


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "default": 10},
        {"type": "number", "default": 1, "minimum": 1, "maximum": 2},
        {"type": "integer", "default": 2.0},
        {"type": "string", "default": "ab", "minLength": 1, "maxLength": 2},
        {"type": "array", "items": {"type": "string"}, "default": []},
        {"type": "object", "default": {}},
        {"type": "boolean", "default": False},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        {"anyOf": [{"type": "string"}, {"description": "Anything."}], "default": 1},
        {"enum": ["a", "b"], "default": "a"},
        {"type": "string", "enum": ["a"]},
    ],
)
def test_matching_default_has_no_finding(schema: Json) -> None:
    assert [one.message for one in lint_result(tool_with_property(schema)).findings] == []


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            {"type": "integer", "default": "10"},
            'the default "10" is of type string, but the schema allows only integer',
        ),
        ({"type": "boolean", "default": 1}, "the default 1 is of type number, but the schema allows only boolean"),
        ({"enum": ["a"], "default": "b"}, 'the default "b" is not a value of the enum'),
        ({"type": "integer", "default": 0, "minimum": 1}, "the default 0 violates minimum 1"),
        ({"type": "string", "default": "abc", "maxLength": 2}, 'the default "abc" violates maxLength 2'),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": "x"},
            'the default "x" is of type string, but the schema allows only integer or null',
        ),
    ],
)
def test_mismatched_default_is_a_warning(schema: Json, message: str) -> None:
    assert [(one.rule, one.severity, one.message) for one in lint_result(tool_with_property(schema)).findings] == [
        ("default-type", "warning", message)
    ]


def test_a_null_default_is_an_info() -> None:
    assert [
        (one.rule, one.severity)
        for one in lint_result(tool_with_property({"type": "string", "default": None})).findings
    ] == [("default-type", "info")]


def test_enum_values_are_compared_with_the_schema_type() -> None:
    messages = [
        one.message
        for one in lint_result(tool_with_property({"type": "string", "enum": ["a", 1, "1", True, "a"]})).findings
    ]

    assert "the value 1 is of type number, but the schema allows only string" in messages
    assert 'the enum contains "a" more than once' in messages
