"""Validate values as jsonschema does, for the keywords that need no library; otherwise the answer is unknown."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from mcpi.core.diff.schema_node import SchemaRoot, contains, is_whole
from mcpi.core.jsontext.values import Json, JsonObject, as_object, is_multiple, json_equal, type_name
from mcpi.core.text.linear_patterns import compile_pattern

Verdict: TypeAlias = bool | None
"""True or False; None if it is unknown."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_IGNORED = frozenset(
    {
        *("$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples"),
        *("deprecated", "readOnly", "writeOnly", "format", "contentEncoding", "contentMediaType", "contentSchema"),
    }
)
"""Keywords that reject nothing; jsonschema does not check formats by default."""
_UNDECIDED = frozenset(
    {
        *("pattern", "dependencies", "unevaluatedItems", "unevaluatedProperties"),
        *("$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"),
    }
)
"""Keywords that only the library can evaluate."""
_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
_MAX_DEPTH = 40
_MAX_PARTS = 20_000


def evaluate(value: Json, schema: Json, root: Json = None) -> Verdict:
    """Tell whether the value is valid against a schema; `root` is the document that contains it, by default itself."""
    return _Evaluation(SchemaRoot(schema if root is None else root, "", _MAX_PARTS)).evaluate(value, schema, 0)


