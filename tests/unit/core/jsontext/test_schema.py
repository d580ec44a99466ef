"""JSON schemas are resolved across $ref, allOf, anyOf and oneOf."""

import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import DEEP, VALUES, exact, nested
from mcpi.core.jsontext.schema import Outline, alternatives, has_constraints, outline, resolve, types
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object


def found(schema: Json, root: Json = None) -> list[JsonObject]:
    """All alternatives of a schema."""
    return list(alternatives(schema, schema if root is None else root))


def test_schema_without_references_is_returned_unchanged() -> None:
    assert resolve({"type": "integer"}, {}) == {"type": "integer"}


@pytest.mark.parametrize("schema", [None, True, 5, "x", []], ids=str)
def test_schema_that_is_not_an_object_allows_anything(schema: Json) -> None:
    assert resolve(schema, {}) == {}


@pytest.mark.parametrize(
    ("reference", "resolved"),
    [
        ("#/$defs/a", {"type": "integer"}),
        ("#/$defs/b", {"type": "integer"}),
        ("#/$defs/with~1slash", {"type": "null"}),
        ("#/$defs/with%20space", {"type": "array"}),
        ("#/$defs/list/1", {"type": "boolean"}),
    ],
)
def test_reference_within_the_document_is_resolved(reference: str, resolved: JsonObject) -> None:
    root: JsonObject = {
        "$defs": {
            "a": {"type": "integer"},
            "b": {"$ref": "#/$defs/a"},
            "with/slash": {"type": "null"},
            "with space": {"type": "array"},
            "list": [{}, {"type": "boolean"}],
        }
    }

    assert resolve({"$ref": reference}, root) == resolved


@pytest.mark.parametrize(
    "reference", ["https://example.com/a.json", "#/$defs/none", "#/$defs/list/9", "#anchor", "a", "", 5], ids=str
)
def test_unresolvable_reference_allows_anything(reference: Json) -> None:
    assert resolve({"$ref": reference}, {"type": "integer", "$defs": {"list": []}}) == {}


def test_keywords_beside_a_reference_take_precedence() -> None:
    assert resolve(
        {"$ref": "#/$defs/a", "description": "mine"}, {"$defs": {"a": {"type": "string", "description": "its own"}}}
    ) == {"type": "string", "description": "mine"}


def test_keywords_beside_an_unresolvable_reference_are_kept() -> None:
    assert resolve({"$ref": "#/none", "type": "string"}, {}) == {"type": "string"}


def test_reference_to_the_document_root_is_resolved() -> None:
    assert resolve({"$ref": "#"}, {"type": "object"}) == {"type": "object"}


def test_a_reference_to_itself_allows_anything() -> None:
    assert resolve({"$ref": "#/a"}, {"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}}) == {}


def test_very_long_reference_chain_is_abandoned() -> None:
    root: JsonObject = {f"{number}": {"$ref": f"#/{number + 1}"} for number in range(5000)}

    assert resolve({"$ref": "#/0"}, root) == {}


def test_all_of_subschemas_are_merged() -> None:
    assert resolve(
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
                {"$ref": "#/$defs/more"},
                {"allOf": [{"properties": {"c": {}}}]},
            ],
            "description": "all",
        },
        {"$defs": {"more": {"properties": {"b": {}}, "required": ["b"], "description": "more"}}},
    ) == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {}, "c": {}},
        "required": ["a", "b"],
        "description": "all",
    }


def test_property_in_two_all_of_subschemas_must_match_both() -> None:
    schema: JsonObject = {
        "allOf": [{"properties": {"n": {"minimum": 1}}}, {"properties": {"n": {"type": "integer"}}}],
    }

    assert resolve(outline(schema).properties["n"], schema) == {"minimum": 1, "type": "integer"}


def test_without_a_choice_there_is_one_alternative() -> None:
    assert found({"type": "integer"}) == [{"type": "integer"}]


@pytest.mark.parametrize("choice", ["anyOf", "oneOf"])
def test_alternatives_keep_schema_order(choice: str) -> None:
    assert found({choice: [{"type": "null"}, {"type": "integer"}]}) == [{"type": "null"}, {"type": "integer"}]


@pytest.mark.parametrize("choice", ["anyOf", "oneOf"])
@pytest.mark.parametrize("branches", [[], None, 5, {}], ids=str)
def test_empty_or_invalid_choice_is_ignored(choice: str, branches: Json) -> None:
    assert found({choice: branches, "type": "null"}) == [{choice: branches, "type": "null"}]


def test_keywords_beside_a_choice_apply_to_each_alternative() -> None:
    assert found({"title": "t", "type": "number", "anyOf": [{"type": "integer"}, {"minimum": 5}]}) == [
        {"title": "t", "type": "integer"},
        {"title": "t", "type": "number", "minimum": 5},
    ]


