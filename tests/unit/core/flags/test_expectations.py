"""Expectations about a result are parsed from scripts and flags, and evaluated without raising."""

import shlex
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, LONG, TEXTS, VALUES, exact, nested
from mcpi.core.flags.expectations import OPERATORS, TYPES, parse, parse_all, parse_flag, substitute_variables
from mcpi.core.flags.pairs import Expectation, invalid
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.outcome.faults import Correction, Invalid
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.steps import Validate
from mcpi.core.scripts.judge import unmet_expectations
from support.drive import drive

RESULT: dict[str, Json] = {
    "isError": False,
    "content": [{"type": "text", "text": "ok: 42"}],
    "n": 1.5,
    "none": None,
    "a/b": {"~": 0},
    "empty": [],
}
WILDCARD = "; JSON pointers have no wildcards: to match any element, "
USE = WILDCARD + "use {} with contains"


def any_element(pointer: str, operator: str, operand: str) -> str:
    """The hint that shows how any element of an array is matched."""
    in_shell = shlex.quote(f"{pointer}:{operator}={operand}")
    return f'{WILDCARD}write "{pointer}": {{"{operator}": {operand}}} (in a shell, {in_shell})'


LENGTH = "; to check the length, use /content with length{}"
HAS, ONE = "; the result has isError, content, n, none, a/b, empty", "; /content has 1 element"
WILDCARD_TYPE = any_element("/content", "contains", '{"type":"a"}')
PIECES = st.sampled_from([*OPERATORS, *TYPES, "", "0", "5", "a", "[", "^a+$", "(", "${a}", "a{2,1}", "/"])


def invalid_value(problem: str, flag: str = "expect") -> Failure[Invalid]:
    return Failure(Invalid("INVALID_ARGUMENT", flag, problem))


def verdicts(expectation: Expectation, value: Json = None, *problems: tuple[str, str]) -> tuple[str, ...]:
    """Evaluate an expectation, with a schema validator that finds these problems."""
    judging = unmet_expectations((expectation,), RESULT if value is None else value)

    def answer(step: object) -> object:
        assert isinstance(step, Validate)
        return problems

    return drive(judging, answer)


# In scripts.

LISTED = " (mcpi help script lists the operators)"


