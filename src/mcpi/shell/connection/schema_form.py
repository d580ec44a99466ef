"""Find the parts of a JSON schema that may be invalid: the library takes a fifth of a millisecond to check a part."""

from collections.abc import Callable, Mapping
from typing import Final

from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator

from mcpi.core.jsontext.values import Json

DIALECTS = (Draft202012Validator, Draft201909Validator, Draft7Validator)
"""The dialects in which the keywords below have the same form."""

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_SCHEMAS_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_SCHEMA_LISTS = frozenset({"allOf", "anyOf", "oneOf"})
_SCHEMAS = frozenset({"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"})
_OTHERS = frozenset(
    {
        *("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary"),
        *("additionalItems", "contentEncoding", "contentMediaType", "contentSchema", "dependencies"),
        *("dependentRequired", "maxContains", "minContains", "prefixItems", "unevaluatedItems"),
        "unevaluatedProperties",
    }
)
"""Keywords that only the library checks."""


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_switch(value: Json) -> bool:
    return isinstance(value, bool)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_size(value: Json) -> bool:
    return type(value) is int and value >= 0


def _is_any(_: Json) -> bool:
    return True


def _are_names(value: Json) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len(set(map(str, value))) == len(value)


def _is_type(value: Json) -> bool:
    if not isinstance(value, list):
        return isinstance(value, str) and value in _TYPES
    return bool(value) and _are_names(value) and _TYPES.issuperset(map(str, value))


_CHECKS: Mapping[str, Callable[[Json], bool]] = {
    "type": _is_type,
    "required": _are_names,
    **dict.fromkeys(("$schema", "$ref", "$comment", "title", "description", "format", "pattern"), _is_text),
    **dict.fromkeys(("const", "default"), _is_any),
    **dict.fromkeys(("enum", "examples"), lambda value: isinstance(value, list)),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly", "uniqueItems"), _is_switch),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is_size),
    "multipleOf": lambda value: type(value) in {int, float} and value > 0,  # type: ignore[operator] # a number
}
_VALID: Final = object()


def unverified_parts(schema: Json) -> Json:
    """Return the schema without the parts that are certainly valid; true if nothing is left."""
    if not isinstance(schema, dict):
        return True if isinstance(schema, bool) else schema
    rest = {keyword: _doubtful_part(keyword, value) for keyword, value in schema.items()}
    return {keyword: part for keyword, part in rest.items() if part is not _VALID} or True  # type: ignore[misc]


def _doubtful_part(keyword: str, value: Json) -> object:
    if keyword in _SCHEMAS_BY_NAME and isinstance(value, dict):
        return {name: rest for name, one in value.items() if (rest := unverified_parts(one)) is not True} or _VALID
    if keyword in _SCHEMA_LISTS and isinstance(value, list) and value:
        return [rest for one in value if (rest := unverified_parts(one)) is not True] or _VALID
    if keyword in _SCHEMAS:
        rest = unverified_parts(value)
        return _VALID if rest is True else rest
    check = _CHECKS.get(keyword)
    is_valid = check(value) if check is not None else keyword not in {*_OTHERS, *_SCHEMAS_BY_NAME, *_SCHEMA_LISTS}
    return _VALID if is_valid else value
