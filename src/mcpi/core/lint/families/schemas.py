"""Rules about schemas that contradict JSON Schema or themselves."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from mcpi.core.jsontext.values import Json, JsonObject, as_list, as_object, type_name
from mcpi.core.jsontext.writing import dump
from mcpi.core.lint.definitions import BooleanNode, SchemaNode, escape_token
from mcpi.core.lint.families.schema_values import BOUNDS, check_bounds, check_default, check_enum_values
from mcpi.core.lint.rule import Rule, RuleViolation
from mcpi.core.lint.syntax.json_types import TYPES, resolve_reference
from mcpi.core.text.pattern_syntax import parse_pattern
from mcpi.core.text.suggestions import nearest
from mcpi.core.wire.violations import quote

UNKNOWN_TYPE = Rule(
    "unknown-type",
    "error",
    'The "type" of a schema must be one of the seven types of JSON Schema.',
    'The names of types in programming languages, such as "str", "int" or "any", are not valid in JSON Schema.',
    'Use "string", "number", "integer", "boolean", "object", "array" or "null"; to allow any value, remove "type".',
    "https://github.com/anthropics/claude-code/issues/8900",
    ("claude", "openai", "gemini"),
)
DANGLING_REF = Rule(
    "dangling-ref",
    "error",
    'The target of a "$ref" must exist in the schema.',
    "A client or model API cannot resolve the reference, so it does not know which values are allowed.",
    'Add the missing definition to "$defs", or replace the "$ref" with the schema itself.',
    "https://github.com/google-labs-code/stitch-sdk/issues/367",
    ("claude", "openai", "cursor"),
)
REMOTE_REF = Rule(
    "remote-ref",
    "error",
    'A "$ref" must not refer to another document.',
    "Clients and model APIs do not fetch other documents.",
    'Copy the schema to "$defs", and refer to it as "#/$defs/NAME".',
    "https://modelcontextprotocol.io/seps/2106-json-schema-2020-12",
    ("claude", "openai", "gemini", "cursor"),
)
REQUIRED_WITHOUT_PROPERTY = Rule(
    "required-without-property",
    "error",
    'Each name in "required" must be one of the "properties".',
    "JSON Schema allows other names, but Gemini rejects them. Often the name is misspelled.",
    'Add the property, or remove its name from "required".',
    "https://github.com/anomalyco/opencode/issues/3140",
    ("gemini",),
)
INVALID_PATTERN = Rule(
    "invalid-pattern",
    "error",
    "A pattern must be a valid ECMA-262 regular expression with the u flag.",
    "JSON Schema uses JavaScript's syntax; syntax specific to another language, such as Python's named groups, "
    "is invalid.",
    "Correct the pattern so that JavaScript accepts it in new RegExp(pattern, 'u').",
    "https://github.com/langchain-ai/langchainjs/issues/11351",
    ("openai", "cursor"),
)
BOOLEAN_SCHEMA = Rule(
    "boolean-schema",
    "error",
    "The schema of a property must be an object, not true or false.",
    "JSON Schema allows true and false as schemas, but some clients and model APIs do not. In other places, such as "
    '"items", the severity is warning.',
    'Replace true with an object that has a "type" or at least a "description"; remove a property whose schema is '
    "false.",
    "https://github.com/anthropics/claude-code/issues/92900",
    ("claude", "gemini", "cursor"),
)
INVALID_KEYWORD = Rule(
    "invalid-keyword",
    "error",
    "The value of each keyword must have the type that JSON Schema requires.",
    "A value of another type makes the whole schema invalid.",
    'Correct the value. For example, "required" is not a member of a property, but a list of names next to '
    '"properties".',
    "https://github.com/MarkusPfundstein/mcp-gsuite/issues/48",
    ("claude", "openai"),
)
UNKNOWN_DIALECT = Rule(
    "unknown-dialect",
    "warning",
    'The "$schema" of a tool should name a version of JSON Schema that clients support.',
    "Clients must support JSON Schema 2020-12, and most also support the versions from draft-06 on. A client can "
    "reject a schema of any other version.",
    'Remove "$schema"; the default is JSON Schema 2020-12.',
    "https://modelcontextprotocol.io/specification/2025-11-25/basic#json-schema-usage",
)
RULES = (
    *(UNKNOWN_TYPE, DANGLING_REF, REMOTE_REF, REQUIRED_WITHOUT_PROPERTY, INVALID_PATTERN, BOOLEAN_SCHEMA),
    *(INVALID_KEYWORD, UNKNOWN_DIALECT),
)

_Checked: TypeAlias = Iterator[RuleViolation]
_DIALECTS = frozenset(
    f"{scheme}://json-schema.org/{name}"
    for scheme in ("http", "https")
    for name in ("draft-06/schema", "draft-07/schema", "draft/2019-09/schema", "draft/2020-12/schema", "schema")
)
_OBJECT, _ARRAY, _STRING, _NUMBER, _BOOLEAN = (dict,), (list,), (str,), (int, float), (bool,)
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
VALUE_TYPES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"), _OBJECT),
    **dict.fromkeys(("required", "enum", "anyOf", "oneOf", "allOf", "prefixItems", "examples"), _ARRAY),
    **dict.fromkeys(("pattern", "description", "title", "format", "$ref", "$schema", "$id"), _STRING),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _NUMBER),
    **dict.fromkeys(_COUNTS, _NUMBER),
    **dict.fromkeys(("uniqueItems", "readOnly", "writeOnly", "deprecated"), _BOOLEAN),
    **dict.fromkeys(("additionalProperties", "not", "if", "then", "else", "contains"), (dict, bool)),
    "propertyNames": (dict, bool),
    "items": (dict, bool, list),
    "type": (str, list),
}
"""The types of keywords' values."""
_TYPE_NAMES = {dict: "object", list: "array", str: "string", int: "number", float: "number", bool: "boolean"}
_MAX_DEPTH = 20
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_CONDITIONAL = ("if", "then", "else", "not")