@pytest.mark.parametrize(
    ("wanted", "problem", "meant"),
    [
        ({}, "no operator given", "{}"),
        ({"a": 1}, f"unknown operator 'a'{LISTED}", '{"a":1}'),
        ({"words": 3, "chars": 5}, f"unknown operator 'words'{LISTED}", '{"words":3,"chars":5}'),
        ({"a": "x" * 60}, f"unknown operator 'a'{LISTED}", "{...}"),
        ({"matches": "^ok", "other": 1}, f"unknown operator 'other'{LISTED}", "{...}"),
        ({"lenght": 1, "other": 1}, f"unknown operator 'other'{LISTED}", '{"lenght":1,"other":1}'),
        ({"lenght": 1}, "unknown operator 'lenght' (did you mean length?)", "{...}"),
        (
            {"gt": 1, "lt": 2},
            "unknown operator 'gt' (did you mean greaterThan?), 'lt' (did you mean lessThan?)",
            "{...}",
        ),
        ({"approx": 2}, """unknown operator 'approx'; use {"schema": {"minimum":1.998,"maximum":2.002}}""", "{...}"),
        (
            {"closeTo": [0.5, 0.25]},
            """unknown operator 'closeTo'; use {"schema": {"minimum":0.25,"maximum":0.75}}""",
            "{...}",
        ),
        ({"closeTo": [5, 1]}, """unknown operator 'closeTo'; use {"schema": {"minimum":4.0,"maximum":6.0}}""", "{...}"),
        (
            {"toBeCloseTo": [5, 2]},
            """unknown operator 'toBeCloseTo'; use {"schema": {"minimum":4.995,"maximum":5.005}}""",
            "{...}",
        ),
        (
            {"approx": [1700000000123, 0.5]},
            """unknown operator 'approx'; use {"schema": {"minimum":1700000000122.5,"maximum":1700000000123.5}}""",
            "{...}",
        ),
        ({"near": "x"}, f"unknown operator 'near'{LISTED}", '{"near":"x"}'),
        ({"approx": 10**400}, f"unknown operator 'approx'{LISTED}", "{...}"),
        ({"approx": float("inf")}, f"unknown operator 'approx'{LISTED}", '{"approx":1e999}'),
        ({"within": [1, 10]}, f"unknown operator 'within'{LISTED}", '{"within":[1,10]}'),
    ],
)
def test_object_may_contain_only_operators(wanted: Json, problem: str, meant: str) -> None:
    hint = f'to compare with an object, use {{"equals": {meant}}}'

    assert parse("/a", wanted) == invalid("expect", f"/a: {problem}; {hint}")


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        (False, [("equals", False)]),
        (None, [("equals", None)]),
        ("ok", [("equals", "ok")]),
        ([1], [("equals", [1])]),
        ({"matches": "^ok"}, [("matches", "^ok")]),
        (
            {"type": "number", "greaterThan": 1, "lessThan": 2},
            [("type", "number"), ("greaterThan", 1), ("lessThan", 2)],
        ),
        ({"equals": {"type": "text"}}, [("equals", {"type": "text"})]),
        ({"contains": {"equals": 1}}, [("contains", {"equals": 1})]),
        ({"exists": False, "length": 0}, [("exists", False), ("length", 0)]),
        ({"schema": {"type": "object"}}, [("schema", {"type": "object"})]),
        ({"schema": True}, [("schema", True)]),
    ],
)
def test_object_of_operators_is_parsed_and_other_values_mean_equals(
    wanted: Json, meant: list[tuple[str, Json]]
) -> None:
    expected = tuple(Expectation("/a", operator, operand) for operator, operand in meant)

    assert parse("/a", wanted) == Success(expected)


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ({"matches": 5}, "/a: matches must be a string"),
        ({"matches": "("}, "/a: the pattern '(' cannot be used: unterminated group at position 0"),
        ({"exists": 1}, "/a: exists must be true or false"),
        ({"type": "text"}, "/a: type must be one of null, boolean, integer, number, string, array, object"),
        ({"type": None}, "/a: type must be one of null, boolean, integer, number, string, array, object"),
        ({"type": ["string"]}, "/a: type must be one of null, boolean, integer, number, string, array, object"),
        ({"length": "3"}, "/a: length must be a number"),
        ({"length": True}, "/a: length must be a number"),
        ({"lessThan": None}, "/a: lessThan must be a number"),
        ({"greaterThan": [1]}, "/a: greaterThan must be a number"),
        ({"schema": "object"}, "/a: schema must be an object or a boolean"),
        ({"equals": 1, "length": "3"}, "/a: length must be a number"),
    ],
)
def test_operand_of_the_wrong_type_is_rejected(wanted: Json, problem: str) -> None:
    assert parse("/a", wanted) == invalid_value(problem)


def test_empty_pointer_refers_to_the_whole_result() -> None:
    assert parse("", {"type": "object"}) == Success((Expectation("", "type", "object"),))
    assert parse("", {"type": "x"}) == invalid_value(f"the result: type must be one of {', '.join(TYPES)}")


def test_pointer_must_start_with_a_slash() -> None:
    assert parse("isError", 0) == invalid_value(
        "'isError' is not a JSON pointer; it must start with '/' (did you mean /isError?)"
    )


@pytest.mark.parametrize(
    ("place", "wanted", "corrected"),
    [
        ("/tools:length", 4, '{"/tools": {"length": 4}}'),
        ("/a:matches", "x" * 300, '{"/a": {"matches": ...}}'),
        ("/a:equals", {"b": 1}, '{"/a": {"equals": ...}}'),
        (":type", "object", '{"": {"type": "object"}}'),
    ],
)
def test_operator_in_the_pointer_of_a_script_is_rejected(place: str, wanted: Json, corrected: str) -> None:
    problem = f"{place}: in a script, an operator is not part of the pointer; write {corrected}"

    assert parse(place, wanted) == invalid_value(problem)


def test_colon_is_part_of_the_pointer() -> None:
    assert parse("/a:b", 1) == Success((Expectation("/a:b", "equals", 1),))


