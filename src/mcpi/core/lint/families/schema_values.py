"""Rules about the values that a schema holds: bounds, defaults and enums."""

import operator
from collections.abc import Callable, Iterator

from mcpi.core.findings.finding import Severity
from mcpi.core.jsontext.values import Json, as_list, json_equal, type_name
from mcpi.core.jsontext.writing import dump
from mcpi.core.lint.definitions import SchemaNode
from mcpi.core.lint.rule import JSON_SCHEMA, Rule, RuleViolation
from mcpi.core.lint.syntax.json_types import allowed_types, has_type
from mcpi.core.wire.violations import quote

IMPOSSIBLE_BOUNDS = Rule(
    "impossible-bounds",
    "warning",
    "A lower bound should not exceed the upper bound.",
    "No value satisfies both bounds, so a model cannot send a valid one.",
    "Correct one of the bounds.",
    JSON_SCHEMA,
)
DEFAULT_TYPE = Rule(
    "default-type",
    "warning",
    "A default should match its schema.",
    "A model can copy the default into its arguments, which makes the call invalid. If the default is null, the "
    "severity is info.",
    "Correct the default or the schema.",
    f"{JSON_SCHEMA}#section-9.2",
)
ENUM_TYPE = Rule(
    "enum-type",
    "error",
    "Each value of an enum must have a type that the schema allows.",
    "A value of another type can never be used: the enum allows it, but the type forbids it.",
    "Correct the values or the type.",
    "https://github.com/stoplightio/spectral/issues/570",
    ("openai",),
)
EMPTY_ENUM = Rule(
    "empty-enum",
    "error",
    "An enum must have at least one value.",
    "Otherwise, no argument is valid.",
    "List the allowed values, or remove the enum to allow any value.",
    f"{JSON_SCHEMA}#section-6.1.2",
    ("openai",),
)
DUPLICATE_ENUM = Rule(
    "duplicate-enum",
    "warning",
    "The values of an enum should be unique.",
    "A strict validator can reject the schema.",
    "Remove the duplicate values.",
    f"{JSON_SCHEMA}#section-6.1.2",
)
RULES = (IMPOSSIBLE_BOUNDS, DEFAULT_TYPE, ENUM_TYPE, EMPTY_ENUM, DUPLICATE_ENUM)

BOUNDS = {"minimum": "maximum", "minLength": "maxLength", "minItems": "maxItems", "minProperties": "maxProperties"}
"""The lower bounds with their upper bounds."""
_LIMITS: tuple[tuple[str, Callable[[float, float], bool]], ...] = (
    ("minimum", operator.ge),
    ("maximum", operator.le),
    ("minLength", operator.ge),
    ("maxLength", operator.le),
)


def check_bounds(node: SchemaNode, value: Json) -> Iterator[RuleViolation]:
    """Check that a lower bound does not exceed the upper bound."""
    lower = next(name for name in BOUNDS if node.schema.get(name) is value)
    upper = node.schema.get(BOUNDS[lower])
    if isinstance(value, int | float) and isinstance(upper, int | float) and value > upper:
        message = f"{lower} {dump(value)} is greater than {BOUNDS[lower]} {dump(upper)}"
        yield RuleViolation(IMPOSSIBLE_BOUNDS, f"{node.pointer}/{lower}", message)


def check_default(node: SchemaNode, value: Json) -> Iterator[RuleViolation]:
    """Check that the default matches the types, the enum and the bounds of its schema."""
    types = allowed_types(node.schema, node.root)
    problem = _default_problem(node, value, types)
    if problem:
        # A null default means that there is none; generators add it to schemas of any type.
        severity: Severity | None = "info" if value is None else None
        message = f"the default {quote(dump(value))} {problem}"
        yield RuleViolation(DEFAULT_TYPE, f"{node.pointer}/default", message, severity)


def _default_problem(node: SchemaNode, value: Json, types: set[str] | None) -> str:
    if types is not None and not _fits(value, types):
        return f"is of type {type_name(value)}, but the schema allows only {' or '.join(sorted(types))}"
    if "enum" in node.schema and not any(json_equal(value, one) for one in as_list(node.schema["enum"])):
        return "is not a value of the enum"
    broken = _broken_limit(node, value)
    return f"violates {broken} {dump(node.schema[broken])}" if broken else ""


def _broken_limit(node: SchemaNode, value: Json) -> str:
    """Return the keyword of a bound that the value violates, or an empty string."""
    measures: dict[bool, float] = {}
    if isinstance(value, str):
        measures[True] = len(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        measures[False] = value
    for name, fits in _LIMITS:
        limit, size = node.schema.get(name), measures.get(name.endswith("Length"))
        if size is not None and isinstance(limit, int | float) and not fits(size, limit):
            return name
    return ""


def check_enum_values(node: SchemaNode, value: Json) -> Iterator[RuleViolation]:
    """Check the values of an enum, and their types."""
    values, place = as_list(value), f"{node.pointer}/enum"
    if not values:
        yield RuleViolation(EMPTY_ENUM, place, "the enum has no values")
    types = allowed_types(node.schema, node.root)
    wrong = None if types is None else next((at for at, one in enumerate(values) if not _fits(one, types)), None)
    if types is not None and wrong is not None:
        expected, one = " or ".join(sorted(types)), values[wrong]
        message = f"the value {quote(dump(one))} is of type {type_name(one)}, but the schema allows only {expected}"
        yield RuleViolation(ENUM_TYPE, f"{place}/{wrong}", message)
    texts = [one if isinstance(one, str) else f"json {dump(one)}" for one in values]
    last = {text: at for at, text in enumerate(texts)}
    if len(last) < len(values):
        repeated = next(one for at, one in enumerate(values) if last[texts[at]] != at)
        yield RuleViolation(DUPLICATE_ENUM, place, f"the enum contains {quote(dump(repeated))} more than once")


def _fits(value: Json, types: set[str]) -> bool:
    return any(has_type(value, kind) for kind in types)
