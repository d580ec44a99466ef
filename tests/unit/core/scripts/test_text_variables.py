"""Strings of the command line where JSON of another type was meant."""

import pytest

from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.variables import exact_text
from mcpi.core.outcome.faults import Fault, Invalid, OperationFailed
from mcpi.core.plans.plan import PlanResult
from mcpi.core.scripts.text_variables import string_hints, typed_texts
from support.replay import exact

RESULT: Json = {"sum": 3, "list": [1], "text": "3", "null": None, "yes": True}
UNMET = OperationFailed("EXPECTATION_FAILED", "the result: 1 of 1 expectations failed")
SUM = "--var n=3 is a string; for a number, write --var n:=3"


def hints(
    expected: tuple[Expectation, ...], text: str, fault: Fault | None = UNMET, result: Json = RESULT
) -> list[str]:
    """The hints for expectations that use the variable n."""
    values = {"n": exact_text(text), "word": exact_text("w")}
    typed = typed_texts(values)
    judging = string_hints(expected, PlanResult(result, fault), values, typed)
    with pytest.raises(StopIteration) as done:
        next(judging)
    return list(done.value.value)


def test_strings_that_are_json_of_another_type_are_found() -> None:
    given = {"a": " 3", "b": "[]", "c": "text", "d": '"3"', "e": ""}

    assert typed_texts({**{name: exact_text(text) for name, text in given.items()}, "f": exact(3)}) == {
        "a": exact(3),
        "b": exact([]),
    }


@pytest.mark.parametrize(
    ("pointer", "operator", "wanted", "text", "message"),
    [
        ("/sum", "equals", "${n}", "3", [SUM]),
        ("/sum", "equals", "${n}", " 3 ", [SUM]),
        ("/list", "equals", ["${n}"], "1", ["--var n=1 is a string; for a number, write --var n:=1"]),
        ("/list", "contains", "${n}", "1", ["--var n=1 is a string; for a number, write --var n:=1"]),
        ("/list", "equals", "${n}", "[1]", ["--var n=[1] is a string; for an array, write --var n:=[1]"]),
        ("/null", "equals", "${n}", "null", ["--var n=null is a string; for null, write --var n:=null"]),
        ("/yes", "equals", "${n}", "true", ["--var n=true is a string; for true or false, write --var n:=true"]),
        ("", "contains", {"sum": "${n}"}, "3", [SUM]),
        ("/sum", "equals", "${n}", "4", []),
        ("/text", "equals", "${n}", "3", []),
        ("/sum", "equals", "${word}", "3", []),
        ("/sum", "equals", 4, "3", []),
        ("/none", "equals", "${n}", "3", []),
    ],
)
def test_string_is_named_if_only_its_type_is_wrong(
    pointer: str, operator: str, wanted: Json, text: str, message: list[str]
) -> None:
    assert hints((Expectation(pointer, operator, wanted),), text) == message


def test_invalid_operand_is_explained_without_a_result() -> None:
    expected = (Expectation("/text", "equals", "${n}"), Expectation("/sum", "lessThan", "${n}"))
    fault = Invalid("INVALID_ARGUMENT", "step 1", "expect: /sum: lessThan must be a number")

    assert hints(expected, "3", fault, None) == [SUM]
    assert hints(expected, "3", None, None) == []


def test_variable_is_named_once() -> None:
    assert hints((Expectation("/sum", "equals", "${n}"), Expectation("/sum", "equals", "${n}")), "3") == [SUM]


def test_captured_value_is_not_explained() -> None:
    expected, ended = (Expectation("/sum", "equals", "${n}"),), PlanResult(RESULT, UNMET)

    with pytest.raises(StopIteration) as done:
        next(string_hints(expected, ended, {"n": exact(4)}, typed_texts({"n": exact_text("3")})))
    assert done.value.value == ()
