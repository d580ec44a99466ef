"""The parts of a schema that are left out before the library checks it are valid."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import FormatChecker
from jsonschema.exceptions import SchemaError

from mcpi.core.jsontext.values import Json
from mcpi.shell.connection.json_schema import VALIDATION_TIMEOUT, Problems, schema_problems
from mcpi.shell.connection.schema_form import DIALECTS, unverified_parts

KEYWORDS = (
    *("type", "required", "enum", "const", "title", "minimum", "multipleOf", "minLength", "uniqueItems", "$ref"),
    *("properties", "$defs", "patternProperties", "dependentSchemas", "anyOf", "allOf", "items", "not", "examples"),
    *("additionalProperties", "$id", "$anchor", "dependencies", "prefixItems", "dependentRequired", "x-order"),
)
SCALARS = st.sampled_from(["string", "array", "a", "", "#", "#/$defs/a", None, True, False, 0, 1, -1, 0.5, 2.0])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(KEYWORDS), VALUES, max_size=4), st.sampled_from(DIALECTS))
def test_schema_without_its_valid_parts_is_as_valid_as_before(schema: dict[str, Json], dialect: Any) -> None:
    assert is_valid(dialect, unverified_parts(schema)) == is_valid(dialect, schema)


def is_valid(dialect: Any, schema: Json) -> bool:
    try:
        dialect.check_schema(schema, format_checker=FormatChecker(()))
    except SchemaError:
        return False
    return True


@pytest.mark.parametrize(
    ("schema", "rest"),
    [
        (True, True),
        ({"type": "object", "properties": {"a": {"type": ["string", "null"], "default": 5}}}, True),
        ({"anyOf": [{"$ref": "#/$defs/a"}, False], "$defs": {"a": {"minimum": 1.5, "x-unit": "m"}}}, True),
        ({"properties": {"a": {"type": "text"}, "b": {}}, "required": ["a"]}, {"properties": {"a": {"type": "text"}}}),
        ({"items": {"$id": "x", "title": "X"}, "enum": 5}, {"items": {"$id": "x"}, "enum": 5}),
        ({"allOf": [], "not": 5}, {"allOf": [], "not": 5}),
        ([], []),
    ],
)
def test_doubtful_parts_are_kept(schema: Json, rest: Json) -> None:
    assert unverified_parts(schema) == rest


INVALID: dict[str, list[Json]] = {
    "type": ["text", 5, [], ["text"], ["null", "null"]],
    "required": ["a", [1], ["a", "a"]],
    "minimum": ["1", True, None],
    "minLength": [-1, 0.5, "1", True],
    "multipleOf": [0, -1, "1", True],
    "anyOf": [[], {}, [5], 5],
    "properties": [[], 5, {"a": 5}],
    "additionalProperties": [5, "no", {"type": 5}],
    "title": [5],
    "enum": [5],
    "$ref": [5],
    "uniqueItems": ["x"],
    "examples": ["x"],
}


@pytest.mark.parametrize(("keyword", "value"), [(keyword, value) for keyword, bad in INVALID.items() for value in bad])
def test_invalid_keyword_is_kept(keyword: str, value: Json) -> None:
    schema: Json = {keyword: value}

    assert unverified_parts(schema) == schema
    assert not any(is_valid(dialect, schema) for dialect in DIALECTS)


def test_large_schema_takes_less_processor_time_than_the_time_limit() -> None:
    properties: dict[str, Json] = {f"p{number}": {"type": "integer", "maximum": number} for number in range(40_000)}
    value: Json = {"data": dict.fromkeys(properties, 1)}

    def validate() -> tuple[Problems, float]:
        found = schema_problems(value, {"properties": {"data": {"properties": properties}}}, time.thread_time)
        return found, time.thread_time()

    # Only the main thread is interrupted when the time limit expires, which depends on the load of the machine.
    with ThreadPoolExecutor(1) as pool:
        problems, seconds = pool.submit(validate).result()

    assert problems == (("/data/p0", "1 is greater than the maximum of 0"),)
    assert seconds < VALIDATION_TIMEOUT
