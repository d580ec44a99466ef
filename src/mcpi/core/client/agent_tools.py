"""Methods as tools for agents: input schemas, and faults that name arguments instead of flags."""

import re
from collections.abc import Collection, Mapping

from attrs import evolve

from mcpi.core.flags.declare import Flag, camel_case, flags_of
from mcpi.core.flags.types import JSON, NUMBER, SWITCH
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import Fault, Invalid, MissingCapability
from mcpi.core.plans.method import AnyMethod

_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_TIMEOUT_ARGUMENT = "timeoutSeconds"


def tool_name(method: str) -> str:
    """Convert a method name to a tool name."""
    return method.replace("/", "_")


def input_schema(method: AnyMethod, texts: Mapping[str, str]) -> JsonObject:
    """Build the tool's input schema; `texts` contains the description of each field."""
    flags = flags_of(method.args)
    properties: JsonObject = {flag.key: _flag_schema(flag, texts.get(flag.field, "")) for flag in flags}
    required: list[Json] = [flag.key for flag in flags if flag.required]
    schema: JsonObject = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _flag_schema(flag: Flag, text: str) -> JsonObject:
    one = _value_schema(flag)
    schema: JsonObject = {"type": "array", "items": one} if flag.repeatable else one
    return {**schema, "description": text} if text else schema


def _value_schema(flag: Flag) -> JsonObject:
    if flag.flag_type is JSON:
        return {}
    if flag.flag_type is SWITCH:
        return {"type": "boolean"}
    if flag.flag_type is NUMBER:
        return {"type": "integer", "minimum": 0}
    if flag.flag_type.choices:
        return {"type": "string", "enum": list(flag.flag_type.choices)}
    types: list[Json] = list(flag.flag_type.types)
    return {"type": types[0] if len(types) == 1 else types}


def with_argument_names(fault: Fault, known: Collection[str]) -> Fault:
    """Name the tool's arguments instead of flags in the fault's own text; text from the server is unchanged."""
    hints = tuple(_as_arguments(hint, known) for hint in fault.hints)
    match fault:
        case Invalid(_, where, problem):
            where, problem = _as_arguments(where, known), _as_arguments(problem, known)
            return evolve(fault, where=where, problem=problem, hints=hints)
        case MissingCapability(_, problem):
            return evolve(fault, problem=_as_arguments(problem, known), hints=hints)
        case _:
            return evolve(fault, hints=hints)


def _as_arguments(text: str, known: Collection[str]) -> str:
    """Replace the flags in the text by the names of the tool's arguments."""

    def named(flag: re.Match[str]) -> str:
        name = camel_case(flag[1].replace("-", "_"))
        if name in ("timeout", "maxTotalTimeout"):
            return _TIMEOUT_ARGUMENT if _TIMEOUT_ARGUMENT in known else f"{_TIMEOUT_ARGUMENT} (of connect)"
        return name if name in known else flag[0]

    return _FLAG.sub(named, text)
