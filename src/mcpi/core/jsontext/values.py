"""JSON as Python holds it, and careful ways to look at it."""

from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A JSON value as Python holds it."""

JsonObject: TypeAlias = dict[str, "Json"]


def as_object(value: Json) -> JsonObject:
    """The value if it is an object, else an empty one: servers send what they like."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def has_bytes(text: str) -> bool:
    """Whether it can be sent: a lone surrogate, which JSON can spell, has no bytes."""
    return text.encode(errors="ignore").decode() == text


def type_name(value: Json) -> str:
    """The value's type as JSON calls it."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"


def same(left: Json, right: Json) -> bool:
    """Equal as JSON, however deep it goes: true is not 1, and 1 is 1.0."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if type_name(one) != type_name(other):
            return False
        if isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
        elif isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs += ((one[name], other[name]) for name in one)
        elif one != other:
            return False
    return True