@pytest.mark.parametrize("pattern", ["a{99999999999999999999}", "a{" + LONG + "}", "(" * 5000 + ")" * 5000])
def test_unusable_pattern_is_rejected(pattern: str) -> None:
    found = parse("/a", {"matches": pattern})

    assert isinstance(found, Failure)
    assert "cannot be used" in found.failure().problem


def test_operand_with_a_variable_is_not_checked_yet() -> None:
    assert parse("/a", {"length": "${n}"}) == Success((Expectation("/a", "length", "${n}"),))
    assert parse("/a", {"matches": "[${x}"}) == Success((Expectation("/a", "matches", "[${x}"),))


def test_path_with_an_object_is_corrected_completely() -> None:
    assert parse("a.b", {"c": 1}) == invalid_value(
        """'a.b' is not a JSON pointer; it must start with '/'; """
        """to compare with an object, write "/a/b": {"equals": {"c":1}}""",
        "expect",
    )


@pytest.mark.parametrize("wanted", [{"gt": 1}, {"greaterThan": 1}, 1])
def test_path_with_operators_is_corrected_alone(wanted: Json) -> None:
    problem = "'a.b' is not a JSON pointer; it must start with '/' (did you mean /a/b?)"

    assert parse("a.b", wanted) == invalid_value(problem, "expect")


def test_all_problems_of_expectations_are_reported_together() -> None:
    found, problems = parse_all({"/a": 1, "b": 2, "/c": {"length": "3"}, "/d": {"exists": True}})

    assert found == (Expectation("/a", "equals", 1), Expectation("/d", "exists", expected=True))
    assert problems == (
        "'b' is not a JSON pointer; it must start with '/' (did you mean /b?)",
        "/c: length must be a number",
    )


# On the command line.


