"""An argument of the command line becomes what the schema says, or costs no call."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, NUMBERS, VALUES, exact, nested
from mcpi.core.flags.pairs import Pair
from mcpi.core.flags.tool_arguments import coerce_arguments, coerce_leniently, coerce_value
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Invalid
from mcpi.core.outcome.result import Failure, Result, Success

WORDS = st.text(st.characters(exclude_categories=()))
NOUNS = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
TYPES = tuple(NOUNS)
TYPED = "to send a value without conversion, write x:=JSON"


def coerced(text: str, schema: Json, root: Json = None) -> Result[Printable]:
    """The argument x as its schema types it."""
    return coerce_value("--tool-arg", Pair("x", text), schema, root)


def refused(text: str, wanted: str) -> Failure[Invalid]:
    """What an argument x is that does not fit its schema."""
    problem = f"x: expected {wanted}, got {text!r}"
    return Failure(Invalid("INVALID_ARGUMENT", "--tool-arg", problem, (TYPED,)))


def wrong(problem: str, *hints: str) -> Failure[Invalid]:
    """What bad arguments are."""
    return Failure(Invalid("INVALID_ARGUMENT", "--tool-arg", problem, hints))


@pytest.mark.parametrize(
    "text", ["42", "0", "-7", "19.99", "-0.5", "1e3", "1.5E-7", "-0", "1.10", "12345678901234567890.5"]
)
def test_a_number_is_sent_as_it_was_written(text: str) -> None:
    assert coerced(text, {"type": "number"}) == Success(Exact(text, json.loads(text)))


@pytest.mark.parametrize(
    "text",
    ["", "abc", "+1", "01", "1.", ".5", "1e", "0x10", " 1", "1 ", "1,5", "NaN", "Infinity", "-", "٣", "1٣", "true"],
)
def test_what_is_no_number_costs_no_call(text: str) -> None:
    assert coerced(text, {"type": "number"}) == refused(text, "a number")


@pytest.mark.parametrize("text", ["42", "0", "-7", "58", "5.0", "-3.00", "123456789012345678901234567890"])
def test_an_integer_is_sent_as_it_was_written(text: str) -> None:
    assert coerced(text, {"type": "integer"}) == Success(Exact(text, json.loads(text)))


@pytest.mark.parametrize("text", ["", "abc", "1.5", "1e3", "01", "+1", " 1", "1 000", "null", '"5"'])
def test_what_is_no_integer_costs_no_call(text: str) -> None:
    assert coerced(text, {"type": "integer"}) == refused(text, "an integer")


def test_a_number_too_large_to_hold_is_sent_as_it_was_written() -> None:
    assert [coerced(text, {"type": "number"}).unwrap() for text in ("1e400", "9" * 5000)] == [
        Exact("1e400", float("inf")),
        Exact("9" * 5000, float("inf")),
    ]


def test_true_is_true() -> None:
    assert coerced("true", {"type": "boolean"}).unwrap() is True


def test_false_is_false() -> None:
    assert coerced("false", {"type": "boolean"}).unwrap() is False


@pytest.mark.parametrize("text", ["", "True", "yes", "1", "0", "on", " true", "null"])
def test_what_is_neither_true_nor_false_costs_no_call(text: str) -> None:
    assert coerced(text, {"type": "boolean"}) == refused(text, "true or false")


def test_null_is_null() -> None:
    assert coerced("null", {"type": "null"}) == Success(None)


@pytest.mark.parametrize("text", ["", "None", "nil", "0", "false"])
def test_what_is_not_null_costs_no_call(text: str) -> None:
    assert coerced(text, {"type": "null"}) == refused(text, "null")


@pytest.mark.parametrize(
    ("text", "kept", "held"),
    [
        ('{"key": "value"}', '{"key": "value"}', {"key": "value"}),
        (' {"a": {"b": [1.10]}}\n', '{"a": {"b": [1.10]}}', {"a": {"b": [1.1]}}),
        ("{}", "{}", {}),
    ],
)
def test_an_object_is_read_as_json(text: str, kept: str, held: Json) -> None:
    assert coerced(text, {"type": "object"}) == Success(Exact(kept, held))


@pytest.mark.parametrize("text", ["", "{invalid json}", "[1]", '"{}"', "null", "a=b", "{'a': 1}"])
def test_what_is_no_object_is_no_silent_string_either(text: str) -> None:
    assert coerced(text, {"type": "object"}) == refused(text, "an object")


@pytest.mark.parametrize(("text", "held"), [("[1,2,3]", [1, 2, 3]), ("[]", []), ('[{"a":null}]', [{"a": None}])])
def test_an_array_is_read_as_json(text: str, held: Json) -> None:
    assert coerced(text, {"type": "array"}) == Success(Exact(text, held))


@pytest.mark.parametrize("text", ["", "1,2,3", "{}", "[1", '"[]"'])
def test_what_is_no_array_costs_no_call(text: str) -> None:
    assert coerced(text, {"type": "array"}) == refused(text, "an array")


@pytest.mark.parametrize("text", ["", "hello world", "42", "true", "null", "{}", '"quoted"', " x "])
def test_a_string_is_what_was_written(text: str) -> None:
    assert coerced(text, {"type": "string"}) == Success(text)


@pytest.mark.parametrize(
    "schema", [None, {}, True, {"description": "anything"}, {"type": 5}, {"$ref": "#/no"}], ids=str
)
@pytest.mark.parametrize("text", ["", "42", "true", "{}"])
def test_without_a_type_it_is_what_was_written(text: str, schema: Json) -> None:
    assert coerced(text, schema) == Success(text)


@pytest.mark.parametrize("name", ["any", "str", "float", "file"])
def test_a_type_that_json_schema_does_not_have_is_for_the_server_to_judge(name: str) -> None:
    assert coerced("hello", {"type": name}) == Success("hello")


@pytest.mark.parametrize(
    ("text", "fitted"),
    [
        ("5", Exact("5", 5)),
        ("1.5", "1.5"),
        ("null", "null"),
        ("x", "x"),
    ],
)
def test_of_several_types_the_first_that_fits_counts(text: str, fitted: Printable) -> None:
    assert coerced(text, {"type": ["integer", "string", "null"]}) == Success(fitted)


def test_of_several_types_one_must_fit() -> None:
    assert coerced("x", {"type": ["integer", "null"]}) == refused("x", "an integer or null")


@pytest.mark.parametrize(
    ("text", "fitted"), [("metric", "metric"), ("1", Exact("1", 1)), ("null", Exact("null", None)), ("2", "2")]
)
def test_a_member_of_an_enum_is_taken(text: str, fitted: Printable) -> None:
    assert coerced(text, {"enum": ["metric", 1, None, "2", 2]}) == Success(fitted)


def test_an_enum_tells_true_from_one() -> None:
    assert coerced("1", {"enum": [True]}) == refused("1", "one of true")


def test_an_enum_knows_a_number_however_it_is_written() -> None:
    assert coerced("1.0", {"enum": [0, 1]}) == Success(Exact("1.0", 1.0))


@pytest.mark.parametrize("text", ["", "Metric", "3", "metric ", "{"])
def test_what_is_no_member_of_the_enum_costs_no_call(text: str) -> None:
    assert coerced(text, {"type": "string", "enum": ["metric", 5]}) == refused(text, 'one of "metric", 5')


@pytest.mark.parametrize(
    ("text", "const", "fitted"), [("a", "a", "a"), ("5", 5, Exact("5", 5)), ("[1]", [1], Exact("[1]", [1]))]
)
def test_a_constant_is_taken(text: str, const: Json, fitted: Printable) -> None:
    assert coerced(text, {"const": const}) == Success(fitted)


def test_anything_but_the_constant_costs_no_call() -> None:
    assert coerced("b", {"const": "a"}) == refused("b", '"a"')


@pytest.mark.parametrize("choice", ["anyOf", "oneOf"])
@pytest.mark.parametrize(("text", "fitted"), [("5", Exact("5", 5)), ("null", None), ("[1]", Exact("[1]", [1]))])
def test_of_several_schemas_the_first_that_fits_counts(choice: str, text: str, fitted: Printable) -> None:
    schema: JsonObject = {choice: [{"type": "integer"}, {"type": "null"}, {"$ref": "#/$defs/list"}]}

    assert coerced(text, schema, {"$defs": {"list": {"type": "array"}}}) == Success(fitted)


def test_of_several_schemas_one_must_fit() -> None:
    schema: JsonObject = {"anyOf": [{"type": "integer"}, {"const": "all"}, {"enum": [None]}, {"type": "integer"}]}

    assert coerced("x", schema) == refused("x", 'an integer or "all" or one of null')


def test_an_optional_string_is_a_string() -> None:
    assert coerced("null", {"anyOf": [{"type": "string"}, {"type": "null"}]}) == Success("null")


def test_a_reference_is_followed() -> None:
    assert coerced("x", {"$ref": "#/$defs/n"}, {"$defs": {"n": {"type": "integer"}}}) == refused("x", "an integer")


def test_a_part_of_all_of_is_followed() -> None:
    assert coerced("x", {"allOf": [{"anyOf": [{"type": "integer"}]}]}) == refused("x", "an integer")


@pytest.mark.parametrize("schema", [{"type": "integer"}, {"enum": ["a"]}, {"const": 1}, None], ids=str)
def test_a_typed_value_is_sent_whatever_the_schema_says(schema: Json) -> None:
    typed = Exact('{"a": 1.10}', {"a": 1.1})

    assert coerce_value("--tool-arg", Pair("x", typed), schema, schema) == Success(typed)


SUM: JsonObject = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"$ref": "#/$defs/number"}, "note": {"type": "string"}},
    "required": ["a", "b"],
    "additionalProperties": False,
    "$defs": {"number": {"type": "number"}},
}


def given_to(schema: Json, *pairs: Pair) -> Result[dict[str, Printable]]:
    """The arguments of the tool 'sum'."""
    return coerce_arguments("--tool-arg", pairs, schema, "the tool 'sum'")


def test_each_argument_is_typed_by_its_property() -> None:
    assert given_to(SUM, Pair("b", "58"), Pair("a", "42.5"), Pair("note", "7")) == Success(
        {"b": Exact("58", 58), "a": Exact("42.5", 42.5), "note": "7"}
    )


def test_no_arguments_are_none() -> None:
    assert given_to({"type": "object", "properties": {"a": {}}}) == Success({})


def test_an_argument_that_does_not_fit_costs_no_call() -> None:
    assert given_to(SUM, Pair("a", "1"), Pair("b", "abc")) == wrong(
        "b: expected a number, got 'abc'", "to send a value without conversion, write b:=JSON"
    )


def test_a_misspelt_argument_names_the_nearest_one() -> None:
    assert given_to(SUM, Pair("a", "1"), Pair("nte", "x")) == wrong(
        "the tool 'sum' has no argument 'nte'", "did you mean note?"
    )


def test_an_argument_like_none_names_them_all() -> None:
    assert given_to(SUM, Pair("quux", "x")) == wrong("the tool 'sum' has no argument 'quux'", "it takes a, b, note")


def test_a_tool_without_arguments_takes_none() -> None:
    schema: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}

    assert given_to(schema, Pair("a", "1")) == wrong("the tool 'sum' has no argument 'a'", "it takes none")


def test_a_missing_argument_is_named() -> None:
    assert given_to(SUM, Pair("a", "1")) == wrong("the tool 'sum' requires the argument 'b'")


def test_all_missing_arguments_are_named() -> None:
    assert given_to(SUM) == wrong("the tool 'sum' requires the arguments 'a', 'b'")


def test_a_missing_argument_may_have_been_misspelt() -> None:
    schema: JsonObject = {"properties": {"city": {}, "units": {}}, "required": ["city", "units"]}

    assert given_to(schema, Pair("ciyt", "Oslo"), Pair("zzz", "1"), Pair("units", "m")) == wrong(
        "the tool 'sum' requires the argument 'city'", "did you mean city?"
    )


def test_an_argument_that_is_known_was_not_misspelt() -> None:
    schema: JsonObject = {"properties": {"city": {}, "citys": {}}, "required": ["city"]}

    assert given_to(schema, Pair("citys", "Oslo")) == wrong("the tool 'sum' requires the argument 'city'")


def test_an_open_schema_takes_more_than_it_names() -> None:
    assert given_to({"properties": {"a": {"type": "integer"}}}, Pair("more", "5")) == Success({"more": "5"})


def test_what_an_open_schema_does_not_name_may_have_a_type() -> None:
    schema: JsonObject = {"properties": {"a": {}}, "additionalProperties": {"type": "integer"}}

    assert [given_to(schema, Pair("n", "5")), given_to(schema, Pair("n", "x"))] == [
        Success({"n": Exact("5", 5)}),
        wrong("n: expected an integer, got 'x'", "to send a value without conversion, write n:=JSON"),
    ]


def test_an_argument_is_given_once() -> None:
    assert given_to(SUM, Pair("a", "1"), Pair("a", "2")) == wrong(
        "'a' is given twice", "to send a list, write a:='[...]'"
    )


def test_a_property_of_several_alternatives_fits_one_of_them() -> None:
    schema: JsonObject = {
        "oneOf": [
            {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}},
            {"properties": {"kind": {"const": "square"}}},
        ]
    }

    assert [given_to(schema, Pair("kind", kind)) for kind in ("square", "oval")] == [
        Success({"kind": "square"}),
        wrong(
            """kind: expected "circle" or "square", got 'oval'""",
            "to send a value without conversion, write kind:=JSON",
        ),
    ]


def test_what_is_required_beside_a_choice_is_required() -> None:
    schema: JsonObject = {"required": ["repo"], "anyOf": [{"required": ["path"]}, {"required": ["sha"]}]}

    assert given_to(schema, Pair("path", "x")) == wrong("the tool 'sum' requires the argument 'repo'")


@pytest.mark.parametrize("schema", [None, True, [], "object", {}], ids=str)
def test_a_tool_without_a_schema_gets_strings(schema: Json) -> None:
    assert given_to(schema, Pair("a", "1")) == Success({"a": "1"})


@given(NUMBERS)
def test_every_number_of_json_is_a_number(text: str) -> None:
    assert coerced(text, {"type": "number"}) == Success(Exact(text, json.loads(text)))


@given(NUMBERS | st.integers().map(str))
def test_an_integer_is_a_number_without_a_fraction(text: str) -> None:
    whole = re.fullmatch(r"-?(0|[1-9][0-9]*)(\.0+)?", text) is not None

    assert isinstance(coerced(text, {"type": "integer"}), Success) == whole


@given(VALUES)
def test_what_fits_its_own_type_is_kept(held: Json) -> None:
    text = dump(held)
    kind = {str: "string", dict: "object", list: "array", bool: "boolean", type(None): "null"}.get(type(held), "number")
    fitted = coerced(text, {"type": kind}).unwrap()

    assert dump(fitted) == (dump(text) if kind == "string" else text)


@given(WORDS, st.sampled_from(TYPES))
def test_no_text_makes_coercion_fail(text: str, kind: str) -> None:
    match coerced(text, {"type": kind}):
        case Success(str() as kept):
            assert (kept, kind) == (text, "string")
        case Success(Exact(kept)):
            assert kept == text.strip(" \t\r\n")
        case Success(kept):
            assert dump(kept) == text
        case failed:
            assert failed == refused(text, NOUNS[kind])


SCHEMAS: st.SearchStrategy[Json] = st.recursive(
    VALUES | st.sampled_from(TYPES),
    lambda inner: st.dictionaries(
        st.sampled_from(["type", "enum", "const", "anyOf", "allOf", "properties", "required", "a", "$ref"]),
        inner | st.lists(inner, max_size=3),
        max_size=4,
    ),
    max_leaves=15,
)


@given(st.lists(st.builds(Pair, st.sampled_from("abc"), st.text(max_size=4))), SCHEMAS)
def test_no_schema_makes_coercion_fail(pairs: list[Pair], schema: Json) -> None:
    match given_to(schema, *pairs):
        case Success(values):
            assert list(values) == [pair.key for pair in pairs]
        case Failure(fault):
            assert isinstance(fault, Invalid)
            assert (fault.code, fault.where) == ("INVALID_ARGUMENT", "--tool-arg")


def test_a_member_of_an_enum_may_be_nested_deep() -> None:
    deep = nested(DEEP)

    assert dump(coerced(deep, {"enum": [exact(deep).value]}).unwrap()) == deep
    assert coerced("[1]", {"enum": [[True], [1.0]]}) == Success(exact("[1]"))
    assert coerced("[1]", {"const": [True]}) == refused("[1]", "[true]")


def test_leniently_a_value_that_does_not_fit_is_sent_as_it_was_typed() -> None:
    schema: Json = {"properties": {"n": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}
    pairs = (Pair("n", "many"), Pair("other", "1"))

    assert coerce_leniently("--tool-arg", pairs, schema) == Success({"n": "many", "other": "1"})
    assert isinstance(coerce_leniently("--tool-arg", (*pairs, Pair("n", "2")), schema), Failure)
