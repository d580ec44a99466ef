"""Tools for agents: input schemas, arguments, and faults that name arguments instead of flags."""

import re
from collections.abc import Callable, Collection, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin

from attrs import NOTHING, evolve, field, fields, make_class
from cattrs.dispatch import StructureHook

from mcpi.core.flags.declare import camel_case
from mcpi.core.flags.expectations import is_number
from mcpi.core.flags.structure import CONVERTER, InvalidValueError, json_key
from mcpi.core.flags.types import FLAG_TYPES, JSON, NUMBER, FlagType, type_of
from mcpi.core.jsontext.exact import Exact
from mcpi.core.jsontext.values import Json, JsonObject
from mcpi.core.outcome.faults import Fault, Invalid, MissingCapability
from mcpi.core.plans.method import AnyMethod

LONGEST = 60.0
"""Maximum duration of one watch, in seconds."""
Seconds: TypeAlias = Annotated[float, "seconds"]
WatchSeconds: TypeAlias = Annotated[float, "seconds of a watch"]
Count: TypeAlias = Annotated[int, "count"]
_SEVERAL: Mapping[object, JsonObject] = {
    # Some clients reject a list of types.
    kind: {"anyOf": [{"type": name} for name in one.types]}
    for kind, one in FLAG_TYPES.items()
    if len(one.types) > 1 and one is not JSON
}
ARGUMENT_TYPES: Mapping[object, JsonObject] = {
    **_SEVERAL,
    Seconds: {"type": "number", "exclusiveMinimum": 0},
    WatchSeconds: {"type": "number", "exclusiveMinimum": 0, "maximum": LONGEST},
    Count: {"type": "integer", "minimum": 1},
}
_FITS: Mapping[object, tuple[str, Callable[[Any], bool]]] = {
    Seconds: ("a number greater than 0", lambda number: number > 0),
    WatchSeconds: (f"a number greater than 0 and at most {LONGEST:g}", lambda number: 0 < number <= LONGEST),
    Count: ("an integer from 1", lambda number: isinstance(number, int) and number > 0),
}

_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_TIMEOUT_ARGUMENT = "timeoutSeconds"


def tool_name(method: str) -> str:
    """Convert a method name to a tool name."""
    return method.replace("/", "_")


def usage(method: AnyMethod) -> str:
    """Return the method and its arguments, such as completion/complete(completionRef, argumentName, argumentValue?)."""
    names = [json_key(one) + ("" if one.default is NOTHING else "?") for one in fields(method.args)]
    return f"{method.name}({', '.join(names)})" if names else method.name


def joined(name: str, *owners: type, only: Collection[str] | None = None) -> type:
    """Build a class with the fields of all classes; `only` names the fields of the first one to take."""
    first = [one for one in fields(owners[0]) if only is None or one.name in only]
    found = [*first, *(one for owner in owners[1:] for one in fields(owner))]
    return make_class(
        name,
        {one.name: field(default=one.default, type=one.type, metadata=one.metadata) for one in found},
        kw_only=True,
    )


def input_schema(owner: type, texts: Mapping[str, str]) -> JsonObject:
    """Build the input schema of a tool from the class of its arguments; `texts` has the description of each field."""
    properties: JsonObject = {}
    for one in fields(owner):
        text = texts.get(one.name)
        properties[json_key(one)] = value_schema(one.type) | ({"description": text} if text else {})
    required: list[Json] = [json_key(one) for one in fields(owner) if one.default is NOTHING]
    schema: JsonObject = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def value_schema(annotation: object, known: Mapping[object, JsonObject] = ARGUMENT_TYPES) -> JsonObject:
    """Build the schema of a type; `known` has those of special types."""
    if annotation in known:
        return known[annotation]
    parts = [part for part in get_args(annotation) if part not in {NoneType, ...}]
    if get_origin(annotation) in {list, tuple}:
        return {"type": "array", "items": value_schema(parts[0], known)}
    if get_origin(annotation) is Mapping:
        names, values = value_schema(parts[0], known), value_schema(parts[1], known)
        about: JsonObject = {} if parts[0] is str else {"propertyNames": names}
        return {"type": "object", **about, **({"additionalProperties": values} if values else {})}
    if get_origin(annotation) in {Union, UnionType}:
        return value_schema(parts[0], known)
    return _flag_schema(type_of(annotation)[0])


def _flag_schema(flag_type: FlagType) -> JsonObject:
    if flag_type is JSON:
        return {}
    if flag_type is NUMBER:
        return {"type": "integer", "minimum": 0}
    if flag_type.choices:
        return {"type": "string", "enum": list(flag_type.choices)}
    types: list[Json] = list(flag_type.types)
    return {"type": types[0] if len(types) == 1 else types}


def _number_hook(kind: object) -> StructureHook:
    expected, fits = _FITS[kind]

    def hook(value: Exact, _: object) -> object:
        if not is_number(value.value) or not fits(value.value):
            raise InvalidValueError(f"expected {expected}, found {value.text}")
        return value.value

    return hook


CONVERTER.register_structure_hook_factory(_FITS.__contains__, _number_hook)


def with_argument_names(fault: Fault, known: Collection[str]) -> Fault:
    """Name the tool's arguments instead of flags in the fault's own text; text from the server is unchanged."""
    return rewrite(fault, lambda text: _as_arguments(text, known))


def rewrite(fault: Fault, convert: Callable[[str], str]) -> Fault:
    """Convert the fault's own text; text from the server is unchanged."""
    hints = tuple(convert(hint) for hint in fault.hints)
    match fault:
        case Invalid(_, where, problem):
            own = problem if fault.quotes_server else convert(problem)
            return evolve(fault, where=convert(where), problem=own, hints=hints)
        case MissingCapability(_, problem):
            return evolve(fault, problem=convert(problem), hints=hints)
        case _:
            return evolve(fault, hints=hints)


def _as_arguments(text: str, known: Collection[str]) -> str:
    """Replace the flags in the text with the names of the tool's arguments."""

    def named(flag: re.Match[str]) -> str:
        name = camel_case(flag[1].replace("-", "_"))
        if name in ("timeout", "maxTotalTimeout"):
            return _TIMEOUT_ARGUMENT if _TIMEOUT_ARGUMENT in known else f"{_TIMEOUT_ARGUMENT} (of connect)"
        if name == "force" and name not in known:
            return "params (of call_method)"
        return name if name in known else flag[0]

    return _FLAG.sub(named, text)
