"""Command-line arguments of tools/call are converted by the schema, or fail before the call."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, NUMBERS, VALUES, exact, nested
from mcpi.core.flags.pairs import Pair, unconverted
from mcpi.core.flags.tool_arguments import coerce_arguments, coerce_leniently, coerce_value, unknown_arguments
from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Correction, Invalid
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


def coerced(text: str, schema: Json, root: Json = None) -> Result[Printable]:
    """Coerce the argument x by its schema."""
    return coerce_value("--tool-arg", Pair("x", text), schema, root)


def mismatch(text: str, wanted: str) -> Failure[Invalid]:
    """Build the failure of an argument x that does not match its schema."""
    problem = f"x: expected {wanted}, got {text!r}"
    return Failure(Invalid("INVALID_ARGUMENT", "--tool-arg", problem, (unconverted("x", text),)))


def invalid(problem: str, *hints: str) -> Failure[Invalid]:
    """Build the failure of invalid arguments."""
    return Failure(Invalid("INVALID_ARGUMENT", "--tool-arg", problem, hints))


@pytest.mark.parametrize(
    "text", ["42", "0", "-7", "19.99", "-0.5", "1e3", "1.5E-7", "-0", "1.10", "12345678901234567890.5"]
)
def test_number_is_sent_as_written(text: str) -> None:
    assert coerced(text, {"type": "number"}) == Success(Exact(text, json.loads(text)))


@pytest.mark.parametrize(
    "text",
    ["", "abc", "+1", "01", "1.", ".5", "1e", "0x10", "1,5", "NaN", "Infinity", "-", "٣", "1٣", "true"],
)
def test_non_numeric_argument_fails_before_the_call(text: str) -> None:
    assert coerced(text, {"type": "number"}) == mismatch(text, "a number")


@pytest.mark.parametrize("text", ["42", "0", "-7", "58", "5.0", "-3.00", "123456789012345678901234567890"])
def test_integer_is_sent_as_written(text: str) -> None:
    assert coerced(text, {"type": "integer"}) == Success(Exact(text, json.loads(text)))


@pytest.mark.parametrize("text", ["", "abc", "1.5", "1e3", "01", "+1", "1 000", "null"])
def test_non_integer_argument_fails_before_the_call(text: str) -> None:
    assert coerced(text, {"type": "integer"}) == mismatch(text, "an integer")


def test_number_beyond_float_range_is_sent_as_written() -> None:
    assert [coerced(text, {"type": "number"}).unwrap() for text in ("1e400", "9" * 5000)] == [
        Exact("1e400", float("inf")),
        Exact("9" * 5000, float("inf")),
    ]


def test_boolean_true_is_converted() -> None:
    assert coerced("true", {"type": "boolean"}).unwrap() is True


def test_boolean_false_is_converted() -> None:
    assert coerced("false", {"type": "boolean"}).unwrap() is False


@pytest.mark.parametrize("text", ["", "y", "null"])
def test_non_boolean_argument_fails_before_the_call(text: str) -> None:
    assert coerced(text, {"type": "boolean"}) == mismatch(text, "true or false")


def test_null_is_converted() -> None:
    assert coerced("null", {"type": "null"}) == Success(None)


@pytest.mark.parametrize("text", ["", "None", "nil", "0", "false"])
def test_non_null_argument_fails_before_the_call(text: str) -> None:
    assert coerced(text, {"type": "null"}) == mismatch(text, "null")


@pytest.mark.parametrize(
    ("text", "kept", "held"),
    [
        ('{"key": "value"}', '{"key": "value"}', {"key": "value"}),
        (' {"a": {"b": [1.10]}}\n', '{"a": {"b": [1.10]}}', {"a": {"b": [1.1]}}),
        ("{}", "{}", {}),
    ],
)
def test_object_is_parsed_as_json(text: str, kept: str, held: Json) -> None:
    assert coerced(text, {"type": "object"}) == Success(Exact(kept, held))


@pytest.mark.parametrize("text", ["", "[1]", "null", "a=b"])
def test_non_object_argument_is_rejected_and_not_sent_as_a_string(text: str) -> None:
    assert coerced(text, {"type": "object"}) == mismatch(text, "an object")


@pytest.mark.parametrize(("text", "held"), [("[1,2,3]", [1, 2, 3]), ("[]", []), ('[{"a":null}]', [{"a": None}])])
def test_array_is_parsed_as_json(text: str, held: Json) -> None:
    assert coerced(text, {"type": "array"}) == Success(Exact(text, held))


@pytest.mark.parametrize("text", ["", "1,2,3", "{}"])
def test_non_array_argument_fails_before_the_call(text: str) -> None:
    assert coerced(text, {"type": "array"}) == mismatch(text, "an array")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{'a': 1}", "single quotes instead of double quotes at line 1, column 2, near \"{'a': 1}\""),
        ("[1", "Expecting ',' delimiter at line 1, column 3, near '[1'"),
    ],
)
def test_mistake_in_the_json_of_an_argument_is_located(text: str, problem: str) -> None:
    found = coerced(text, {"type": ["array", "object"]})

    assert found == invalid(f"x: expected an array or an object, got {text!r}", f"invalid JSON: {problem}")


@pytest.mark.parametrize("text", ["", "hello world", "42", "true", "null", "{}", '"quoted"', " x "])
def test_string_is_sent_unchanged(text: str) -> None:
    assert coerced(text, {"type": "string"}) == Success(text)


@pytest.mark.parametrize(
    "schema", [None, {}, True, {"description": "anything"}, {"type": 5}, {"$ref": "#/no"}], ids=str
)
@pytest.mark.parametrize("text", ["", "42", "true", "{}"])
def test_argument_without_a_type_is_sent_as_a_string(text: str, schema: Json) -> None:
    assert coerced(text, schema) == Success(text)


@pytest.mark.parametrize("name", ["any", "str", "float", "file"])
def test_unknown_schema_type_is_left_to_the_server(name: str) -> None:
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
def test_first_matching_type_is_used(text: str, fitted: Printable) -> None:
    assert coerced(text, {"type": ["integer", "string", "null"]}) == Success(fitted)


def test_argument_must_match_one_of_several_types() -> None:
    assert coerced("x", {"type": ["integer", "null"]}) == mismatch("x", "an integer or null")


@pytest.mark.parametrize(
    ("text", "fitted"), [("metric", "metric"), ("1", Exact("1", 1)), ("null", Exact("null", None)), ("2", "2")]
)
def test_enum_member_is_accepted(text: str, fitted: Printable) -> None:
    assert coerced(text, {"enum": ["metric", 1, None, "2", 2]}) == Success(fitted)


def test_enum_distinguishes_true_from_one() -> None:
    assert coerced("1", {"enum": [True]}) == mismatch("1", "one of true")


def test_enum_number_matches_in_any_spelling() -> None:
    assert coerced("1.0", {"enum": [0, 1]}) == Success(Exact("1.0", 1.0))


@pytest.mark.parametrize("text", ["", "Metric", "3", "{"])
def test_value_outside_the_enum_fails_before_the_call(text: str) -> None:
    assert coerced(text, {"type": "string", "enum": ["metric", 5]}) == mismatch(text, 'one of "metric", 5')


@pytest.mark.parametrize(
    ("text", "const", "fitted"), [("a", "a", "a"), ("5", 5, Exact("5", 5)), ("[1]", [1], Exact("[1]", [1]))]
)
def test_const_value_is_accepted(text: str, const: Json, fitted: Printable) -> None:
    assert coerced(text, {"const": const}) == Success(fitted)


def test_value_other_than_the_const_fails_before_the_call() -> None:
    assert coerced("b", {"const": "a"}) == mismatch("b", '"a"')


@pytest.mark.parametrize("choice", ["anyOf", "oneOf"])
@pytest.mark.parametrize(("text", "fitted"), [("5", Exact("5", 5)), ("null", None), ("[1]", Exact("[1]", [1]))])
def test_first_matching_alternative_is_used(choice: str, text: str, fitted: Printable) -> None:
    schema: JsonObject = {choice: [{"type": "integer"}, {"type": "null"}, {"$ref": "#/$defs/list"}]}

    assert coerced(text, schema, {"$defs": {"list": {"type": "array"}}}) == Success(fitted)


def test_argument_must_match_one_of_several_alternatives() -> None:
    schema: JsonObject = {"anyOf": [{"type": "integer"}, {"const": "all"}, {"enum": [None]}, {"type": "integer"}]}

    assert coerced("x", schema) == mismatch("x", 'an integer or "all" or one of null')


def test_nullable_string_keeps_the_text_null() -> None:
    assert coerced("null", {"anyOf": [{"type": "string"}, {"type": "null"}]}) == Success("null")


def test_reference_is_resolved() -> None:
    assert coerced("x", {"$ref": "#/$defs/n"}, {"$defs": {"n": {"type": "integer"}}}) == mismatch("x", "an integer")


def test_all_of_is_resolved() -> None:
    assert coerced("x", {"allOf": [{"anyOf": [{"type": "integer"}]}]}) == mismatch("x", "an integer")


@pytest.mark.parametrize("schema", [{"type": "integer"}, {"enum": ["a"]}, {"const": 1}, None], ids=str)
def test_json_value_is_sent_regardless_of_the_schema(schema: Json) -> None:
    typed = Exact('{"a": 1.10}', {"a": 1.1})

    assert coerce_value("--tool-arg", Pair("x", typed), schema, schema) == Success(typed)


SUM: JsonObject = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"$ref": "#/$defs/number"}, "note": {"type": "string"}},
    "required": ["a", "b"],
    "additionalProperties": False,
    "$defs": {"number": {"type": "number"}},
}


def coerced_arguments(schema: Json, *pairs: Pair) -> Result[dict[str, Printable]]:
    """Coerce the arguments of the tool 'sum'."""
    return coerce_arguments("--tool-arg", pairs, schema, "the tool 'sum'")


def test_each_argument_is_converted_by_its_property_schema() -> None:
    assert coerced_arguments(SUM, Pair("b", "58"), Pair("a", "42.5"), Pair("note", "7")) == Success(
        {"b": Exact("58", 58), "a": Exact("42.5", 42.5), "note": "7"}
    )


def test_no_arguments_are_an_empty_object() -> None:
    assert coerced_arguments({"type": "object", "properties": {"a": {}}}) == Success({})


def test_argument_that_does_not_match_its_schema_fails_before_the_call() -> None:
    assert coerced_arguments(SUM, Pair("a", "1"), Pair("b", "abc")) == invalid(
        "b: expected a number, got 'abc'", "to send it anyway, write 'b:=\"abc\"'"
    )


def test_misspelled_argument_suggests_the_nearest_name() -> None:
    assert coerced_arguments(SUM, Pair("a", "1"), Pair("b", "1"), Pair("nte", "x")) == invalid(
        "the tool 'sum' has no argument 'nte'", "did you mean note?"
    )


def test_unknown_argument_lists_all_names() -> None:
    assert coerced_arguments(SUM, Pair("a", "1"), Pair("b", "1"), Pair("quux", "x")) == invalid(
        "the tool 'sum' has no argument 'quux'", "it takes a, b, note"
    )


@pytest.mark.parametrize(("text", "meant"), [("yes", "true"), ("True", "true"), ("0", "false"), ("OFF", "false")])
def test_boolean_in_another_spelling_is_corrected(text: str, meant: str) -> None:
    schema: JsonObject = {"type": "object", "properties": {"b": {"type": "boolean"}}}

    assert coerced_arguments(schema, Pair("b", text)) == invalid(
        f"b: expected true or false, got {text!r}", f"did you mean b={meant}?"
    )


@pytest.mark.parametrize(
    ("text", "schema", "meant"),
    [
        (" 1", {"type": "number"}, "x=1"),
        ("1,", {"type": "number"}, "x=1"),
        ("=1", {"type": "integer"}, "x=1"),
        ('"5"', {"type": "integer"}, "x=5"),
        (" true", {"type": "boolean"}, "x=true"),
        ('"{}"', {"type": "object"}, "x={}"),
        ("metric ", {"enum": ["metric"]}, "x=metric"),
        ("1,y=2", {"type": "number"}, "x=1 y=2"),
        ("1 y:=2&z=a b", {"type": "number"}, "x=1 y:=2 z=a b"),
    ],
)
def test_punctuation_around_a_value_is_removed(text: str, schema: JsonObject, meant: str) -> None:
    fault = coerced(text, schema).failure()

    assert isinstance(fault, Invalid)
    assert fault.hints == (f"did you mean {meant}?",)


def test_spaces_around_the_names_of_arguments_are_removed() -> None:
    fault = coerced_arguments(SUM, Pair("a ", " 1"), Pair("b ", "2"), Pair("note", "x")).failure()
    right = Correction.chain(Correction("a = 1", ("a=1",)), Correction("b =2", ("b=2",)))

    assert isinstance(fault, Invalid)
    assert (fault.problem, fault.correction) == ("the tool 'sum' has no argument 'a '", right)
    assert coerced_arguments(SUM, Pair("a ", Exact("1", 1))) == invalid("the tool 'sum' has no argument 'a '")


NESTED: JsonObject = {
    "properties": {
        "reporter": {"anyOf": [{"type": "null"}, {"properties": {"age": {"type": "integer"}}, "type": "object"}]},
        "labels": {"type": "array", "items": {"type": "string"}},
        "title": {"type": "string"},
        "any": {},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
    }
}


@pytest.mark.parametrize("more", [{}, {"additionalProperties": False}])
@pytest.mark.parametrize(
    ("pairs", "meant"),
    [
        ("reporter[name]=E", 'reporter:={"name":"E"}'),
        ("title=a reporter.name=E reporter.age=5", 'reporter:={"name":"E","age":5}'),
        ("reporter[age]=x", 'reporter:={"age":"x"}'),
        ("labels[]=1 labels[]=b", 'labels:=["1","b"]'),
        ("labels.0=1 labels.1=b", 'labels:=["1","b"]'),
        ("labels[0]=a labels[1]=b labels[0]=c", 'labels:=["c","b"]'),
        ("counts.x=1 counts[y]=2", 'counts:={"x":1,"y":2}'),
        ("any[x][y].z=1 any[x][y].a=2", 'any:={"x":{"y":{"z":"1","a":"2"}}}'),
    ],
)
def test_nested_arguments_are_corrected_to_json(pairs: str, meant: str, more: JsonObject) -> None:
    given = [Pair(*pair.split("=", 1)) for pair in pairs.split()]
    fault = coerced_arguments({**NESTED, **more}, *given).failure()
    assert isinstance(fault, Invalid)
    assert fault.correction is not None

    wrong = next(pair.key for pair in given if pair.key not in NESTED["properties"])  # type: ignore[operator]
    assert (fault.problem, fault.correction.right) == (f"the tool 'sum' has no argument {wrong!r}", (meant,))


def test_nested_arguments_given_as_json_are_corrected() -> None:
    pairs = (Pair("reporter[x]", Exact("[1]", [1])), Pair("reporter[y]", "2"))
    fault = coerced_arguments(NESTED, *pairs).failure()

    assert isinstance(fault, Invalid)
    assert fault.correction == Correction.chain(
        Correction("reporter[x]:=[1]", ('reporter:={"x":[1],"y":"2"}',)), Correction("reporter[y]=2", ())
    )


@pytest.mark.parametrize(
    ("pair", "more"),
    [
        (Pair("reporter[name]", "E"), {"additionalProperties": True}),
        (Pair("reporter[name]", "E", file="name.txt"), {}),
        (Pair("other[name]", "E"), {}),
        (Pair("title.x", "E"), {}),
        (Pair("reporter[", "E"), {}),
    ],
)
def test_argument_that_may_have_brackets_in_its_name_is_sent(pair: Pair, more: JsonObject) -> None:
    assert coerced_arguments({**NESTED, **more}, pair) == Success({pair.key: pair.value})


def test_all_values_with_punctuation_are_corrected_together() -> None:
    fault = coerced_arguments(SUM, Pair("a", "=1"), Pair("b", "=2"), Pair("note", "=x")).failure()
    right = Correction.chain(Correction("a==1", ("a=1",)), Correction("b==2", ("b=2",)))

    assert isinstance(fault, Invalid)
    assert fault.correction == right


def test_missing_arguments_are_named_beside_a_misspelled_one() -> None:
    assert coerced_arguments(SUM, Pair("bb", "1")) == invalid(
        "the tool 'sum' has no argument 'bb'", "did you mean b?", "it requires the argument 'a'"
    )


def test_argument_of_a_tool_without_arguments_is_rejected() -> None:
    schema: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}

    assert coerced_arguments(schema, Pair("a", "1")) == invalid("the tool 'sum' has no argument 'a'", "it takes none")


def test_array_in_a_file_is_named_with_its_file() -> None:
    schema: JsonObject = {"properties": {"tags": {"type": "array", "items": {"type": "string"}}}}

    def coerced(text: str) -> Result[dict[str, Printable]]:
        return coerce_arguments("--tool-arg", [Pair("tags", text, "tags.txt")], schema, "t")

    assert coerced("x, y") == invalid(
        "tags: expected an array in tags.txt, got 'x, y'",
        "invalid JSON: x is not in double quotes at line 1, column 1, near 'x, y'",
    )
    assert coerced("{}") == invalid(
        "tags: expected an array in tags.txt, got '{}'", "to send it anyway, write tags:=@tags.txt"
    )


def test_given_argument_is_not_suggested_again() -> None:
    schema: JsonObject = {"properties": {"sku": {}}, "additionalProperties": False}

    assert coerce_arguments("--tool-arg", [Pair("sku", "A"), Pair("skuu", "1")], schema, "t") == invalid(
        "t has no argument 'skuu'", "it takes sku"
    )


def test_missing_required_argument_is_named() -> None:
    assert coerced_arguments(SUM, Pair("a", "1")) == invalid("the tool 'sum' requires the argument 'b'")


def test_all_missing_required_arguments_are_named() -> None:
    assert coerced_arguments(SUM) == invalid("the tool 'sum' requires the arguments 'a' and 'b'")


def test_missing_argument_is_suggested_for_a_misspelled_one() -> None:
    schema: JsonObject = {"properties": {"city": {}, "units": {}}, "required": ["city", "units"]}

    assert coerced_arguments(schema, Pair("ciyt", "Oslo"), Pair("zzz", "1"), Pair("units", "m")) == invalid(
        "the tool 'sum' requires the argument 'city'", "did you mean city?"
    )


def test_known_argument_is_not_treated_as_misspelled() -> None:
    schema: JsonObject = {"properties": {"city": {}, "citys": {}}, "required": ["city"]}

    assert coerced_arguments(schema, Pair("citys", "Oslo")) == invalid("the tool 'sum' requires the argument 'city'")


def test_open_schema_accepts_additional_arguments() -> None:
    assert coerced_arguments({"properties": {"a": {"type": "integer"}}}, Pair("more", "5")) == Success({"more": "5"})


def test_additional_arguments_are_converted_by_additional_properties() -> None:
    schema: JsonObject = {"properties": {"a": {}}, "additionalProperties": {"type": "integer"}}

    assert [coerced_arguments(schema, Pair("n", "5")), coerced_arguments(schema, Pair("n", "x"))] == [
        Success({"n": Exact("5", 5)}),
        invalid("n: expected an integer, got 'x'", "to send it anyway, write 'n:=\"x\"'"),
    ]


def test_duplicate_argument_is_rejected() -> None:
    assert coerced_arguments(SUM, Pair("a", "1"), Pair("a", "2")) == invalid("'a' is given twice")


LISTS: JsonObject = {
    "properties": {
        "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        "values": {"type": "array", "items": {"type": "number"}},
        "either": {"type": ["string", "array"]},
    }
}


@pytest.mark.parametrize(
    ("pairs", "right"),
    [
        ("tags=a", {"tags=a": ('tags:=["a"]',)}),
        ("tags=a,b", {"tags=a,b": ('tags:=["a","b"]',)}),
        ("tags=[a,'b']", {"tags=[a,'b']": ('tags:=["a","b"]',)}),
        ("tags=a tags=b", {"tags=a": ('tags:=["a","b"]',), "tags=b": ()}),
        ("values=1,2.50", {"values=1,2.50": ("values:=[1,2.50]",)}),
        ("either=a either=b", {"either=a": ('either:=["a","b"]',), "either=b": ()}),
    ],
)
def test_values_of_an_array_are_written_as_json(pairs: str, right: dict[str, tuple[str, ...]]) -> None:
    found = coerced_arguments(LISTS, *(Pair(*pair.split("=", 1)) for pair in pairs.split()))
    assert isinstance(found, Failure)
    fault = found.failure()
    assert isinstance(fault, Invalid)
    corrections, one = {}, fault.correction
    while one is not None:
        corrections[one.wrong], one = one.right, one.also

    assert corrections == right
    assert fault.hints == (f"did you mean {next(iter(right.values()))[0]}?",)


@pytest.mark.parametrize("pairs", ["values=a,2", "tags=a] tags=[b"])
def test_values_that_do_not_fit_an_array_are_not_corrected(pairs: str) -> None:
    found = coerced_arguments(LISTS, *(Pair(*pair.split("=", 1)) for pair in pairs.split()))
    assert isinstance(found, Failure)

    assert found.failure().hints[0].startswith("to send it anyway, write ")


def test_repeated_arguments_are_rejected_also_without_a_schema() -> None:
    assert coerce_leniently("--tool-arg", [Pair("a", "1"), Pair("a", "2")], None) == invalid(
        "'a' is given twice", """to send a list, write a:='["1","2"]'"""
    )
    assert coerce_leniently("--tool-arg", [Pair("a[]", "1"), Pair("a[]", "2")], None) == invalid(
        "'a[]' is given twice", """to send a list, write a:='["1","2"]'"""
    )
    assert coerced_arguments(LISTS, Pair("tags", Exact('["a"]', ["a"])), Pair("tags", "b")) == invalid(
        "'tags' is given twice", """to send a list, write tags:='[["a"],"b"]'"""
    )


def test_property_may_match_any_alternative_schema() -> None:
    schema: JsonObject = {
        "oneOf": [
            {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}},
            {"properties": {"kind": {"const": "square"}}},
        ]
    }

    assert [coerced_arguments(schema, Pair("kind", kind)) for kind in ("square", "oval")] == [
        Success({"kind": "square"}),
        invalid(
            """kind: expected "circle" or "square", got 'oval'""",
            "to send it anyway, write 'kind:=\"oval\"'",
        ),
    ]


def test_required_next_to_any_of_is_enforced() -> None:
    schema: JsonObject = {"required": ["repo"], "anyOf": [{"required": ["path"]}, {"required": ["sha"]}]}

    assert coerced_arguments(schema, Pair("path", "x")) == invalid("the tool 'sum' requires the argument 'repo'")


@pytest.mark.parametrize("schema", [None, True, [], "object", {}], ids=str)
def test_tool_without_a_schema_receives_strings(schema: Json) -> None:
    assert coerced_arguments(schema, Pair("a", "1")) == Success({"a": "1"})


@given(NUMBERS)
def test_any_json_number_is_accepted(text: str) -> None:
    assert coerced(text, {"type": "number"}) == Success(Exact(text, json.loads(text)))


@given(NUMBERS | st.integers().map(str))
def test_any_number_without_a_fraction_is_an_integer(text: str) -> None:
    whole = re.fullmatch(r"-?(0|[1-9][0-9]*)(\.0+)?", text) is not None

    assert isinstance(coerced(text, {"type": "integer"}), Success) == whole


@given(VALUES)
def test_any_value_of_its_own_type_is_kept(held: Json) -> None:
    text = dump(held)
    kind = {str: "string", dict: "object", list: "array", bool: "boolean", type(None): "null"}.get(type(held), "number")
    fitted = coerced(text, {"type": kind}).unwrap()

    assert dump(fitted) == (dump(text) if kind == "string" else text)


@given(WORDS, st.sampled_from(TYPES))
def test_no_text_makes_coercion_raise(text: str, kind: str) -> None:
    match coerced(text, {"type": kind}):
        case Success(str() as kept):
            assert (kept, kind) == (text, "string")
        case Success(Exact(kept)):
            assert kept == text.strip(" \t\r\n")
        case Success(kept):
            assert dump(kept) == text
        case failed:
            assert failed == mismatch(text, NOUNS[kind])


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
def test_no_schema_makes_coercion_raise(pairs: list[Pair], schema: Json) -> None:
    match coerced_arguments(schema, *pairs):
        case Success(values):
            assert list(values) == [pair.key for pair in pairs]
        case Failure(fault):
            assert isinstance(fault, Invalid)
            assert (fault.code, fault.where) == ("INVALID_ARGUMENT", "--tool-arg")


def test_enum_member_may_be_deeply_nested() -> None:
    deep = nested(DEEP)

    assert dump(coerced(deep, {"enum": [exact(deep).value]}).unwrap()) == deep
    assert coerced("[1]", {"enum": [[True], [1.0]]}) == Success(exact("[1]"))
    assert coerced("[1]", {"const": [True]}) == mismatch("[1]", "[true]")


def test_lenient_coercion_sends_mismatched_values_as_strings() -> None:
    schema: Json = {"properties": {"n": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}
    pairs = (Pair("n", "many"), Pair("other", "1"))

    assert coerce_leniently("--tool-arg", pairs, schema) == Success({"n": "many", "other": "1"})
    assert isinstance(coerce_leniently("--tool-arg", (*pairs, Pair("n", "2")), schema), Failure)


# Unknown arguments.


@pytest.mark.parametrize(
    ("keys", "more", "warnings"),
    [
        (("city", "days"), {}, []),
        (("city", "citi", "citi"), {}, ["the tool 't' has no argument 'citi' (did you mean city?)"]),
        (("x",), {}, ["the tool 't' has no argument 'x'; it takes city, days"]),
        (("x",), {"additionalProperties": True}, []),
        (("x",), {"additionalProperties": False}, ["the tool 't' has no argument 'x'; it takes city, days"]),
        (("x",), {"properties": {}}, []),
        (
            ("x", "y"),
            {"properties": {}, "anyOf": [{"properties": {"x": {}}}]},
            ["the tool 't' has no argument 'y'; it takes x"],
        ),
    ],
)
def test_argument_that_the_schema_does_not_name_is_reported(
    keys: tuple[str, ...], more: JsonObject, warnings: list[str]
) -> None:
    schema: JsonObject = {"properties": {"city": {}, "days": {}}, **more}

    assert [*unknown_arguments(keys, schema, "t")] == warnings
