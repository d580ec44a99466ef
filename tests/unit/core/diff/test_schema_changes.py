"""Schema changes: rule, class and pointer of each recorded change; equivalent schemas differ only cosmetically."""

from typing import Any

import pytest

from mcpi.core.diff.change_rules import Change
from mcpi.core.diff.values.witnesses import search
from support.changes import CASES, schema_change, summarized

SIDES = {"input": "inputSchema", "output": "outputSchema"}


@pytest.mark.parametrize(
    ("side", "case"), [(side, case) for side in SIDES for case in CASES[side]], ids=lambda one: str(one)[:60]
)
def test_single_change_has_its_rule_class_and_pointer(side: str, case: dict[str, Any]) -> None:
    found = schema_change(case["old"], case["new"], SIDES[side])

    assert summarized(found) == [(case["rule"], case["class"], f"/{SIDES[side]}{case['pointer']}")]


@pytest.mark.parametrize("member", SIDES.values())
@pytest.mark.parametrize("case", CASES["rewritten"], ids=lambda one: str(one["name"]))
def test_equivalent_schemas_have_only_cosmetic_changes(case: dict[str, Any], member: str) -> None:
    found = (*schema_change(case["old"], case["new"], member), *schema_change(case["new"], case["old"], member))

    assert {one.change_class for one in found} <= {"cosmetic"}


TEXT = {"type": "string"}
SHAPES = [{"properties": {"a": TEXT}}, {"properties": {"b": TEXT}}]
TREE: Any = {"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"left": {"$ref": "#/$defs/t"}, "name": TEXT}}}}


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        ({"patternProperties": {"^x": TEXT}}, {"patternProperties": {"^x": {"type": "null"}}}, ["type-changed"]),
        ({"patternProperties": {"^x": TEXT}}, {}, ["pattern-property-removed"]),
        ({"$ref": "a.json"}, {"$ref": "b.json"}, ["reference-changed"]),
        ({"$ref": "a.json"}, {}, ["condition-removed"]),
        ({"if": {"const": 1}}, {"if": {"const": 2}}, ["condition-changed"]),
        ({"not": {"$ref": "#/a"}, "a": TEXT}, {"not": {"$ref": "#/b"}, "b": TEXT}, ["schema-rewritten"]),
        ({"anyOf": SHAPES}, {"oneOf": SHAPES}, ["condition-narrowed"]),
        ({"oneOf": SHAPES}, {"anyOf": SHAPES}, ["condition-widened"]),
        (SHAPES[0], {"oneOf": SHAPES}, ["alternative-added", "condition-added"]),
        ({"oneOf": SHAPES}, SHAPES[0], ["alternative-removed", "condition-removed"]),
        ({"minProperties": 1}, {"minProperties": 1, "anyOf": SHAPES}, ["condition-added"]),
        ({"minProperties": 1, "anyOf": SHAPES}, {"minProperties": 1}, ["condition-removed"]),
        (
            TREE,
            {**TREE, "$defs": {"t": {"properties": {**TREE["$defs"]["t"]["properties"], "name": {}}}}},
            ["type-widened"],
        ),
        ({}, TREE, ["property-added"] * 2),
        ({"items": [TEXT], "additionalItems": False}, {"items": [TEXT, {"type": "null"}]}, ["type-widened"] * 2),
        ({"anyOf": [{"title": "A", "const": 1}]}, {"anyOf": [{"title": "B", "const": 1}]}, ["title-changed"]),
        (
            {"oneOf": [{"title": "A", "const": 1}, {"const": 2}]},
            {"oneOf": [{"title": "B", "const": 1}, {"const": 2}]},
            ["description-changed"],
        ),
        ({"properties": {"a": {"anyOf": [TEXT]}}, "x-a": [1]}, {"properties": {"a": TEXT}}, ["schema-rewritten"]),
        ({"required": ["q"]}, {}, ["required-removed"]),
        ({}, {"required": ["q"]}, ["required-added"]),
        ({"const": 1}, {"const": 1.0}, []),
    ],
)
def test_rare_changes_are_reported_under_their_rules(old: Any, new: Any, rules: list[str]) -> None:
    assert [one.rule for one in schema_change(old, new)] == rules


def test_new_output_property_is_compared_with_additional_properties() -> None:
    old: Any = {"properties": {}, "additionalProperties": TEXT}
    found = schema_change(old, {**old, "properties": {"a": {"type": ["string", "null"]}}}, "outputSchema")

    assert summarized(found) == [("type-widened", "breaking", "/outputSchema/properties/a/type")]


def test_change_in_a_shared_definition_is_reported_once() -> None:
    def used_twice(limit: int) -> Any:
        ref = {"$ref": "#/$defs/n"}
        return {"properties": {"a": ref, "b": ref}, "$defs": {"n": {"type": "string", "maxLength": limit}}}

    assert summarized(schema_change(used_twice(5), used_twice(3))) == [
        ("max-length-lowered", "breaking", "/inputSchema/$defs/n/maxLength")
    ]


STRINGS: list[Any] = [{"type": "string", "maxLength": 3}, {"type": "string", "minLength": 5}]
LONGER: Any = {"type": "string", "maxLength": 6}


