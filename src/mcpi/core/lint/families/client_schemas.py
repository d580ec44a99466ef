"""Rules about input schemas that a named client or model API rejects."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

from mcpi.core.findings.finding import Severity
from mcpi.core.jsontext.values import Json, as_list, as_object
from mcpi.core.lint.definitions import SchemaNode, escape_token
from mcpi.core.lint.rule import Client, Rule, RuleViolation
from mcpi.core.text.pattern_syntax import parse_pattern
from mcpi.core.wire.violations import quote

MAX_LEVELS = 10
MAX_ENUM = 1000
_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

TOP_LEVEL_COMBINATOR = Rule(
    "top-level-combinator",
    "error",
    'An input schema must not have "anyOf", "oneOf", "allOf", "enum" or "not" at its top level.',
    'Claude, OpenAI and Gemini reject "anyOf", "oneOf" and "allOf" there; OpenAI also rejects "enum" and "not".',
    "Describe the alternatives as optional properties of one object, and check their combination in the tool.",
    "https://github.com/makenotion/notion-mcp-server/issues/340",
    ("claude", "openai", "gemini"),
    depends_on_client=True,
)
ARRAY_WITHOUT_ITEMS = Rule(
    "array-without-items",
    "error",
    'Each array in an input schema must have "items".',
    'JSON Schema does not require "items", but OpenAI, Gemini and VS Code do.',
    'Add "items", for example {"type": "string"}.',
    "https://github.com/microsoft/vscode/issues/325618",
    ("openai", "gemini", "vscode"),
    depends_on_client=True,
)
PROPERTY_NAME = Rule(
    "property-name",
    "error",
    "The name of each property in an input schema must match ^[a-zA-Z0-9_.-]{1,64}$.",
    "Claude rejects other names at the top level of the input schema. It does not check nested properties; for these, "
    "the severity is info.",
    'Use only ASCII letters, digits, "_", "." and "-" in the name, and at most 64 characters.',
    "https://github.com/ComposioHQ/composio/issues/3500",
    ("claude",),
    depends_on_client=True,
)
UNSUPPORTED_KEYWORD = Rule(
    "unsupported-keyword",
    "warning",
    "An input schema should use only the keywords that Gemini's function declarations support.",
    "Some clients send other keywords unchanged, and Gemini rejects the request. Other clients remove such keywords, "
    "so the model does not see the constraints. For keywords that clients usually remove, the severity is info.",
    "Remove the keyword, and state the constraint in the description.",
    "https://github.com/danny-avila/LibreChat/pull/13850",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
UNSUPPORTED_FORMAT = Rule(
    "unsupported-format",
    "info",
    'The "format" of a value should be one that Gemini supports; for strings, Gemini supports only "enum" and '
    '"date-time".',
    "Some clients send other formats unchanged, and Gemini rejects the request.",
    'Remove "format", and state the format in the description.',
    "https://github.com/pizza-bot-app/pizza-bot/issues/62",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
TYPE_LIST = Rule(
    "type-list",
    "warning",
    'The "type" of a schema should be a single type, not a list of types.',
    "Gemini accepts only a single type, and some clients send a list unchanged.",
    'Use a single type. To make a value optional, remove the property from "required", or use "anyOf" with {"type": '
    '"null"}.',
    "https://github.com/github/copilot-cli/issues/4623",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
NON_STRING_ENUM = Rule(
    "non-string-enum",
    "warning",
    "The values of an enum should be strings.",
    "Gemini accepts an enum only for strings, and some clients send other values unchanged.",
    'Use "type": "string", list the values as strings, and convert them in the tool.',
    "https://github.com/google-gemini/gemini-cli/issues/4127",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
UNTYPED_SCHEMA = Rule(
    "untyped-schema",
    "info",
    'The schema of a property or of array items should have a "type".',
    "Gemini can reject a schema without a type, and other models have to guess which values are allowed.",
    'Add "type", for example "type": "string".',
    "https://github.com/google-gemini/gemini-cli/issues/4400",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
LOOKBEHIND = Rule(
    "lookbehind",
    "warning",
    'A "pattern" should not contain a lookbehind, that is, (?<= or (?<!.',
    "JSON Schema allows lookbehinds, but OpenAI does not support them.",
    "Rewrite the pattern without the lookbehind, or check the value in the tool.",
    "https://github.com/pleaseai/shunt/pull/558",
    ("openai",),
    depends_on_client=True,
)
SCHEMA_DEPTH = Rule(
    "schema-depth",
    "error",
    f"An input schema must not nest objects and arrays more than {MAX_LEVELS} levels deep.",
    "Gemini limits the depth of a schema; OpenAI limits it for tools in strict mode. The input schema itself is the "
    "first level.",
    "Flatten the schema, or accept the inner part as a JSON string.",
    "https://github.com/google-gemini/gemini-cli/issues/5923",
    ("gemini",),
    depends_on_client=True,
)
ENUM_SIZE = Rule(
    "enum-size",
    "warning",
    f"An enum should not have more than {MAX_ENUM} values.",
    f"OpenAI allows at most {MAX_ENUM} enum values in total in a schema for structured outputs.",
    "Remove the enum to accept any string, and offer a tool that searches the values.",
    "https://platform.openai.com/docs/guides/structured-outputs#limitations-on-enum-size",
    ("openai",),
    depends_on_client=True,
)
TUPLE_ITEMS = Rule(
    "tuple-items",
    "error",
    'The value of "items" must be a schema, not an array of schemas.',
    "The array form describes a tuple in older versions of JSON Schema; version 2020-12, the default in MCP, forbids "
    "it.",
    "Use one schema for all items, or an object with a property for each item. JSON Schema 2020-12 describes a tuple "
    'with "prefixItems", but Gemini does not support it.',
    "https://github.com/anthropics/claude-code/issues/8900",
    ("claude", "gemini"),
    depends_on_client=True,
)
RULES = (
    *(TOP_LEVEL_COMBINATOR, ARRAY_WITHOUT_ITEMS, PROPERTY_NAME, UNSUPPORTED_KEYWORD, UNSUPPORTED_FORMAT, TYPE_LIST),
    *(NON_STRING_ENUM, UNTYPED_SCHEMA, LOOKBEHIND, SCHEMA_DEPTH, ENUM_SIZE, TUPLE_ITEMS),
)

_Checked: TypeAlias = Iterator[RuleViolation]
_TYPING = frozenset({"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const", "not", "properties"})
_COMBINATORS: Mapping[str, tuple[Client, ...]] = {
    **dict.fromkeys(("anyOf", "oneOf", "allOf"), ("claude", "openai", "gemini")),
    **dict.fromkeys(("enum", "not"), ("openai",)),
}
_RARELY_CONVERTED = frozenset(
    str.split(
        "patternProperties if then else not dependentRequired dependentSchemas dependencies prefixItems "
        "additionalItems contains minContains maxContains unevaluatedProperties unevaluatedItems $dynamicRef "
        "$recursiveRef"
    )
)
"""Keywords that no client converts for Gemini without changing the meaning of the schema."""
_USUALLY_REMOVED = frozenset(
    str.split(
        "propertyNames exclusiveMinimum exclusiveMaximum multipleOf uniqueItems const examples readOnly writeOnly "
        "deprecated $comment contentEncoding contentMediaType contentSchema oneOf allOf"
    )
)
_SEVERITIES: Mapping[str, Severity] = {
    **dict.fromkeys(_RARELY_CONVERTED, "warning"),
    **dict.fromkeys(_USUALLY_REMOVED, "info"),
}
_UNSUPPORTED = frozenset({*_COMBINATORS, *_SEVERITIES})
_FORMATS = frozenset({"enum", "date-time", "int32", "int64", "float", "double"})


def check_node(node: SchemaNode) -> Iterable[RuleViolation]:
    """Check the nesting depth and the type, which depend on several keywords."""
    if node.level > MAX_LEVELS and node.keyword and node.schema.get("type") in {"object", "array"}:
        message = f"the schema is nested {node.level} levels deep; the limit is {MAX_LEVELS}"
        return (RuleViolation(SCHEMA_DEPTH, node.pointer, message),)
    if node.keyword in {"properties", "items"} and "type" not in node.schema and not _TYPING & node.schema.keys():
        return (RuleViolation(UNTYPED_SCHEMA, node.pointer, 'the schema has no "type"'),)
    return ()


def _unsupported(node: SchemaNode, keyword: str) -> _Checked:
    if not node.keyword and keyword in _COMBINATORS:
        message = f'"{keyword}" is at the top level of the input schema'
        yield RuleViolation(
            TOP_LEVEL_COMBINATOR, f"{node.pointer}/{keyword}", message, rejected_by=_COMBINATORS[keyword]
        )
    elif keyword in _SEVERITIES:
        message = f'Gemini does not support the keyword "{keyword}"'
        yield RuleViolation(UNSUPPORTED_KEYWORD, f"{node.pointer}/{keyword}", message, _SEVERITIES[keyword])


def _check_type(node: SchemaNode) -> Iterable[RuleViolation]:
    kind = node.schema["type"]
    is_plain = kind.__class__ is str and (kind != "array" or "items" in node.schema)
    return () if is_plain else _unusual_type(node, kind)


def _unusual_type(node: SchemaNode, kind: Json) -> _Checked:
    types = as_list(kind)
    if types and node.keyword:
        message = f"the type is a list: {', '.join(str(one) for one in types)}"
        yield RuleViolation(TYPE_LIST, f"{node.pointer}/type", message)
    if (kind == "array" or "array" in types) and "items" not in node.schema:
        yield RuleViolation(ARRAY_WITHOUT_ITEMS, node.pointer, 'the array has no "items"')


def _check_items(node: SchemaNode) -> Iterable[RuleViolation]:
    if not isinstance(node.schema["items"], list):
        return ()
    return (
        RuleViolation(
            TUPLE_ITEMS, f"{node.pointer}/items", '"items" is an array, which is invalid in JSON Schema 2020-12'
        ),
    )


def _check_properties(node: SchemaNode) -> _Checked:
    for name in as_object(node.schema["properties"]):
        if _PROPERTY_NAME.fullmatch(name) is None:
            message = f"the property name {quote(name)!r} does not match ^[a-zA-Z0-9_.-]{{1,64}}$"
            # Claude checks only the properties of the whole schema.
            severity: Severity | None = None if not node.keyword else "info"
            yield RuleViolation(PROPERTY_NAME, f"{node.pointer}/properties/{escape_token(name)}", message, severity)


def _check_enum(node: SchemaNode) -> _Checked:
    if not node.keyword:
        yield from _unsupported(node, "enum")
    values = as_list(node.schema["enum"])
    if len(values) > MAX_ENUM:
        yield RuleViolation(
            ENUM_SIZE, f"{node.pointer}/enum", f"the enum has {len(values)} values; the limit is {MAX_ENUM}"
        )
    if any(not isinstance(one, str) for one in values):
        yield RuleViolation(NON_STRING_ENUM, f"{node.pointer}/enum", "the enum contains values that are not strings")


def _check_format(node: SchemaNode) -> _Checked:
    name = node.schema["format"]
    if isinstance(name, str) and name not in _FORMATS:
        yield RuleViolation(
            UNSUPPORTED_FORMAT, f"{node.pointer}/format", f"Gemini does not support the format {quote(name)!r}"
        )


def _check_pattern(node: SchemaNode) -> _Checked:
    pattern = node.schema["pattern"]
    if isinstance(pattern, str) and "(?<" in pattern and parse_pattern(pattern).lookbehind:
        yield RuleViolation(
            LOOKBEHIND, f"{node.pointer}/pattern", f"the pattern contains a lookbehind: {quote(pattern)}"
        )


CHECKS: Mapping[str, Callable[[SchemaNode], Iterable[RuleViolation]]] = {
    **{keyword: partial(_unsupported, keyword=keyword) for keyword in _UNSUPPORTED},
    "type": _check_type,
    "items": _check_items,
    "properties": _check_properties,
    "enum": _check_enum,
    "format": _check_format,
    "pattern": _check_pattern,
}
"""The checks of the keywords of an input schema."""