def check_boolean(node: BooleanNode) -> _Checked:
    """Check a schema that is true or false."""
    text = "true" if node.value else "false"
    if node.keyword == "properties":
        yield RuleViolation(BOOLEAN_SCHEMA, node.pointer, f"the schema of the property is {text}")
    elif node.keyword in {"items", "anyOf", "oneOf", "allOf", "prefixItems", "$defs", "definitions"}:
        yield RuleViolation(BOOLEAN_SCHEMA, node.pointer, f"the schema is {text}", "warning")


def wrong_value(node: SchemaNode, keyword: str) -> RuleViolation:
    """Return the violation of a keyword whose value has the wrong type."""
    value = node.schema[keyword]
    expected = " or ".join(dict.fromkeys(_TYPE_NAMES[one] for one in VALUE_TYPES[keyword]))
    message = f'"{keyword}" is of type {type_name(value)} ({quote(dump(value))}); expected {expected}'
    return RuleViolation(INVALID_KEYWORD, f"{node.pointer}/{keyword}", message)


def _check_type(node: SchemaNode, value: Json) -> Iterable[RuleViolation]:
    return () if isinstance(value, str) and value in TYPES else _unknown_types(node, value)


def _unknown_types(node: SchemaNode, value: Json) -> _Checked:
    for kind in value if isinstance(value, list) else [value]:
        if kind not in TYPES:
            near = nearest(kind, TYPES) if isinstance(kind, str) else None
            meant = _FOREIGN_TYPES.get(kind.lower(), near) if isinstance(kind, str) else None
            hint = f" (did you mean {meant}?)" if meant else ""
            yield RuleViolation(UNKNOWN_TYPE, f"{node.pointer}/type", f"unknown type {quote(dump(kind))}{hint}")


_FOREIGN_TYPES = {
    "str": "string",
    "text": "string",
    "date": "string",
    "datetime": "string",
    "file": "string",
    "uuid": "string",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "bool": "boolean",
    "dict": "object",
    "map": "object",
    "list": "array",
    "tuple": "array",
    "none": "null",
}


def _check_reference(node: SchemaNode, value: Json) -> _Checked:
    reference = str(value)
    place = f"{node.pointer}/$ref"
    if reference.startswith("#"):
        if resolve_reference(reference, node.root) is None:
            yield RuleViolation(DANGLING_REF, place, f"{quote(reference)} does not exist in this schema")
    elif not _is_own_id(reference, node.root):
        yield RuleViolation(REMOTE_REF, place, f"{quote(reference)} refers to another document")


def _is_own_id(reference: str, root: JsonObject) -> bool:
    """Tell whether the reference is the $id of a schema of this document."""
    document = reference.partition("#")[0]
    own = [root, *as_object(root.get("$defs")).values(), *as_object(root.get("definitions")).values()]
    return any(isinstance(one, dict) and one.get("$id") == document for one in own)


