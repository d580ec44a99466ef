"""Names of other tools for operators."""

import shlex

import pytest

from mcpi.core.flags.expectations import OPERATORS, parse, parse_flag
from mcpi.core.flags.foreign_operators import OPERATOR_NAMES, comparison_problem, meant_operator
from mcpi.core.flags.pairs import Expectation
from mcpi.core.jsontext.exact import Exact, parse_json_text
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.result import Success


@pytest.mark.parametrize(
    ("word", "operand", "meant"),
    [
        ("equal", 1, "equals"),
        ("eq", 1, "equals"),
        ("$eq", 1, "equals"),
        ("toEqual", 1, "equals"),
        ("toBe", 1, "equals"),
        ("regex", "^a", "matches"),
        ("pattern", "^a", "matches"),
        ("match", "^a", "matches"),
        ("includes", "a", "contains"),
        ("toContain", "a", "contains"),
        ("exist", True, "exists"),
        ("count", 1, "length"),
        ("toHaveLength", 1, "length"),
        ("typeOf", "array", "type"),
        ("gt", 1, "greaterThan"),
        ("<", 1, "lessThan"),
        ("notes", 1, ""),
    ],
)
def test_operator_of_another_tool_is_recognized(word: str, operand: Json, meant: str) -> None:
    assert meant_operator(word, operand, OPERATORS) == (f" (did you mean {meant}?)" if meant else "")


@pytest.mark.parametrize(
    ("word", "operand", "meant"),
    [
        ("min", 3, '{"schema": {"minimum": 3}}'),
        ("toBeGreaterThanOrEqual", 3, '{"schema": {"minimum": 3}}'),
        ("lte", 3, '{"schema": {"maximum": 3}}'),
        ("minLength", 3, '{"schema": {"minLength": 3}}'),
        ("enum", ["a"], '{"schema": {"enum": ["a"]}}'),
        ("notEquals", "a", '{"schema": {"not": {"const": "a"}}}'),
        ("$ne", "a", '{"schema": {"not": {"const": "a"}}}'),
        ("not", 3, '{"schema": {"not": {"const": 3}}}'),
        ("not", {"contains": "a"}, '{"schema": {"not": {"pattern": "a"}}}'),
        ("notContains", "a.b", r'{"schema": {"not": {"pattern": "a\\.b"}}}'),
        ("doesNotContain", 3, '{"schema": {"not": {"contains": {"const": 3}}}}'),
        ("notMatches", "^a", '{"schema": {"not": {"pattern": "^a"}}}'),
        ("isNull", True, '{"type": "null"}'),
        ("empty", True, '{"length": 0}'),
        ("missing", True, '{"exists": false}'),
        ("missing", False, '{"exists": true}'),
        ("empty", False, '{"schema": {"minLength": 1, "minItems": 1}}'),
        ("isNull", False, '{"schema": {"not": {"type": "null"}}}'),
        ("startsWith", "a.b", r'{"matches": "^a\\.b"}'),
        ("endsWith", 5, '{"matches": "5$"}'),
    ],
)
def test_operator_that_mcpi_does_not_have_is_replaced(word: str, operand: Json, meant: str) -> None:
    corrected = parse_json_text(meant)

    assert meant_operator(word, operand, OPERATORS) == f"; use {meant}"
    assert isinstance(corrected, Exact)
    assert isinstance(parse("/a", corrected.value), Success)


def test_other_negation_or_a_long_operand_is_not_quoted() -> None:
    assert meant_operator("notLength", 3, OPERATORS) == '; use {"schema": {"not": {...}}}'
    assert meant_operator("in", "a,b", OPERATORS) == '; use {"schema": {"enum": [...]}}'
    assert meant_operator("not", "a" * 100, OPERATORS) == '; use {"schema": {"not": {"const": ...}}}'


def test_other_names_of_operators_are_unique() -> None:
    others = [one for names in OPERATOR_NAMES.values() for one in names]

    assert len(others) == len(set(others))


@pytest.mark.parametrize(
    ("pointer", "sign", "right", "operator", "operand"),
    [
        ("/a", "<", "3", "lessThan", 3),
        ("/a", ">", "3.5", "greaterThan", 3.5),
        ("/a", "<=", "3", "schema", {"maximum": 3}),
        ("/a", ">=", "3", "schema", {"minimum": 3}),
        ("/a", "!=", "b", "schema", {"not": {"const": "b"}}),
        ("/a", "!=", "3", "schema", {"not": {"const": 3}}),
        ("/a:length", "<", "3", "schema", {"maxItems": 2}),
        ("/a:length", "<=", "3", "schema", {"maxItems": 3}),
        ("/a:length", ">", "3", "schema", {"minItems": 4}),
        ("/a:size", ">=", "3", "schema", {"minItems": 3}),
        ("/a:length", "!=", "3", "schema", {"not": {"minItems": 3, "maxItems": 3}}),
    ],
)
def test_comparison_is_explained_with_a_form_that_can_be_parsed(
    pointer: str, sign: str, right: str, operator: str, operand: Json
) -> None:
    explained, _, form = str(comparison_problem(f"{pointer}{sign}{right}")).partition("; write ")

    assert explained == f"'{pointer}{sign}{right}': there is no comparison '{sign}'"
    written, *note = shlex.split(form)
    assert parse_flag("--expect", written) == Success(Expectation("/a", operator, operand))
    assert " ".join(note) == ("" if pointer == "/a" else "(for a string, minLength or maxLength)")


def test_comparison_of_a_path_is_explained_with_a_pointer() -> None:
    assert comparison_problem("a.b>=3") == (
        """'a.b>=3': there is no comparison '>='; write '/a/b:schema={"minimum":3}'"""
    )


@pytest.mark.parametrize(
    ("text", "sign", "operand"),
    [
        ("/a>b", ">", "b"),
        ("/a>=true", ">=", "true"),
        ("/a:length>=x", ">=", "x"),
        ("/a:length>true", ">", "true"),
        ("/a:length<0", "<", "0"),
    ],
)
def test_comparison_requires_a_number(text: str, sign: str, operand: str) -> None:
    expected = f"{text!r}: there is no comparison {sign!r} with {operand!r}; only numbers can be compared"

    assert comparison_problem(text) == expected


@pytest.mark.parametrize("text", ["", "=", "/a=3", "/a=b>c", "/a=b!=c", "/a/<b>=5", "/a", ">3", "/a:matches=<b>"])
def test_other_expectations_are_not_comparisons(text: str) -> None:
    assert comparison_problem(text) is None
