"""A method as a tool: its flags as the JSON schema of its arguments."""

from collections.abc import Mapping

from mcpi.core.flags import Flag, flags_of
from mcpi.core.kinds import JSON, NUMBER, SWITCH
from mcpi.core.method import AnyMethod
from mcpi.core.values import Json, JsonObject


def tool_name(method: str) -> str:
    """The method's name as tools are named."""
    return method.replace("/", "_")


def input_schema(method: AnyMethod, texts: Mapping[str, str]) -> JsonObject:
    """What the tool takes; texts say what each field is for."""
    flags = flags_of(method.args)
    properties: JsonObject = {flag.key: _described(flag, texts.get(flag.field, "")) for flag in flags}
    required: list[Json] = [flag.key for flag in flags if flag.required]
    schema: JsonObject = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _described(flag: Flag, text: str) -> JsonObject:
    one = _value(flag)
    schema: JsonObject = {"type": "array", "items": one} if flag.many else one
    return {**schema, "description": text} if text else schema


def _value(flag: Flag) -> JsonObject:
    if flag.kind is JSON:
        return {}
    if flag.kind is SWITCH:
        return {"type": "boolean"}
    if flag.kind is NUMBER:
        return {"type": "integer", "minimum": 0}
    if flag.kind.choices:
        return {"type": "string", "enum": list(flag.kind.choices)}
    types: list[Json] = list(flag.kind.types)
    return {"type": types[0] if len(types) == 1 else types}