def _check_required(node: SchemaNode, value: Json) -> Iterable[RuleViolation]:
    names, properties = as_list(value), node.schema.get("properties")
    is_covered = isinstance(properties, dict) and all(isinstance(one, str) and one in properties for one in names)
    return () if is_covered else _uncovered(node, names)


def _uncovered(node: SchemaNode, names: list[Json]) -> _Checked:
    wrong = next((one for one in names if not isinstance(one, str)), None)
    if wrong is not None:
        yield RuleViolation(
            INVALID_KEYWORD,
            f"{node.pointer}/required",
            f'"required" contains {quote(dump(wrong))}, which is not a name',
        )
        return
    # Branches of a combinator may require properties that the schema around them describes.
    if node.keyword in {*_IN_PLACE, *_CONDITIONAL, "dependentSchemas"} or not names:
        return
    known, is_open = _properties(node.schema, node.root, 0)
    for at, name in enumerate(names):
        if not is_open and name not in known:
            yield RuleViolation(
                REQUIRED_WITHOUT_PROPERTY,
                f"{node.pointer}/required/{at}",
                f'"required" contains {quote(str(name))!r}, which is not a property',
            )


def _properties(schema: Json, root: JsonObject, depth: int) -> tuple[set[str], bool]:
    """Collect the properties that a schema describes in any branch; True if there may be others."""
    node = as_object(schema)
    known = set(as_object(node.get("properties")))
    is_open = bool(as_object(node.get("patternProperties"))) or depth > _MAX_DEPTH
    is_open = is_open or (isinstance(node.get("additionalProperties"), dict) and bool(node["additionalProperties"]))
    parts: list[Json] = [part for name in _IN_PLACE for part in as_list(node.get(name))]
    parts += [node[name] for name in ("then", "else") if name in node]
    reference = node.get("$ref")
    if isinstance(reference, str):
        target = resolve_reference(reference, root)
        is_open = is_open or target is None
        parts.append(target)
    for part in parts if not is_open else ():
        inner, inner_open = _properties(part, root, depth + 1)
        known |= inner
        is_open = is_open or inner_open
    return known, is_open


def _check_regex(node: SchemaNode, value: Json) -> _Checked:
    problem = parse_pattern(str(value)).problem
    if problem:
        yield RuleViolation(
            INVALID_PATTERN, f"{node.pointer}/pattern", f"the pattern {quote(str(value))} is invalid: {problem}"
        )


def _check_pattern_names(node: SchemaNode, value: Json) -> _Checked:
    for pattern in as_object(value):
        problem = parse_pattern(pattern).problem
        if problem:
            place = f"{node.pointer}/patternProperties/{escape_token(pattern)}"
            yield RuleViolation(INVALID_PATTERN, place, f"the pattern {quote(pattern)} is invalid: {problem}")


def _check_members(node: SchemaNode, value: Json) -> Iterable[RuleViolation]:
    """Check that each member is a schema."""
    is_valid = all(isinstance(one, dict | bool) for one in as_object(value).values())
    return () if is_valid else _wrong_members(node, value)


def _wrong_members(node: SchemaNode, value: Json) -> _Checked:
    for name, one in as_object(value).items():
        if not isinstance(one, dict | bool):
            place = f"{node.pointer}/properties/{escape_token(name)}"
            message = f"the schema of the property is of type {type_name(one)} ({quote(dump(one))}); expected object"
            yield RuleViolation(INVALID_KEYWORD, place, message)


def _check_branches(node: SchemaNode, value: Json) -> _Checked:
    if not value:
        place = next(f"{node.pointer}/{name}" for name in _IN_PLACE if node.schema.get(name) is value)
        yield RuleViolation(INVALID_KEYWORD, place, "the list of schemas is empty")


def _check_dialect(node: SchemaNode, value: Json) -> _Checked:
    if str(value).rstrip("#") not in _DIALECTS:
        yield RuleViolation(UNKNOWN_DIALECT, f"{node.pointer}/$schema", f"clients may not support {quote(str(value))}")


CHECKS: Mapping[str, Callable[[SchemaNode, Json], Iterable[RuleViolation]]] = {
    "type": _check_type,
    "$ref": _check_reference,
    "required": _check_required,
    "pattern": _check_regex,
    "patternProperties": _check_pattern_names,
    "properties": _check_members,
    "default": check_default,
    "enum": check_enum_values,
    "$schema": _check_dialect,
    **dict.fromkeys(_IN_PLACE, _check_branches),
    **dict.fromkeys(BOUNDS, check_bounds),
}
"""The checks of the keywords' values."""
