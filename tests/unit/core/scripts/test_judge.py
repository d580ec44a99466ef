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


LONG = "long text " * 15
TOOLS: list[Json] = [{"name": f"t{at}", "description": LONG} for at in range(3)]
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
        (
            "contains",
            64,
            "n: 64",
            (
                """/v: expected contains 64, got the string "n: 64"; to expect a string, write "64" with its quotes """
                """(in a shell, '/v:contains="64"')"""
            ),
        ),
        ("contains", 64, "65", '/v: expected contains 64, got "65"'),
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
        (
            "contains",
            {"name": "add"},
            TOOLS,
            """/v: expected contains {"name":"add"}, got 3 elements: t0, t1, t2""",
        ),
        (
            "contains",
            "t4",
            TOOLS,
            f"""/v: expected contains "t4", got 3 elements: t0, t1, t2; {OBJECTS} {{"name":"t4"}}""",
        ),
        (
            "contains",
            {"name": "t1", "title": "x"},
            TOOLS,
            f"""/v: expected contains {{"name":"t1","title":"x"}}, got [{{"name":"t1","description":"{LONG}"}}]""",
        ),
        (
            "contains",
            {"uri": "a:2"},
            [{"uri": "a:1", "name": LONG}, {"uri": "a:3", "name": LONG}, {"uri": "a:4", "name": LONG}],
            """/v: expected contains {"uri":"a:2"}, got 3 elements: a:1, a:3, a:4""",
        ),
        (
            "contains",
            {"name": "a"},
            [{"name": LONG * 3}],
            f"""/v: expected contains {{"name":"a"}}, got 1 element: {(LONG * 3)[:300]}… (450 characters)""",
        ),
        (
            "contains",
            {"name": "a"},
            ["x" * 310],
            f"""/v: expected contains {{"name":"a"}}, got ["{"x" * 298}… (314 characters)""",
        ),
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