@pytest.mark.parametrize(
    ("old", "new", "classes"),
    [
        # A short text matches the new alternative too.
        (STRINGS, [*STRINGS, {"type": "string", "pattern": "a"}], {"alternatives-overlap": "breaking"}),
        (STRINGS, [*STRINGS, {"type": "string", "minLength": 4, "maxLength": 4}], {}),
        (STRINGS, [LONGER, STRINGS[1]], {"alternatives-overlap": "breaking"}),
        ([LONGER, STRINGS[1]], [{**LONGER, "title": "T"}, STRINGS[1]], {}),
        ([LONGER, *STRINGS], [LONGER, STRINGS[0]], {"alternative-removed": "breaking"}),
    ],
)
def test_new_overlap_of_oneof_alternatives_is_breaking_in_an_input(old: Any, new: Any, classes: Any) -> None:
    changes = schema_change({"properties": {"a": {"oneOf": old}}}, {"properties": {"a": {"oneOf": new}}})

    assert {one.rule: one.change_class for one in changes if one.change_class == "breaking"} == classes
    assert [one.rule for one in changes if one.rule == "alternatives-overlap" and not found(one)] == []


def test_removed_overlap_of_oneof_alternatives_is_breaking_in_an_output() -> None:
    old: Any = {"properties": {"a": {"oneOf": [LONGER, STRINGS[1]]}}}
    new: Any = {"properties": {"a": {"oneOf": STRINGS}}}
    changes = schema_change(old, new, "outputSchema")

    assert [(one.rule, one.change_class) for one in changes] == [
        ("max-length-lowered", "additive"),
        ("alternatives-overlap", "breaking"),
    ]
    assert [found(one) for one in changes] == [False, True]


def found(change: Change) -> bool:
    searched = search(change)
    return searched is not None and searched.is_found


def test_enum_added_with_a_type_change_is_reported() -> None:
    changes = schema_change({"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"enum": ["x", 1]}}})

    assert [(one.rule, one.change_class) for one in changes] == [
        ("type-widened", "additive"),
        ("enum-added", "breaking"),
    ]


NULL: Any = {"type": "null"}


@pytest.mark.parametrize(
    ("old", "new", "pointer", "values"),
    [
        (
            {"anyOf": [{"enum": ["food", "tool", "toy"]}, NULL]},
            {"anyOf": [{"enum": ["food", "tool", "toys"]}, NULL]},
            "/anyOf/0/enum",
            (["food", "tool", "toy"], ["food", "tool", "toys"]),
        ),
        ({"enum": ["a", "b", 1, None]}, {"enum": ["b", 2, None]}, "/enum", (["a", "b", 1, None], ["b", 2, None])),
        ({"enum": ["a"]}, {"const": "b"}, "/const", (["a"], "b")),
        ({"const": "a"}, {"enum": ["a", "b"]}, "/enum", ("a", ["a", "b"])),
        ({}, {"enum": ["a", 1, None]}, "/enum", (None, ["a", 1, None])),
        # An alternative was added next to the enum.
        (
            {"enum": ["a"]},
            {"anyOf": [{"enum": ["a"]}, NULL]},
            "",
            ({"enum": ["a"]}, {"anyOf": [{"enum": ["a"]}, NULL]}),
        ),
        # The values are those of several alternatives.
        (
            {"anyOf": [{"const": "a"}, {"const": "b"}]},
            {"anyOf": [{"const": "b"}, {"const": "c"}]},
            "/anyOf",
            ([{"const": "a"}, {"const": "b"}], [{"const": "b"}, {"const": "c"}]),
        ),
        (
            {"anyOf": [{"const": "a"}, {"const": 1}]},
            {"anyOf": [{"const": "a"}, {"const": 2}]},
            "",
            ({"anyOf": [{"const": "a"}, {"const": 1}]}, {"anyOf": [{"const": "a"}, {"const": 2}]}),
        ),
        # Only the values that both lists have are valid.
        (
            {"allOf": [{"enum": ["a", "b"]}], "enum": ["a", "b", "c"]},
            {"allOf": [{"enum": ["a"]}], "enum": ["a", "b", "c"]},
            "",
            (
                {"allOf": [{"enum": ["a", "b"]}], "enum": ["a", "b", "c"]},
                {"allOf": [{"enum": ["a"]}], "enum": ["a", "b", "c"]},
            ),
        ),
        ({"type": ["null", "string"]}, {"type": "string"}, "/type", (["null", "string"], "string")),
        (
            {"type": "integer", "exclusiveMinimum": 1},
            {"type": "integer", "exclusiveMinimum": 2},
            "/exclusiveMinimum",
            (1, 2),
        ),
    ],
)
def test_old_and_new_are_the_values_at_the_pointer(old: Any, new: Any, pointer: str, values: Any) -> None:
    found = schema_change({"properties": {"a%2f": old}}, {"properties": {"a%2f": new}})

    assert {(one.pointer, str((one.old, one.new))) for one in found} == {
        (f"/inputSchema/properties/a%2f{pointer}", str(values))
    }
