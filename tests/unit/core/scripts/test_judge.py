"""Results are checked against expectations."""

import pytest

from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.values import Json
from mcpi.core.plans.steps import Validate
from mcpi.core.scripts.judge import unmet_expectations

RESULT: dict[str, Json] = {
    "isError": False,
    "content": [{"type": "text", "text": "ok: 42"}],
    "n": 1.5,
    "none": None,
    "a/b": {"~": 0},
    "empty": [],
}


OBJECTS = "the elements are objects: use contains"
QUOTED = (
    """/v: expected %s, got the string "%s"; to expect a string, write "%s" with its quotes (in a shell, '/v="%s"')"""
)


@pytest.mark.parametrize(
    ("operator", "wanted", "value", "message"),
    [
        ("equals", 64.5, "64.5", QUOTED % ("64.5", "64.5", "64.5", "64.5")),
        ("equals", True, "true", QUOTED % ("true", "true", "true", "true")),
        ("equals", 64.5, "sixty", '/v: expected 64.5, got "sixty"'),
        ("equals", 64.5, "65", '/v: expected 64.5, got "65"'),
        ("equals", "64", 64, '/v: expected "64", got 64'),
        ("contains", 64, "64", '/v: expected contains 64, got "64"'),
        (
            "contains",
            "add",
            [{"name": "sum"}, {"title": "add"}],
            f'/v: expected contains "add", got [{{"name":"sum"}},{{"title":"add"}}]; {OBJECTS} {{"title":"add"}}',
        ),
        (
            "contains",
            "add",
            [{"name": "sum"}],
            f'/v: expected contains "add", got [{{"name":"sum"}}]; {OBJECTS} {{"name":"add"}}',
        ),
        ("contains", "add", [{"x": 1}, "b"], '/v: expected contains "add", got [{"x":1},"b"]'),
        ("contains", "add", "sum", '/v: expected contains "add", got "sum"'),
    ],
)
def test_value_of_another_type_is_explained(operator: str, wanted: Json, value: Json, message: str) -> None:
    judging = unmet_expectations((Expectation("/v", operator, wanted),), {"v": value})
    with pytest.raises(StopIteration) as done:
        next(judging)

    assert done.value.value == (message,)


def test_schema_problems_from_the_validator_are_reported() -> None:
    judging = unmet_expectations((Expectation("/content", "schema", {"minItems": 2}),), RESULT)

    assert next(judging) == Validate([{"type": "text", "text": "ok: 42"}], {"minItems": 2})
    with pytest.raises(StopIteration) as done:
        judging.send((("", "is too short"), ("/0/text", "is odd")))
    assert done.value.value == ("/content: / is too short; /0/text is odd",)


def test_all_unmet_expectations_are_listed() -> None:
    expected = tuple(Expectation(place, "equals", 1) for place in ("/isError", "/n", "/x"))
    judging = unmet_expectations(expected, {"isError": 1, "n": 2})
    with pytest.raises(StopIteration) as done:
        next(judging)

    assert done.value.value == ("/n: expected 1, got 2", "/x: not found (expected 1); the result has isError, n")


@pytest.mark.parametrize(
    ("operator", "wanted", "message"),
    [
        ("equals", False, ()),
        ("equals", True, ("/isError: expected true, got false",)),
        ("type", "boolean", ()),
        ("exists", False, ()),
        ("exists", True, ("/isError: not found (expected exists true); the result has content",)),
    ],
)
def test_absent_is_error_of_a_tool_result_is_false(operator: str, wanted: Json, message: tuple[str, ...]) -> None:
    judging = unmet_expectations((Expectation("/isError", operator, wanted),), {"content": []})
    with pytest.raises(StopIteration) as done:
        next(judging)

    assert done.value.value == message


@pytest.mark.parametrize(
    ("result", "hint"),
    [
        ({"tools": []}, "the result has tools"),
        (["content"], "the result has 1 element"),
        ({"error": {"code": 1}}, "did you mean /error?"),
    ],
)
def test_absent_is_error_of_another_result_is_not_found(result: Json, hint: str) -> None:
    judging = unmet_expectations((Expectation("/isError", "equals", expected=False),), result)
    with pytest.raises(StopIteration) as done:
        next(judging)

    assert done.value.value == (f"/isError: not found (expected false); {hint}",)
