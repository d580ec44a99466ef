"""Pointers that are not found are explained."""

import pytest
from attrs import evolve

from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.values import Json
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