@pytest.mark.parametrize(
    ("text", "expectation"),
    [
        ("/isError=false", Expectation("/isError", "equals", expected=False)),
        ('/a="false"', Expectation("/a", "equals", "false")),
        ("/a=plain text", Expectation("/a", "equals", "plain text")),
        ("/a=", Expectation("/a", "equals", "")),
        ("/a=b=c", Expectation("/a", "equals", "b=c")),
        ("={}", Expectation("", "equals", {})),
        ('/a={"type": "text"}', Expectation("/a", "equals", {"type": "text"})),
        ("/a:b=1", Expectation("/a:b", "equals", 1)),
        ("/a:equals=1", Expectation("/a", "equals", 1)),
        ("/a:contains=[1]", Expectation("/a", "contains", [1])),
        ("/a:matches=^ok", Expectation("/a", "matches", "^ok")),
        ("/a:matches=200", Expectation("/a", "matches", "200")),
        ("/a:matches=[0]", Expectation("/a", "matches", "[0]")),
        ('/a:matches="^ok"', Expectation("/a", "matches", "^ok")),
        ("/a:exists=false", Expectation("/a", "exists", expected=False)),
        ("/a:type=string", Expectation("/a", "type", "string")),
        ("/a:type=null", Expectation("/a", "type", "null")),
        ("/a:length=3", Expectation("/a", "length", 3)),
        ('/a:schema={"type":"object"}', Expectation("/a", "schema", {"type": "object"})),
        ("/a:lessThan=1.5", Expectation("/a", "lessThan", 1.5)),
        ("/a:greaterThan=-1", Expectation("/a", "greaterThan", -1)),
        ("/a:b:length=3", Expectation("/a:b", "length", 3)),
        ("/a:notLength=3", Expectation("/a:notLength", "equals", 3)),
        ("/a:type/b=3", Expectation("/a:type/b", "equals", 3)),
        ("/a:in=b,c", Expectation("/a:in", "equals", "b,c")),
    ],
)
def test_expect_flag_has_pointer_operator_and_operand(text: str, expectation: Expectation) -> None:
    assert parse_flag("--expect", text) == Success(expectation)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("/a b", "expected /POINTER=VALUE or /POINTER:OPERATOR=VALUE, got '/a b'"),
        ("", "expected /POINTER=VALUE or /POINTER:OPERATOR=VALUE, got ''"),
        ("content[*].text=1", "expected /POINTER=VALUE or /POINTER:OPERATOR=VALUE, got 'content[*].text=1'"),
        ("$=1", "expected /POINTER=VALUE or /POINTER:OPERATOR=VALUE, got '$=1'"),
        ("$:exists=true", "expected /POINTER=VALUE or /POINTER:OPERATOR=VALUE, got '$:exists=true'"),
        (":contains=a", "expected /POINTER=VALUE or /POINTER:OPERATOR=VALUE, got ':contains=a'"),
        ("/a:length=x", "'/a:length=x': length must be a number"),
        ("/a:exists=1", "'/a:exists=1': exists must be true or false"),
        ("/a>b", "'/a>b': there is no comparison '>' with 'b'; only numbers can be compared"),
    ],
)
def test_invalid_expect_flag_is_rejected(text: str, problem: str) -> None:
    assert parse_flag("--expect", text) == invalid_value(problem, "--expect")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a.b=1", "/a/b=1"),
        ("a.b", "/a/b:exists=true"),
        ("/a/b", "/a/b:exists=true"),
        ("/a:exists", "/a:exists=true"),
        ("isError", "/isError=true"),
        ("$.content[0].text:contains=a b", "/content/0/text:contains=a b"),
        ("a:contain=5", "/a:contain=5"),
        ("/a:contain=5", "/a:contains=5"),
        ("/a:b:eq=x=y", "/a:b:equals=x=y"),
        ("/a:gte=5", '/a:schema={"minimum": 5}'),
        ("/a:missing=true", "/a:exists=false"),
        ("/a:missing=false", "/a:exists=true"),
        ("/a:startswith=b", '/a:matches="^b"'),
        ('.a[0] == "b"', '/a/0="b"'),
    ],
)
def test_wrong_path_or_operator_of_expect_flag_is_corrected(text: str, right: str) -> None:
    fault = parse_flag("--expect", text).failure()

    assert isinstance(fault, Invalid)
    assert fault.correction == Correction(text, (right,))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("/structuredContent/total==18.5", "/structuredContent/total=18.5"),
        (".structuredContent.total == 18.5", "/structuredContent/total=18.5"),
        ("/a===b=c", "/a=b=c"),
        ("=={}", "={}"),
        ("/a:b==1", "/a:b=1"),
        ('$.a == "x"', '/a="x"'),
    ],
)
def test_double_equals_sign_is_corrected(text: str, right: str) -> None:
    fault = parse_flag("--expect", text).failure()

    assert isinstance(fault, Invalid)
    assert fault.problem == f"{text!r}: there is no comparison '=='"
    assert fault.correction == Correction(text, (right,))
    assert isinstance(parse_flag("--expect", right), Success)


def test_string_that_begins_with_an_equals_sign_needs_an_operator() -> None:
    rejected = parse_flag("--expect", "/a==b").failure()

    assert isinstance(rejected, Invalid)
    assert rejected.hints[-1] == "for a string that begins with =, write /a:equals==b"
    assert parse_flag("--expect", "/a:equals==b") == Success(Expectation("/a", "equals", "=b"))
    assert parse_flag("--expect", "/a==") == Success(Expectation("/a", "equals", "="))
    wildcard = parse_flag("--expect", "$.a[*] == 1").failure()
    assert isinstance(wildcard, Invalid)
    assert wildcard.correction is None


def test_member_with_the_name_of_an_operator_needs_an_operator() -> None:
    rejected = parse_flag("--expect", "/x:count=3").failure()

    assert isinstance(rejected, Invalid)
    assert rejected.problem == "'/x:count=3': 'count' is not an operator"
    assert rejected.hints[1:] == ("for a member of this name, write /x:count:equals=3",)
    assert parse_flag("--expect", "/x:count:equals=3") == Success(Expectation("/x:count", "equals", 3))


@given(st.lists(PIECES | st.sampled_from(["=", ":", "/a"]), max_size=6).map("".join))
@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
def test_no_expect_flag_makes_the_parser_raise(text: str) -> None:
    assert isinstance(parse_flag("--expect", text), Success | Failure)


# Evaluation.


