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
    "An input schema must not have anyOf, oneOf or allOf at its top level.",
    "Describe the alternatives as optional properties of one object, and validate the combination in the tool.",
    "https://github.com/makenotion/notion-mcp-server/issues/340",
    ("claude", "openai", "gemini"),
    depends_on_client=True,
)
ARRAY_WITHOUT_ITEMS = Rule(
    "array-without-items",
    "error",
    'Each array in an input schema must have "items".',
    'Add "items", for example {"type": "string"}.',
    "https://github.com/microsoft/vscode/issues/325618",
    ("openai", "gemini", "vscode"),
    depends_on_client=True,
)
PROPERTY_NAME = Rule(
    "property-name",
    "error",
    "Property names must match ^[a-zA-Z0-9_.-]{1,64}$.",
    "Use only letters, digits, _, . and - in the name, with at most 64 characters.",
    "https://github.com/ComposioHQ/composio/issues/3500",
    ("claude",),
    depends_on_client=True,
)
UNSUPPORTED_KEYWORD = Rule(
    "unsupported-keyword",
    "warning",
    "An input schema should use only keywords that Gemini's function declarations support.",
    "Remove the keyword, and state the requirement in the description.",
    "https://github.com/danny-avila/LibreChat/pull/13850",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
UNSUPPORTED_FORMAT = Rule(
    "unsupported-format",
    "info",
    "The format of a string should be one that Gemini supports: enum or date-time.",
    "Remove the format, or state it in the description.",
    "https://github.com/pizza-bot-app/pizza-bot/issues/62",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
TYPE_LIST = Rule(
    "type-list",
    "warning",
    "The type of a schema should not be a list of types.",
    'Use one type; for an optional value, remove the property from "required", or use anyOf with null.',
    "https://github.com/github/copilot-cli/issues/4623",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
NON_STRING_ENUM = Rule(
    "non-string-enum",
    "warning",
    "The values of an enum should be strings.",
    "List the values as strings, and convert them in the tool.",
    "https://github.com/google-gemini/gemini-cli/issues/4127",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
UNTYPED_SCHEMA = Rule(
    "untyped-schema",
    "info",
    "The schema of a property or of array items should have a type.",
    'Add "type".',
    "https://github.com/google-gemini/gemini-cli/issues/4400",
    ("gemini",),
    grouped=True,
    depends_on_client=True,
)
LOOKBEHIND = Rule(
    "lookbehind",
    "warning",
    "A pattern should not contain a lookbehind.",
    "Rewrite the pattern without (?<= and (?<!, or validate the value in the tool.",
    "https://github.com/pleaseai/shunt/pull/558",
    ("openai",),
    depends_on_client=True,
)
SCHEMA_DEPTH = Rule(
    "schema-depth",
    "error",
    f"A schema must not be nested deeper than {MAX_LEVELS} objects and arrays.",
    "Flatten the schema, or accept the inner part as a JSON string.",
    "https://github.com/google-gemini/gemini-cli/issues/5923",
    ("openai", "gemini"),
    depends_on_client=True,
)
ENUM_SIZE = Rule(
    "enum-size",
    "warning",
    f"An enum should not have more than {MAX_ENUM} values.",
    "Accept any string, and offer a tool that searches the values.",
    "https://platform.openai.com/docs/guides/structured-outputs#limitations-on-enum-size",
    ("openai",),
    depends_on_client=True,
)
TUPLE_ITEMS = Rule(
    "tuple-items",
    "error",
    'The keyword "items" must be a single schema, as in JSON Schema 2020-12.',
    'Use one schema for all items, or an object with named properties; in 2020-12, tuples use "prefixItems".',
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
        return (RuleViolation(UNTYPED_SCHEMA, node.pointer, "the schema has no type"),)
    return ()


def _unsupported(node: SchemaNode, keyword: str) -> _Checked:
    if not node.keyword and keyword in _COMBINATORS:
        message = f"{keyword} is at the top level of the input schema"
        yield RuleViolation(
            TOP_LEVEL_COMBINATOR, f"{node.pointer}/{keyword}", message, rejected_by=_COMBINATORS[keyword]
        )
    elif keyword in _SEVERITIES:
        message = f"Gemini's function declarations do not support {keyword}"
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