def test_nested_choices_are_flattened() -> None:
    schema: JsonObject = {"anyOf": [{"oneOf": [{"const": 1}, {"$ref": "#/$defs/two"}]}, {"const": 3}]}

    assert found(schema, {"$defs": {"two": {"anyOf": [{"const": 2}]}}}) == [{"const": 1}, {"const": 2}, {"const": 3}]


def test_any_of_and_one_of_are_combined() -> None:
    assert found({"anyOf": [{"a": 1}, {"a": 2}], "oneOf": [{"b": 3}, {"b": 4}]}) == [
        {"a": 1, "b": 3},
        {"a": 1, "b": 4},
        {"a": 2, "b": 3},
        {"a": 2, "b": 4},
    ]


def test_choice_inside_all_of_is_expanded() -> None:
    assert found({"allOf": [{"anyOf": [{"type": "integer"}, {"type": "null"}]}], "title": "t"}) == [
        {"title": "t", "type": "integer"},
        {"title": "t", "type": "null"},
    ]


def test_branch_that_is_not_an_object_allows_anything() -> None:
    assert found({"anyOf": [True, {"type": "null"}]}) == [{}, {"type": "null"}]


def test_recursive_choice_terminates() -> None:
    schema: JsonObject = {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}

    assert (len(found(schema)), outline(schema).required, outline(schema).properties, outline(schema).closed) == (
        1000,
        [],
        {},
        False,
    )


NAMES: JsonObject = {f"p{number}": {"type": "string"} for number in range(1000)}


def test_large_recursive_choice_terminates_sooner() -> None:
    schema: JsonObject = {"properties": NAMES, "anyOf": [{"$ref": "#"}, {"$ref": "#"}]}

    assert len(found(schema)) < 50
    assert outline(schema) == Outline(NAMES, {}, [], closed=False, says_nothing=True)


def test_required_names_count_towards_the_size_limit() -> None:
    schema: JsonObject = {"required": [*NAMES], "anyOf": [{"$ref": "#"}, {"$ref": "#"}]}

    assert len(found(schema)) < 50
    assert outline(schema).required == [*NAMES]


def test_merging_large_all_of_subschemas_is_limited() -> None:
    parts: list[Json] = [{"properties": {**NAMES}} for _ in range(200)]

    assert list(as_object(resolve({"allOf": parts}, {})["properties"])) == list(NAMES)
    assert "last" not in resolve({"allOf": [*parts, {"last": 1}]}, {})


def test_comparison_of_long_properties_is_limited() -> None:
    long: list[JsonObject] = [{"properties": {"a": {"default": "x" * 3_000_000}}} for _ in range(3)]

    assert len(as_list(as_object(outline({"anyOf": [*long]}).properties["a"])["anyOf"])) == 2


def test_exponentially_growing_choices_terminate() -> None:
    doubled: JsonObject = {
        f"{number}": {"anyOf": [{"$ref": f"#/{number + 1}"}, {"$ref": f"#/{number + 1}"}]} for number in range(39)
    }

    assert found({"$ref": "#/0"}, {**doubled, "39": {"type": "null"}}) == [{"type": "null"}] * 1000


def test_exponentially_growing_all_of_terminates() -> None:
    doubled: JsonObject = {
        f"{number}": {"allOf": [{"$ref": f"#/{number + 1}"}, {"$ref": f"#/{number + 1}"}]} for number in range(19)
    }

    assert resolve({"$ref": "#/0"}, {**doubled, "19": {"type": "null"}}) == {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        ({"type": "integer"}, ["integer"]),
        ({"type": ["null", "integer"]}, ["null", "integer"]),
        ({"type": ["null", 5]}, ["null"]),
        ({"type": 5}, []),
        ({}, []),
    ],
    ids=str,
)
def test_types_keep_schema_order(schema: JsonObject, named: list[str]) -> None:
    assert types(schema) == named


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        (None, {}),
        ({}, {}),
        ({"properties": 5}, {}),
        ({"properties": {"a": {"type": "null"}}}, {"a": {"type": "null"}}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"a": {}}}}}, {"a": {}}),
        ({"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}, {"a": {}, "b": {}}),
        ({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"properties": {"b": {}}}]}, {"a": {}, "b": {}}),
        (
            {"properties": {"n": {"type": "integer"}}, "anyOf": [{"properties": {"b": {}}}, {"properties": {"c": {}}}]},
            {"n": {"type": "integer"}, "b": {}, "c": {}},
        ),
        (
            {"oneOf": [{"properties": {"kind": {"const": "a"}}}, {"properties": {"kind": {"const": "b"}}}]},
            {"kind": {"anyOf": [{"const": "a"}, {"const": "b"}]}},
        ),
    ],
    ids=json.dumps,
)
def test_properties_of_all_alternatives_are_collected(schema: Json, named: JsonObject) -> None:
    assert outline(schema).properties == named


def test_properties_that_differ_deep_down_are_kept_apart() -> None:
    deep: list[JsonObject] = [{"default": exact(nested(DEEP, core)).value} for core in "112"]
    found = outline({"anyOf": [{"properties": {"a": one}} for one in deep]}).properties

    assert len(as_list(as_object(found["a"])["anyOf"])) == 2