@pytest.mark.parametrize(
    ("pointer", "operator", "wanted"),
    [
        ("/isError", "equals", False),
        ("/none", "equals", None),
        ("/n", "equals", 1.5),
        ("/content/0", "equals", {"text": "ok: 42", "type": "text"}),
        ("/a~1b/~0", "equals", 0.0),
        ("/content/0/text", "contains", "42"),
        ("/content", "contains", {"type": "text", "text": "ok: 42"}),
        ("/content", "contains", {"type": "text"}),
        ("/content/0", "contains", {"type": "text"}),
        ("/content/0", "contains", "text"),
        ("/content/0/text", "matches", r"^ok: \d+$"),
        ("/content/0/text", "matches", "4"),
        ("/none", "exists", True),
        ("/nothing", "exists", False),
        ("/content/1", "exists", False),
        ("/content/0/text", "length", 6),
        ("/content", "length", 1),
        ("/content/0", "length", 2),
        ("/empty", "length", 0.0),
        ("/n", "lessThan", 2),
        ("/n", "greaterThan", 1),
        ("/n", "type", "number"),
        ("/none", "type", "null"),
        ("/isError", "type", "boolean"),
        ("/content", "type", "array"),
        ("/a~1b", "type", "object"),
        ("/content/0/text", "type", "string"),
        ("/content/0/text", "schema", {"type": "string"}),
        ("", "type", "object"),
    ],
)
def test_met_expectation_has_no_message(pointer: str, operator: str, wanted: Json) -> None:
    assert verdicts(Expectation(pointer, operator, wanted)) == ()