class _Evaluation:
    def __init__(self, root: SchemaRoot) -> None:
        self._root = root
        declared = root.json.get("$schema", _DIALECT) if isinstance(root.json, dict) else _DIALECT
        self._is_known = isinstance(declared, str) and declared.rstrip("#") == _DIALECT

    def evaluate(self, value: Json, schema: Json, depth: int) -> Verdict:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict) or depth > _MAX_DEPTH or not self._is_known or self._root.count_part():
            return None
        if depth and ("$id" in schema or "$schema" in schema):
            return None
        verdicts = [self._keyword(name, value, schema, depth) for name in schema if name not in _IGNORED]
        return _all(verdicts)

    def _keyword(self, name: str, value: Json, schema: JsonObject, depth: int) -> Verdict:
        asked = schema[name]
        if name in _SIMPLE:
            return _SIMPLE[name](value, asked)
        if name in _APPLIED:
            return _APPLIED[name](self, value, schema, depth)
        if name == "pattern" and isinstance(asked, str):
            return _matches(asked, value) if isinstance(value, str) else True
        return None if name in _UNDECIDED else True

    def combined(self, value: Json, schema: JsonObject, depth: int, name: str) -> Verdict:
        """Evaluate allOf, anyOf or oneOf."""
        branches = schema[name]
        if not isinstance(branches, list) or not branches:
            return None
        verdicts = [self.evaluate(value, branch, depth + 1) for branch in branches]
        match name:
            case "allOf":
                return _all(verdicts)
            case "anyOf":
                return _any(verdicts)
            case _:
                return None if None in verdicts else verdicts.count(True) == 1

    def negated(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        verdict = self.evaluate(value, schema["not"], depth + 1)
        return None if verdict is None else not verdict

    def referenced(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        target = self._root.referenced(schema["$ref"])
        return None if target is None else self.evaluate(value, target.json, depth + 1)

    def members(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        """Evaluate the named properties."""
        properties = schema["properties"]
        if not isinstance(properties, dict):
            return None
        if not isinstance(value, dict):
            return True
        return _all([self.evaluate(value[one], properties[one], depth + 1) for one in value if one in properties])

    def further(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        """Evaluate the properties that are not named and whose names match no pattern."""
        properties, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        if not isinstance(properties, dict) or not isinstance(patterns, dict):
            return None
        verdicts: list[Verdict] = []
        for name, one in as_object(value).items():
            matched = name in properties or _any([_matches(pattern, name) for pattern in patterns])
            if matched is not True:
                verdict = self.evaluate(one, schema["additionalProperties"], depth + 1)
                verdicts.append(verdict if verdict or matched is False else None)
        return _all(verdicts)

    def patterned(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        """Evaluate the properties whose names match a pattern."""
        patterns = schema["patternProperties"]
        if not isinstance(patterns, dict):
            return None
        verdicts: list[Verdict] = []
        for pattern, asked in patterns.items():
            for name, one in as_object(value).items():
                matched = _matches(pattern, name)
                if matched is not False:
                    verdict = self.evaluate(one, asked, depth + 1)
                    verdicts.append(verdict if verdict or matched else None)
        return _all(verdicts)

    def names(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        return _all([self.evaluate(name, schema["propertyNames"], depth + 1) for name in as_object(value)])

    def dependent(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        needed = schema["dependentSchemas"]
        if not isinstance(needed, dict):
            return None
        return _all([self.evaluate(value, one, depth + 1) for name, one in needed.items() if name in as_object(value)])

    def conditional(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        verdict = self.evaluate(value, schema["if"], depth + 1)
        if verdict is None:
            return None
        return self.evaluate(value, schema.get("then" if verdict else "else", True), depth + 1)

    def contained(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        least, most = schema.get("minContains", 1), schema.get("maxContains", math.inf)
        if not isinstance(least, int | float) or not isinstance(most, int | float):
            return None
        if not isinstance(value, list):
            return True
        verdicts = [self.evaluate(one, schema["contains"], depth + 1) for one in value]
        return None if None in verdicts else least <= verdicts.count(True) <= most

    def items(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        """Evaluate the items after those of prefixItems."""
        first = schema.get("prefixItems", [])
        if isinstance(schema["items"], list) or not isinstance(first, list):
            return None
        if not isinstance(value, list):
            return True
        return _all([self.evaluate(one, schema["items"], depth + 1) for one in value[len(first) :]])

    def prefix(self, value: Json, schema: JsonObject, depth: int) -> Verdict:
        first = schema["prefixItems"]
        if not isinstance(first, list):
            return None
        if not isinstance(value, list):
            return True
        return _all([self.evaluate(one, part, depth + 1) for one, part in zip(value, first, strict=False)])


def _matches(pattern: str, text: str) -> Verdict:
    compiled = compile_pattern(pattern)
    return None if isinstance(compiled, str) else compiled.matches(text)


def _all(verdicts: list[Verdict]) -> Verdict:
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _any(verdicts: list[Verdict]) -> Verdict:
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _is_type(value: Json, asked: Json) -> Verdict:
    names = asked if isinstance(asked, list) else [asked]
    if not all(isinstance(name, str) and name in _TYPES for name in names) or not names:
        return None
    kind = type_name(value)
    return kind in names or ("integer" in names and is_whole(value))


def _size(kind: str, fits: Callable[[int, float], bool]) -> Callable[[Json, Json], Verdict]:
    def check(value: Json, asked: Json) -> Verdict:
        if not isinstance(asked, int) or isinstance(asked, bool):
            return None
        return type_name(value) != kind or fits(len(value), asked)  # type: ignore[arg-type] # a kind that has a length

    return check


def _number(fits: Callable[[float, float], bool]) -> Callable[[Json, Json], Verdict]:
    def check(value: Json, asked: Json) -> Verdict:
        if not isinstance(asked, int | float) or isinstance(asked, bool):
            return None
        return isinstance(value, bool) or not isinstance(value, int | float) or fits(value, asked)

    return check


def _multiple(value: Json, asked: Json) -> Verdict:
    if not isinstance(asked, int | float) or isinstance(asked, bool) or asked <= 0:
        return None
    return isinstance(value, bool) or not isinstance(value, int | float) or is_multiple(value, asked)


def _listed(value: Json, asked: Json) -> Verdict:
    return contains(asked, value) if isinstance(asked, list) and asked else None


def _required(value: Json, asked: Json) -> Verdict:
    if not isinstance(asked, list) or not all(isinstance(name, str) for name in asked):
        return None
    return not isinstance(value, dict) or all(name in value for name in asked)


def _unique(value: Json, asked: Json) -> Verdict:
    if not isinstance(asked, bool):
        return None
    if not asked or not isinstance(value, list):
        return True
    return not any(contains(value[:at], one) for at, one in enumerate(value))


def _dependent(value: Json, asked: Json) -> Verdict:
    if not isinstance(asked, dict) or not isinstance(value, dict):
        return None if not isinstance(asked, dict) else True
    return _all([_required(value, names) for name, names in asked.items() if name in value])


_SIMPLE: Mapping[str, Callable[[Json, Json], Verdict]] = {
    "type": _is_type,
    "enum": _listed,
    "const": json_equal,
    "required": _required,
    "dependentRequired": _dependent,
    "uniqueItems": _unique,
    "multipleOf": _multiple,
    "minimum": _number(lambda value, limit: value >= limit),
    "maximum": _number(lambda value, limit: value <= limit),
    "exclusiveMinimum": _number(lambda value, limit: value > limit),
    "exclusiveMaximum": _number(lambda value, limit: value < limit),
    "minLength": _size("string", lambda size, limit: size >= limit),
    "maxLength": _size("string", lambda size, limit: size <= limit),
    "minItems": _size("array", lambda size, limit: size >= limit),
    "maxItems": _size("array", lambda size, limit: size <= limit),
    "minProperties": _size("object", lambda size, limit: size >= limit),
    "maxProperties": _size("object", lambda size, limit: size <= limit),
}
_APPLIED: Mapping[str, Callable[[_Evaluation, Json, JsonObject, int], Verdict]] = {
    "allOf": partial(_Evaluation.combined, name="allOf"),
    "anyOf": partial(_Evaluation.combined, name="anyOf"),
    "oneOf": partial(_Evaluation.combined, name="oneOf"),
    "not": _Evaluation.negated,
    "$ref": _Evaluation.referenced,
    "properties": _Evaluation.members,
    "additionalProperties": _Evaluation.further,
    "patternProperties": _Evaluation.patterned,
    "propertyNames": _Evaluation.names,
    "dependentSchemas": _Evaluation.dependent,
    "if": _Evaluation.conditional,
    "contains": _Evaluation.contained,
    "items": _Evaluation.items,
    "prefixItems": _Evaluation.prefix,
}
