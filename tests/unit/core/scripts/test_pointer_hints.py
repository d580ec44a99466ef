"""Pointers that are not found are explained."""

import re

import pytest
from attrs import evolve

from mcpi.core.flags.expectations import parse_flag
from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.result import Success
from mcpi.core.scripts.pointer_hints import capture_hint, expectation_hint

RESULT: Json = {
    "content": [{"type": "text"}],
    "structuredContent": {"sum": 3, "a/b": 1},
    "isError": False,
    "none": None,
}


@pytest.mark.parametrize(
    ("pointer", "hint"),
    [
        ("/result/structuredContent/sum", "; did you mean /structuredContent/sum?"),
        ("/sum", "; did you mean /structuredContent/sum?"),
        ("/content[0]/type", "; did you mean /content/0/type?"),
        ("/structuredContent/Sum", "; did you mean /structuredContent/sum?"),
        ("/structuredContent/a~1bb", "; did you mean /structuredContent/a~1b?"),
        ("/contents/0", "; did you mean /content/0?"),
        ("/contents/5", "; did you mean /content?"),
        ("/structuredContent/total", "; /structuredContent has sum, a/b"),
        ("/structuredContent/total/x", "; /structuredContent has sum, a/b"),
        ("/total", "; the result has content, structuredContent, isError, none"),
        ("/result", "; the result has content, structuredContent, isError, none"),
        ("/content/1", "; /content has 1 element"),
        ("/content[1].text", "; /content has 1 element"),
        ("/content/0/type/x", "; /content/0/type is a string"),
        ("/structuredContent/sum/x", "; /structuredContent/sum is a number"),
        ("/isError/x", "; /isError is false"),
        ("/none/x", "; /none is null"),
    ],
)
def test_pointer_that_is_not_found_is_explained_with_the_members_of_the_result(pointer: str, hint: str) -> None:
    assert capture_hint(pointer, RESULT) == hint
    assert expectation_hint(Expectation(pointer, "equals", 1), RESULT) == hint


@pytest.mark.parametrize("pointer", ["/progress", "/notifications/0/method", "/logs"])
def test_notifications_are_expected_with_wait(pointer: str) -> None:
    one, hint = Expectation(pointer, "exists", True), "; a result does not contain notifications: in a script, use a"  # noqa: FBT003 - the operand

    assert expectation_hint(one, {"tools": []}) == f'{hint} step with "wait"'
    assert expectation_hint(evolve(one, pointer="/progress"), {"structuredContent": {"progress": 1}}) == (
        "; did you mean /structuredContent/progress?"
    )


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ({}, "; the result is empty"),
        ([], "; the result is empty"),
        ([1, 2], "; the result has 2 elements"),
        ({"a\nb": 1}, "; the result has a\\nb"),
        (dict.fromkeys("abcdefghij"), "; the result has a, b, c, d, e, f, g, h and 2 more"),
    ],
)
def test_members_of_the_result_are_described(value: Json, hint: str) -> None:
    assert capture_hint("/total", value) == hint


def test_missing_error_is_explained() -> None:
    expected = Expectation("/error/code", "equals", -32602)

    assert expectation_hint(expected, RESULT) == "; the server sent a result, not a JSON-RPC error"
    assert expectation_hint(expected, {"error": {"message": "no"}}) == "; /error has message"


@pytest.mark.parametrize(
    ("pointer", "operator", "expected", "written"),
    [
        ("/tools/*/name", "equals", "add", """"/tools": {"contains": {"name":"add"}} (in a shell, '/tools:contains="""),
        ("/tools/*/name", "contains", "add", '"/tools": {"contains": {"name":"add"}} (in a shell, '),
        ("/tools/*/n~1a", "equals", 1, '"/tools": {"contains": {"n/a":1}}'),
        ("/tools/*/name", "equals", "x" * 60, '"/tools": {"contains": {"name":"..."}}'),
        (
            "/tools/*/name",
            "matches",
            "^a",
            '"/tools": {"schema": {"contains":{"required":["name"],"properties":{"name":{"pattern":"^a"}}}}}',
        ),
        ("/tools/*/name", "exists", True, '"/tools": {"schema": {"contains":{"required":["name"]}}}'),
        ("/tools/*", "lessThan", 3, '"/tools": {"schema": {"contains":{"exclusiveMaximum":3}}}'),
        ("/tools/*", "greaterThan", 3, '"/tools": {"schema": {"contains":{"exclusiveMinimum":3}}}'),
        ("/tools/*", "type", "object", '"/tools": {"schema": {"contains":{"type":"object"}}}'),
        ("/tools/*", "schema", {"enum": [1]}, '"/tools": {"schema": {"contains":{"enum":[1]}}}'),
        (
            "/a/*/b/*",
            "equals",
            1,
            '"/a": {"schema": {"contains":{"required":["b"],"properties":{"b":{"contains":{"const":1}}}}}}',
        ),
    ],
)
def test_wildcard_is_corrected_to_an_operator_for_the_array(
    pointer: str, operator: str, expected: Json, written: str
) -> None:
    hint = expectation_hint(Expectation(pointer, operator, expected), {"tools": [{"name": "sub"}], "a": []})

    assert f"; JSON pointers have no wildcards: to match any element, write {written}" in hint


def test_corrected_wildcard_is_met_by_a_matching_element() -> None:
    (correction,) = re.findall(
        r"shell, '(.*)'\)", expectation_hint(Expectation("/a/*/n", "greaterThan", 1), {"a": [{"n": 2}]})
    )

    assert parse_flag("--expect", correction) == Success(
        Expectation("/a", "schema", {"contains": {"required": ["n"], "properties": {"n": {"exclusiveMinimum": 1}}}})
    )
