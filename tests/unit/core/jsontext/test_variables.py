"""${name} is substituted anywhere in a script; the value keeps its type and spelling."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, TEXTS, VALUES, exact, nested
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.variables import NAME_PATTERN, exact_text, substitute, variables_in

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)
SPELLED = Exact("1.50", 1.5)
WORD = exact_text("Oslo")


def filled(text: str, **values: Exact) -> str:
    return substitute(exact(text), values).text


# Positions.


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("${a}", {"a"}),
        ("from ${a} to ${b_2}", {"a", "b_2"}),
        (["${a}", ["${b}"]], {"a", "b"}),
        ({"x": "${a}", "y": {"z": "${b}"}}, {"a", "b"}),
        ({"${a}": 1}, {"a"}),
        ("${_}", {"_"}),
        ("$a ${} ${1} ${a-b} ${a $ {a} {a}", set()),
        (5, set()),
        (None, set()),
        (True, set()),
    ],
)
def test_variables_are_found_in_strings_and_member_names(value: Json, names: set[str]) -> None:
    assert set(variables_in(value)) == names


@given(VALUES)
def test_search_for_variables_accepts_any_value(value: Json) -> None:
    assert all(NAME_PATTERN.fullmatch(name) for name in variables_in(value))


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("a", True),
        ("_", True),
        ("A1_b", True),
        ("1a", False),
        ("", False),
        ("a-b", False),
        ("é", False),
        ("a\n", False),
    ],
)
def test_variable_name_is_an_ascii_identifier(name: str, fits: bool) -> None:  # noqa: FBT001 - a case
    assert (NAME_PATTERN.fullmatch(name) is not None) is fits


# Values.


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ('"${n}"', "1.50"),
        ('"${s}"', '"Oslo"'),
        ('"${o}"', '{ "b":2,"a":1 }'),
        ('"${n} km"', '"1.50 km"'),
        ('" ${n}"', '" 1.50"'),
        ('"${n}\\n"', '"1.50\\n"'),
        ('"to ${s}, ${s}"', '"to Oslo, Oslo"'),
        ('"${o}!"', '"{ \\"b\\":2,\\"a\\":1 }!"'),
        ('["${n}", "${s}", 2.0]', '[1.50, "Oslo", 2.0]'),
        ('{"a": "${n}", "b": {"c": ["${s}"]}}', '{"a": 1.50, "b": {"c": ["Oslo"]}}'),
        ('{"${s}": "${n}", "${n}" : 1}', '{"Oslo": 1.50, "1.50" : 1}'),
        ('"\\u0024{n}"', "1.50"),
    ],
)
def test_variable_is_replaced_and_surrounding_text_is_kept(text: str, becomes: str) -> None:
    values = {"n": SPELLED, "s": WORD, "o": Exact('{ "b":2,"a":1 }', {"b": 2, "a": 1})}

    assert substitute(exact(text), values) == exact(becomes)
    assert filled(text, **values) == becomes


def test_value_without_variables_keeps_its_spelling() -> None:
    text = '{ "a" :1.50,"b":"\\u0041", "c": "${"}'

    assert substitute(exact(text), {"a": SPELLED}) == exact(text)


def test_strings_beside_a_variable_keep_their_spelling() -> None:
    assert filled('["\\u0041\\/", "${n}", 1e2]', n=SPELLED) == '["\\u0041\\/", 1.50, 1e2]'


def test_undefined_variable_is_left_in_place() -> None:
    assert filled('["${a}", "${n}", "${a} ${n}"]', n=SPELLED) == '["${a}", 1.50, "${a} 1.50"]'


def test_unused_duplicate_member_with_a_variable_is_harmless() -> None:
    found = substitute(exact('{"a": "${gone}", "a": "${n}"}'), {"n": SPELLED})

    assert found.value == {"a": 1.5}


def test_substituted_value_is_not_expanded_again() -> None:
    assert filled('["${a}", "${a}!"]', a=exact_text("${b}"), b=SPELLED) == '["${b}", "${b}!"]'


def test_variable_in_a_deeply_nested_value_is_replaced() -> None:
    found = substitute(exact(nested(DEEP, '"${n}"')), {"n": SPELLED})

    assert found.text == nested(DEEP, "1.50")


@given(NAMES, TEXTS)
def test_string_that_is_only_a_variable_keeps_value_type_and_spelling(name: str, text: str) -> None:
    value = exact(text)

    assert substitute(exact_text(f"${{{name}}}"), {name: value}) == value
    inside = substitute(exact(json.dumps({"x": [f"${{{name}}}"]})), {name: value})
    assert inside.members()["x"].elements() == [value]


@given(TEXTS, st.dictionaries(NAMES, TEXTS.map(exact), max_size=2))
def test_substitution_never_raises(text: str, values: Mapping[str, Exact]) -> None:
    before = exact(text)

    assert substitute(before, values) == before or any(variables_in(before.value))


@given(st.text(st.characters(exclude_categories=()), max_size=8))
def test_exact_text_makes_a_json_string(text: str) -> None:
    assert exact_text(text).value == text
    assert json.loads(exact_text(text).text) == text
    exact_text(text).text.encode()
