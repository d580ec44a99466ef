"""The JSON schema of scripts, generated from the classes that they are structured into."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import NOTHING, Attribute, fields

from mcpi.core.client.agent_tools import value_schema
from mcpi.core.flags.expectations import OPERATORS, TYPES
from mcpi.core.flags.structure import Pointer, VariableName, json_key
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.variables import NAME_PATTERN
from mcpi.core.scripts.script import ScriptDocument
from mcpi.core.scripts.step_keys import ON_ERROR, Expectations, NotificationName, OnError, Retry, StepKeys, StepName
from mcpi.shell.discovery.field_docs import texts_of

Schema: TypeAlias = dict[str, Any]

POINTER: Schema = {"$ref": "#/$defs/pointer"}
KINDS: Mapping[object, Schema] = {
    VariableName: {"pattern": f"^{NAME_PATTERN.pattern}$"},
    Pointer: POINTER,
    StepName: {"type": "string", "pattern": r"\S"},
    NotificationName: {"type": "string", "pattern": "/"},
    OnError: {"type": "string", "pattern": f"^({ON_ERROR.pattern})$"},
    Expectations: {
        "type": "object",
        "propertyNames": {**POINTER, "not": {"pattern": f":({'|'.join(OPERATORS)})$"}},
        "description": 'A value, or an object of operators; to compare with an object, use {"equals": {...}}.',
        "additionalProperties": {
            "anyOf": [
                {"$ref": "#/$defs/operators"},
                {"type": ["null", "boolean", "number", "string", "array"]},
            ]
        },
    },
    list[Exact]: {"$ref": "#/$defs/steps"},
    Retry: {"$ref": "#/$defs/retry"},
}
OPERANDS: Mapping[str, Schema] = {
    "matches": {"type": "string", "format": "regex"},
    "exists": {"type": "boolean"},
    "type": {"enum": list(TYPES)},
    "schema": {"type": ["object", "boolean"]},
    **{name: {"type": "number"} for name in ("length", "lessThan", "greaterThan")},
}
STEP = "A method with its flags in camelCase (toolName, toolArgs, uri, ...), or a notification to wait for."


def script_schema() -> Schema:
    """The whole schema."""
    step = {
        "type": "object",
        "description": STEP,
        "properties": properties(StepKeys),
        "oneOf": [{"required": ["method"]}, {"required": ["wait"]}],
    }
    operators = {
        "type": "object",
        "minProperties": 1,
        "properties": {name: OPERANDS.get(name, {}) for name in OPERATORS},
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A script of mcpi --script",
        "anyOf": [{"$ref": "#/$defs/steps"}, object_of(ScriptDocument)],
        "$defs": {
            "steps": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/step"}},
            "step": step,
            "operators": operators,
            "retry": object_of(Retry),
            "pointer": {"type": "string", "pattern": "^(/.*)?$"},
        },
    }


def object_of(owner: type) -> Schema:
    """The schema of an object with exactly the fields of the class."""
    return {
        "type": "object",
        "required": [json_key(one) for one in fields(owner) if one.default is NOTHING],
        "properties": properties(owner),
        "additionalProperties": False,
    }


def properties(owner: type) -> Schema:
    """The schema of each field, with its description and its default."""
    texts = texts_of(owner)
    return {json_key(one): value_schema(one.type, KINDS) | about(one, texts.get(one.name, "")) for one in fields(owner)}


def about(one: "Attribute[Any]", text: str) -> Schema:
    """Return the parts of a schema besides the type."""
    default = {"default": one.default} if isinstance(one.default, bool | str) else {}
    return default | ({"description": text} if text else {})
