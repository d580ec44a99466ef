"""Schemas with regular expressions are checked without Python's backtracking engine."""

import time

import pytest

from mcpi.core.jsontext.values import Json
from mcpi.shell.connection.json_schema import schema_problems

HUGE = "(?:(?:(?:.?){60000}){60000})"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("schema", "value", "problems"),
    [
        ({"pattern": "^[a-z]+$"}, "abc", ()),
        ({"pattern": "^[a-z]+$"}, "A", (("", '"A" does not match "^[a-z]+$"'),)),
        ({"pattern": "a"}, 1, ()),
        (
            {"patternProperties": {"^n": {"type": "number"}}},
            {"n": "x", "s": "x"},
            (("/n", "\"x\" is not of type 'number'"),),
        ),
        ({"patternProperties": {"^n": {"type": "number"}}}, [], ()),
        (
            {"patternProperties": {"^n": True}, "properties": {"p": True}, "additionalProperties": False},
            {"n": 1, "p": 1, "x": 1},
            (("", "Additional properties are not allowed ('x' was unexpected)"),),
        ),
        (
            {"additionalProperties": False},
            {"x": 1, "y": 1},
            (("", "Additional properties are not allowed ('x', 'y' were unexpected)"),),
        ),
        ({"additionalProperties": {"type": "null"}}, {"x": 1}, (("/x", "1 is not of type 'null'"),)),
        ({"additionalProperties": False}, [], ()),
        (
            {"properties": {"a": True}, "unevaluatedProperties": False},
            {"a": 1, "b": 2},
            (("", "Unevaluated properties are not allowed ('b' was unexpected)"),),
        ),
        ({"$schema": DRAFT_7, "unevaluatedProperties": False, "pattern": "b"}, "a", (("", '"a" does not match "b"'),)),
    ],
)
def test_schema_with_patterns_is_validated(schema: Json, value: Json, problems: object) -> None:
    assert schema_problems(value, schema, time.monotonic) == problems


@pytest.mark.parametrize(
    ("schema", "value", "unchecked"),
    [
        ({"pattern": HUGE}, "x", [f"the pattern '{HUGE}' of a schema is not checked: the pattern is too large"]),
        (
            {"items": {"pattern": "(?=x)"}},
            ["a", "b"],
            ["the pattern '(?=x)' of a schema is not checked: lookahead is not supported at position 0"],
        ),
        (
            {"patternProperties": {r"(.)\1": False}, "additionalProperties": False},
            {"aa": 1},
            [r"the pattern '(.)\\1' of a schema is not checked: a back reference is not supported at position 3"],
        ),
        (
            {"allOf": [{"patternProperties": {"^a": True}}], "unevaluatedProperties": False},
            {"b": 1},
            ["unevaluatedProperties of a schema is not checked in combination with patternProperties or $ref"],
        ),
        (
            {"pattern": "(a|.){500}!"},
            "".join(map(chr, range(0x4E00, 0x9FFF))),
            ["the pattern '(a|.){500}!' of a schema is not checked: matching would take too long"],
        ),
    ],
)
def test_unsupported_pattern_allows_any_value_and_is_reported(schema: Json, value: Json, unchecked: list[str]) -> None:
    found: list[str] = []

    assert (schema_problems(value, schema, time.monotonic, found.append), found) == ((), unchecked)


def test_fifty_thousand_properties_are_validated_within_4_s() -> None:
    names = [f"name {number}" for number in range(50_000)]
    properties: Json = {name: {"type": "string", "description": name, "maxLength": len(name) % 3} for name in names}
    schema: Json = {"type": "object", "properties": properties, "required": [*names], "additionalProperties": False}

    began = time.process_time()
    problems = schema_problems(dict.fromkeys(names, ""), schema, time.process_time)

    assert problems == ()
    assert time.process_time() - began < 4


def test_invalid_schema_is_detected_among_many_properties() -> None:
    properties: Json = {**{str(number): {"type": "string"} for number in range(2000)}, "bad": {"type": "strin"}}

    ((_, problem),) = schema_problems({}, {"properties": properties}, time.monotonic)

    assert problem.startswith('the schema itself is invalid: "strin" is not valid')
