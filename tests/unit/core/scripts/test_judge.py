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
