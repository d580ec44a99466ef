"""Convert a JSON schema to a normal form: the constraints for each type of value."""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from attrs import evolve

from mcpi.core.diff.schema_node import (
    KINDS,
    Asked,
    Node,
    SchemaRoot,
    Value,
    drop_idle_enum,
    is_whole,
    merge_alternatives,
    merge_both,
    token,
)
from mcpi.core.diff.value_set import ValueSet
from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, json_equal, type_name

KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "null": (),
    "boolean": (),
    "number": ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "format"),
    "string": ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"),
    "array": (
        *("items", "prefixItems", "additionalItems", "unevaluatedItems", "minItems", "maxItems", "uniqueItems"),
        *("contains", "minContains", "maxContains"),
    ),
    "object": (
        *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
        *("minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies"),
        "unevaluatedProperties",
    ),
}
NOTES = ("title", "description", "default", "examples", "deprecated")
_IDLE: Mapping[str, tuple[Json, ...]] = {
    **dict.fromkeys(("minLength", "minItems", "minProperties"), (0,)),
    **dict.fromkeys(("additionalProperties", "items", "unevaluatedProperties", "unevaluatedItems"), (True, {})),
    "propertyNames": (True, {}, {"type": "string"}),
    "patternProperties": ({},),
    "dependentRequired": ({},),
    "dependentSchemas": ({},),
    "dependencies": ({},),
    "additionalItems": (True, {}),
    "required": ([],),
    "properties": ({},),
    "uniqueItems": (False,),
    "pattern": ("", ".*", "^.*$", "^.*", ".*$"),
    "prefixItems": ([],),
}
"""Values of keywords that constrain nothing."""
_CONDITIONS = ("not", "if", "then", "else")
_MAX_DEPTH = 60


def whole_schema(root: SchemaRoot) -> Node:
    """Return the normal form of the whole schema."""
    return normal_form(root, root.json, root.pointer)


def normal_form(root: SchemaRoot, schema: Json, pointer: str) -> Node:
    """Return the normal form of a schema of the document."""
    return _node(schema, pointer, root, 0, ())


def _node(schema: Json, pointer: str, root: SchemaRoot, depth: int, followed: tuple[str, ...]) -> Node:
    """Normalize a schema; a recursive reference is followed only once."""
    node = Node(pointer, root, {kind: {} for kind in KINDS}, type_pointer=f"{pointer}/type")
    if not isinstance(schema, dict):
        return node if schema is not False else Node(pointer, root, type_pointer=pointer)
    if depth > _MAX_DEPTH or root.count_part():
        node.others["$deep"] = Value(schema, pointer)
        return node
    node = _own(schema, node)
    inner = partial(_node, root=root, depth=depth + 1)
    reference = schema.get("$ref")
    if reference is not None:
        target = root.referenced(reference)
        if target is None or target.pointer in followed:
            node.others["$ref"] = Value(reference, f"{pointer}/$ref")
        else:
            node = merge_both(node, inner(target.json, target.pointer, followed=(*followed, target.pointer)))
    for number, part in enumerate(as_list(schema.get("allOf"))):
        node = merge_both(node, inner(part, f"{pointer}/allOf/{number}", followed=followed))
    for keyword in ("anyOf", "oneOf"):
        given = schema.get(keyword)
        if isinstance(given, list) and given:
            branches = [inner(one, f"{pointer}/{keyword}/{at}", followed=followed) for at, one in enumerate(given)]
            node = merge_both(node, merge_alternatives(keyword, branches, f"{pointer}/{keyword}"))
    return node


def _own(schema: JsonObject, node: Node) -> Node:
    """Return the node with the schema's own keywords, without references and combinators."""
    kinds = _typed(schema, node.pointer)
    for kind, asked in kinds.items():
        for name in KEYWORDS[kind]:
            if name in schema and not any(json_equal(schema[name], idle) for idle in _IDLE.get(name, ())):
                asked[name] = Value(schema[name], f"{node.pointer}/{name}")
    others = {name: Value(schema[name], f"{node.pointer}/{name}") for name in _CONDITIONS if name in schema}
    notes = {name: Value(schema[name], f"{node.pointer}/{name}") for name in NOTES if name in schema}
    own = evolve(node, kinds=kinds, notes=notes, others=others)
    if "enum" in schema and isinstance(schema["enum"], list):
        own = _listed(own, Value(schema["enum"], f"{node.pointer}/enum"))
    if "const" in schema:
        own = _listed(own, Value([schema["const"]], f"{node.pointer}/const"))
    for asked in own.kinds.values():
        _with_bounds(asked)
    return own


def _typed(schema: JsonObject, pointer: str) -> dict[str, Asked]:
    """Return the types that the keyword `type` allows; an integer is a number with a mark."""
    named = schema.get("type")
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list):
        return {kind: {} for kind in KINDS}
    kinds: dict[str, Asked] = {name: {} for name in KINDS if name in names}
    if "integer" in names and "number" not in names:
        kinds["number"] = {"integer": Value(True, f"{pointer}/type")}  # noqa: FBT003 - a JSON value
    return {kind: kinds[kind] for kind in KINDS if kind in kinds}


def _listed(node: Node, values: Value) -> Node:
    """Limit the node to the listed values."""
    kinds: dict[str, Asked] = {}
    for kind, asked in node.kinds.items():
        mine = [one for one in as_list(values.json) if type_name(one) == kind]
        if "integer" in asked:
            mine = [one for one in mine if is_whole(one)]
        if "enum" in asked:
            known = ValueSet(as_list(asked["enum"].json))
            mine = [one for one in mine if one in known]
        if not mine:
            continue
        kinds[kind] = {**asked, "enum": Value([*mine], values.pointer)}
        kinds[kind].pop("integer", None)
        drop_idle_enum(kind, kinds[kind])
    return evolve(node, kinds=kinds, type_pointer=values.pointer)


def _with_bounds(asked: Asked) -> None:
    """Normalize the limits of numbers: 'lower' and 'upper' hold the limit and whether it is excluded."""
    whole = "integer" in asked
    for name, exclusive, key, sign in (
        ("minimum", "exclusiveMinimum", "lower", 1),
        ("maximum", "exclusiveMaximum", "upper", -1),
    ):
        strict = asked.pop(exclusive, None)
        found = [
            (sign * one.json, one is strict, one.pointer)
            for one in (asked.pop(name, None), strict)
            if one is not None and isinstance(one.json, int | float) and not isinstance(one.json, bool)
        ]
        if not found:
            continue
        limit, excluded, pointer = max(found)
        if strict is not None and strict.json is True:
            excluded = True  # draft 4
        if whole and (isinstance(limit, int) or math.isfinite(limit)):
            limit, excluded = (math.floor(limit) + 1 if excluded else math.ceil(limit)), False
        asked[key] = Value([sign * limit, excluded], pointer)
    if whole and asked.get("multipleOf") is not None and asked["multipleOf"].json == 1:
        del asked["multipleOf"]


def children(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the properties of a node with their schemas."""
    for name in property_names(node):
        yield name, child(node, name)


def property_names(node: Node) -> Iterable[str]:
    """Return the names of the properties of a node."""
    properties = node.kinds.get("object", {}).get("properties")
    return as_object(properties.json) if properties else ()


def child(node: Node, name: str) -> Node:
    """Return the schema of a property of a node."""
    properties = node.kinds["object"]["properties"]
    return normal_form(node.root, as_object(properties.json)[name], f"{properties.pointer}{token(name)}")