def test_properties_equal_only_in_python_are_kept_apart() -> None:
    ones: list[Json] = [{"properties": {"a": {"const": one}}} for one in (1, True)]

    assert outline({"anyOf": ones}).properties == {"a": {"anyOf": [{"const": 1}, {"const": True}]}}


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        (None, []),
        ({"required": 5}, []),
        ({"required": ["a", 5, "b"]}, ["a", "b"]),
        ({"required": ["a", "a"]}, ["a"]),
        ({"anyOf": [{"required": ["a", "b"]}, {"required": ["b", "c"]}]}, ["b"]),
        ({"anyOf": [{"required": ["a"]}, {}]}, []),
        ({"required": ["a"], "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}, ["a"]),
        ({"required": ["a"], "allOf": [{"required": ["b", "a"]}]}, ["a", "b"]),
    ],
    ids=json.dumps,
)
def test_properties_required_by_every_alternative_are_required(schema: Json, names: list[str]) -> None:
    assert outline(schema).required == names


@pytest.mark.parametrize(
    ("schema", "is_closed"),
    [
        (None, False),
        ({}, False),
        ({"additionalProperties": False}, True),
        ({"additionalProperties": True}, False),
        ({"additionalProperties": {}}, False),
        ({"additionalProperties": False, "patternProperties": {"^x-": {}}}, False),
        ({"additionalProperties": False, "patternProperties": {}}, True),
        ({"anyOf": [{"additionalProperties": False}, {}]}, False),
        ({"anyOf": [{"additionalProperties": False}, {"additionalProperties": False}]}, True),
        ({"allOf": [{"additionalProperties": False}]}, True),
    ],
    ids=json.dumps,
)
def test_a_schema_is_closed_where_every_alternative_is(schema: Json, *, is_closed: bool) -> None:
    assert outline(schema).closed == is_closed


@pytest.mark.parametrize(
    ("schema", "says_nothing"),
    [
        ({"properties": NAMES}, True),
        ({"anyOf": [{"properties": NAMES}, {"required": ["a"]}]}, True),
        ({"additionalProperties": True}, False),
        ({"additionalProperties": {"type": "string"}}, False),
        ({"patternProperties": {"^x-": {}}}, False),
        ({"anyOf": [{}, {"unevaluatedProperties": False}]}, False),
        ({"if": {}, "then": {"properties": {"a": {}}}}, False),
    ],
)
def test_schema_says_nothing_about_properties_that_no_keyword_covers(schema: Json, *, says_nothing: bool) -> None:
    assert outline(schema).says_nothing == says_nothing


@pytest.mark.parametrize(
    ("schema", "additional"),
    [
        (None, {}),
        ({}, {}),
        ({"additionalProperties": True}, {}),
        ({"additionalProperties": {"type": "integer"}}, {"type": "integer"}),
        ({"additionalProperties": {"type": "integer"}, "patternProperties": {"^x": {}}}, {}),
        ({"anyOf": [{}, {"additionalProperties": {"type": "null"}}]}, {"type": "null"}),
    ],
    ids=json.dumps,
)
def test_additional_properties_have_a_schema(schema: Json, additional: Json) -> None:
    assert outline(schema).additional == additional


WORDS = st.sampled_from(["$ref", "allOf", "anyOf", "oneOf", "properties", "required", "additionalProperties", "type"])
REFERENCES = st.sampled_from(["#", "#/allOf/0", "#/anyOf/0", "#/properties/a", "#/%zz", "integer"])
SCHEMAS: st.SearchStrategy[Json] = st.recursive(
    VALUES | REFERENCES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.just("a"), inner, max_size=4),
    max_leaves=20,
)


@given(SCHEMAS)
def test_reading_any_schema_never_raises(schema: Json) -> None:
    some = list(islice(alternatives(schema, schema), 5))

    assert some
    assert [one for one in some if "$ref" in one or "allOf" in one] == []
    assert isinstance(types(some[0]), list)
    assert all(isinstance(name, str) for name in (*outline(schema).required, *outline(schema).properties))
    assert not (outline(schema).closed and outline(schema).additional)


def test_too_deeply_nested_schema_counts_as_constrained() -> None:
    schema: Json = {"type": "string"}
    for _ in range(2000):
        schema = {"anyOf": [schema]}

    assert has_constraints(schema)


@pytest.mark.parametrize(
    ("schema", "ruled"),
    [
        (None, False),
        ({"type": "string", "description": "x", "format": "date"}, False),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}, False),
        ({"type": "integer", "minimum": 1}, True),
        ({"oneOf": [{"type": "null"}, {"type": "string", "pattern": "a"}]}, True),
        ({"$ref": "#/$defs/x"}, True),
    ],
    ids=str,
)
def test_constraints_are_keywords_other_than_types(schema: Json, *, ruled: bool) -> None:
    assert has_constraints(schema) == ruled