@pytest.mark.parametrize(
    ("pointer", "operator", "wanted", "message"),
    [
        ("/isError", "equals", True, "/isError: expected true, got false"),
        ("/isError", "equals", 0, "/isError: expected 0, got false"),
        ("/n", "equals", "1.5", '/n: expected "1.5", got 1.5'),
        ("/none", "equals", False, "/none: expected false, got null"),
        ("/content/0/text", "contains", "43", '/content/0/text: expected contains "43", got "ok: 42"'),
        ("/a~1b", "contains", {}, '/a~1b: expected contains {}, got {"~":0}'),
        ("/a~1b", "contains", {"~": False}, '/a~1b: expected contains {"~":false}, got {"~":0}'),
        ("/a~1b", "contains", {"x": 0}, '/a~1b: expected contains {"x":0}, got {"~":0}'),
        ("/a~1b", "contains", "x", '/a~1b: expected contains "x", got {"~":0}'),
        ("/a~1b", "contains", 0, '/a~1b: expected contains 0, got {"~":0}'),
        ("/content", "contains", {}, '/content: expected contains {}, got [{"type":"text","text":"ok: 42"}]'),
        (
            "/content",
            "contains",
            {"type": "text", "text": "ok"},
            '/content: expected contains {"type":"text","text":"ok"}, got [{"type":"text","text":"ok: 42"}]',
        ),
        ("/empty", "contains", None, "/empty: expected contains null, got []"),
        ("/n", "contains", 1, "/n: expected contains 1, got 1.5"),
        ("/content/0/text", "matches", "^4", '/content/0/text: expected matches "^4", got "ok: 42"'),
        ("/n", "matches", "1", '/n: expected matches "1", got 1.5'),
        ("/none", "exists", False, "/none: expected exists false, got null"),
        ("/empty", "length", 1, "/empty: expected length 1, got length 0"),
        ("/n", "length", 1, "/n: expected length 1, got 1.5"),
        ("/n", "lessThan", 1.5, "/n: expected lessThan 1.5, got 1.5"),
        ("/isError", "lessThan", 1, "/isError: expected lessThan 1, got false"),
        ("/n", "greaterThan", 1.5, "/n: expected greaterThan 1.5, got 1.5"),
        ("/content", "greaterThan", 0, '/content: expected greaterThan 0, got [{"type":"text","text":"ok: 42"}]'),
        ("/n", "type", "integer", '/n: expected type "integer", got 1.5'),
        ("/isError", "type", "integer", '/isError: expected type "integer", got false'),
        ("/none", "type", "object", '/none: expected type "object", got null'),
        ("/nothing", "equals", None, "/nothing: not found (expected null)" + HAS),
        ("/nothing", "exists", True, "/nothing: not found (expected exists true)" + HAS),
        ("/nothing", "length", 0, "/nothing: not found (expected length 0)" + HAS),
        ("/content/00", "matches", "a", '/content/00: not found (expected matches "a")' + ONE),
        ("/*/", "equals", 1, "/*/: not found (expected 1)" + USE.format("the result") + ' {"":1}'),
        ("/*", "length", 1, "/*: not found (expected length 1)" + USE.format("the result")),
        ("/content/*", "equals", 1, "/content/*: not found (expected 1)" + any_element("/content", "contains", "1")),
        ("/content/*/type", "equals", "a", '/content/*/type: not found (expected "a")' + WILDCARD_TYPE),
        ("/c/*/a", "length", 1, "/c/*/a: not found (expected length 1)" + USE.format("/c")),
        ("/c/*/a", "contains", 1, "/c/*/a: not found (expected contains 1)" + any_element("/c", "contains", '{"a":1}')),
        ("/content/*x", "equals", 1, "/content/*x: not found (expected 1)" + ONE),
        ("/content[*]/type", "equals", "a", '/content[*]/type: not found (expected "a")' + WILDCARD_TYPE),
        ("/content[0]/text", "equals", 1, "/content[0]/text: not found (expected 1); did you mean /content/0/text?"),
        ("/content.0.text", "equals", 1, "/content.0.text: not found (expected 1); did you mean /content/0/text?"),
        ("/content[1]/text", "equals", 1, "/content[1]/text: not found (expected 1)" + ONE),
        ("/content/length", "equals", 2, "/content/length: not found (expected 2)" + LENGTH.format(" 2")),
        ("/content/size", "type", "null", '/content/size: not found (expected type "null")' + LENGTH.format("")),
        ("/n/length", "equals", 2, "/n/length: not found (expected 2); /n is a number"),
        ("/length", "equals", 2, "/length: not found (expected 2)" + HAS),
        ("", "type", "array", f'the result: expected type "array", got {dump(RESULT)}'),
    ],
)
def test_unmet_expectation_reports_expected_and_actual_value(
    pointer: str, operator: str, wanted: Json, message: str
) -> None:
    assert verdicts(Expectation(pointer, operator, wanted)) == (message,)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        ([1, {"a": 2.0}], [1.0, {"a": 2}], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (0, False, False),
        (1, True, False),
        ([True], [1], False),
        (None, False, False),
        ("1", 1, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ([], {}, False),
        ({"a": 1}, {"a": 1, "b": 1}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": {"b": [1]}}, {"a": {"b": [2]}}, False),
    ],
)
def test_values_are_compared_by_json_equality(left: Json, right: Json, same: bool) -> None:  # noqa: FBT001 - a case
    assert (verdicts(Expectation("/x", "equals", right), {"x": left}) == ()) is same
    assert (verdicts(Expectation("/x", "contains", right), {"x": [None, left]}) == ()) is same
    assert (verdicts(Expectation("/x", "contains", {"y": right}), {"x": {"y": left}}) == ()) is same


@given(TEXTS)
def test_value_equals_itself_in_any_json_spelling(text: str) -> None:
    value = exact(text).value

    assert verdicts(Expectation("/x", "equals", exact(dump(value)).value), {"x": value}) == ()


@pytest.mark.parametrize(
    ("value", "is_integer"),
    [
        (0, True),
        (-7, True),
        (2.0, True),
        (1.5, False),
        (float("inf"), False),
        (10**400, True),
        (True, False),
        ("1", False),
        ([], False),
    ],
)
def test_number_without_a_fraction_is_an_integer(value: Json, is_integer: bool) -> None:  # noqa: FBT001 - a case
    assert (verdicts(Expectation("/x", "type", "integer"), {"x": value}) == ()) is is_integer


@pytest.mark.parametrize(
    ("pointer", "wanted", "value", "message"),
    [
        ("/x", {"matchs": "^a"}, "abc", "; 'matchs' is not an operator (did you mean matches?)"),
        ("/x", {"type": "string", "lenght": 3}, "abc", "; 'lenght' is not an operator (did you mean length?)"),
        ("/x:equal", 1, 1, "; 'equal' is not an operator (did you mean equals?)"),
        ("/x:gte", 1, 1, '; \'gte\' is not an operator; use {"schema": {"minimum": 1}}'),
        ("/x", {"colour": "red"}, "abc", ""),
        ("/x", {"matchs": "^a"}, {"matchs": "^b"}, ""),
        ("/a:b", 1, 1, "; the result has x"),
    ],
)
def test_misspelled_operator_is_suggested_for_an_unequal_value(
    pointer: str, wanted: Json, value: Json, message: str
) -> None:
    (found,) = verdicts(Expectation(pointer, "equals", wanted), {"x": value})

    head, semicolon, slip = found.partition(";")
    assert (head.startswith(f"{pointer}: "), semicolon + slip) == (True, message)


def test_long_value_is_truncated_in_the_message() -> None:
    (message,) = verdicts(Expectation("/x", "equals", 1), {"x": "y" * 1000})

    assert message == f'/x: expected 1, got "{"y" * 299}… (1002 characters)'


DEEP_VALUE = exact(nested(DEEP, "1")).value


@pytest.mark.parametrize("operator", OPERATORS)
def test_deeply_nested_values_can_be_compared(operator: str) -> None:
    message = verdicts(Expectation("/x", operator, DEEP_VALUE), {"x": DEEP_VALUE})

    assert (message == ()) is (operator in {"equals", "schema"})


@given(
    pointer=st.lists(st.sampled_from(["", "/", "a", "0", "~1", "~", "/a", "/0"]), max_size=3).map("".join),
    wanted=VALUES | st.dictionaries(st.sampled_from(OPERATORS), VALUES | PIECES, max_size=2),
    value=VALUES | TEXTS.map(lambda text: exact(text).value),
)
@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
def test_no_expectation_raises_for_any_json(pointer: str, wanted: Json, value: Json) -> None:
    match parse(pointer, wanted):
        case Success(expectations):
            match substitute_variables(expectations, {"a": exact("1")}):
                case Success(known):
                    assert all(len(verdicts(one, {"": value, "a": value})) <= 1 for one in known)
                case Failure(fault):
                    assert isinstance(fault, Invalid)
        case Failure(fault):
            assert isinstance(fault, Invalid)


# With variables.


@pytest.mark.parametrize(
    ("wanted", "values", "becomes"),
    [
        ("${n}", {"n": exact("5")}, 5),
        ("n is ${n}", {"n": exact("1.50")}, "n is 1.50"),
        ({"a": ["${s}"]}, {"s": exact('"x"')}, {"a": ["x"]}),
        ("none", {"n": exact("5")}, "none"),
    ],
)
def test_variables_are_substituted_in_expected_values(wanted: Json, values: Mapping[str, Exact], becomes: Json) -> None:
    before = (Expectation("/a", "equals", wanted), Expectation("/b", "exists", expected=True))

    expected = (Expectation("/a", "equals", becomes), Expectation("/b", "exists", expected=True))
    assert substitute_variables(before, values) == Success(expected)


def test_substituted_variable_keeps_its_type_if_the_operator_needs_it() -> None:
    before = (Expectation("/a", "length", "${n}"), Expectation("/a", "matches", "^${n}$"))

    expected = (Expectation("/a", "length", 5), Expectation("/a", "matches", "^5$"))
    assert substitute_variables(before, {"n": exact("5")}) == Success(expected)


@pytest.mark.parametrize(
    ("expectation", "problem"),
    [
        (Expectation("/a", "length", "${v}"), '/a: length must be a number, found "(x"'),
        (Expectation("", "type", "${v}"), f'the result: type must be one of {", ".join(TYPES)}, found "(x"'),
        (
            Expectation("/a", "matches", "${v}"),
            "/a: the pattern '(x' cannot be used: unterminated group at position 0, found \"(x\"",
        ),
    ],
)
def test_variable_of_the_wrong_type_for_the_operator_is_rejected(expectation: Expectation, problem: str) -> None:
    assert substitute_variables((expectation,), {"v": exact('"(x"')}) == invalid_value(problem)
