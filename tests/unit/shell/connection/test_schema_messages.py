"""Schema problems are described with values as JSON, shortened."""

import time

import pytest

from mcpi.core.jsontext.values import Json
from mcpi.shell.connection.json_schema import schema_problems


@pytest.mark.parametrize(
    ("value", "schema", "problem"),
    [
        ("1", {"type": "integer"}, "\"1\" is not of type 'integer'"),
        (None, {"type": ["integer", "string"]}, "null is not of type 'integer', 'string'"),
        (True, {"enum": [None, {"a": False}]}, 'true is not one of [null,{"a":false}]'),
        (1, {"const": 10}, "expected 10, got 1"),
        ({"a": None}, {"const": {"a": True}}, 'expected {"a":true}, got {"a":null}'),
        ({"a": True}, False, '{"a":true} is not allowed'),
        ({}, {"required": ["n"]}, "'n' is a required property"),
        ([1, None], {"prefixItems": [True], "items": False}, "Expected at most 1 item but found 1 extra"),
        (3, {"oneOf": [{"type": "integer"}, {"minimum": 1}]}, "3 is valid under more than one of the given schemas"),
        ({"a": True}, {"not": {"required": ["a"]}}, '{"a":true} should not be valid under {"required":["a"]}'),
        ("it's", {"pattern": "^a'"}, '"it\'s" does not match "^a\'"'),
        (["a"], {"maxItems": 0}, '["a"] is expected to be empty'),
        (
            [{"name": "echo", "ok": True}],
            {"contains": {"required": ["x"]}},
            '[{"name":"echo","ok":true}] does not contain items matching the given schema',
        ),
        (
            ["x" * 100],
            {"contains": {"type": "null"}},
            f'["{"x" * 58}… does not contain items matching the given schema',
        ),
    ],
)
def test_schema_problem_shows_values_as_json(value: Json, schema: Json, problem: str) -> None:
    assert schema_problems(value, schema, time.monotonic) == (("", problem),)


SIZE: Json = {"type": "object", "properties": {"width": {"type": "number"}}, "required": ["width"]}
OPTIONAL: Json = {
    "properties": {"size": {"anyOf": [{"$ref": "#/$defs/size"}, {"type": "null"}]}},
    "$defs": {"size": SIZE},
}
KINDS: Json = {
    "oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "s": {"type": "string"}}, "required": ["kind", "s"]},
    ]
}


@pytest.mark.parametrize(
    ("value", "schema", "problems"),
    [
        ({"size": {"width": "abc"}}, OPTIONAL, (("/size/width", "\"abc\" is not of type 'number'"),)),
        ({"size": {}}, OPTIONAL, (("/size", "'width' is a required property"),)),
        ({"size": [1]}, OPTIONAL, (("/size", "[1] is not of type 'object', 'null'"),)),
        ("c", {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, (("", '"c" is not one of ["a"]'),)),
        (
            "c",
            {"anyOf": [{"type": ["integer", "null"]}, {"anyOf": [{"type": "boolean"}, {"type": "null"}]}]},
            (("", "\"c\" is not of type 'boolean', 'null'"),),
        ),
        (
            {"n": "x"},
            {"anyOf": [{"type": "null"}, {"oneOf": [{"properties": {"n": {"type": "integer"}}}, {"type": "string"}]}]},
            (("/n", "\"x\" is not of type 'integer'"),),
        ),
        ({"kind": "b", "s": 1}, KINDS, (("/s", "1 is not of type 'string'"),)),
        ({"kind": "c"}, KINDS, (("", '{"kind":"c"} is not valid under any of the given schemas'),)),
        ({}, KINDS, (("", "{} is not valid under any of the given schemas"),)),
    ],
)
def test_problem_within_the_alternative_that_is_meant_is_named(
    value: Json, schema: Json, problems: tuple[tuple[str, str], ...]
) -> None:
    assert schema_problems(value, schema, time.monotonic) == problems
