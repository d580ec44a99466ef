"""JSON as Python types, and safe accessors for untrusted values."""

import math
from typing import TypeAlias

from mcpi.core.lazy_pattern import lazy_pattern

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A JSON value as Python types."""

JsonObject: TypeAlias = dict[str, "Json"]

_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def as_object(value: Json) -> JsonObject:
    """Return the value if it is an object, else an empty object."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """Return the value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def is_utf8_encodable(text: str) -> bool:
    """Tell whether the text can be encoded as UTF-8; a lone surrogate cannot."""
    return text.encode(errors="ignore").decode() == text


def escape_surrogates(text: str) -> str:
    """Escape the lone surrogates in JSON text, which UTF-8 cannot encode."""
    return text if text.isascii() else _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def type_name(value: Json) -> str:
    """Return the JSON name of the value's type."""
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


def json_equal(left: Json, right: Json) -> bool:
    """Compare two JSON values at any depth; true is not equal to 1, but 1 is equal to 1.0."""
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


def is_multiple(value: float, step: float) -> bool:
    """Tell whether a number is a multiple of a positive one; both count as they are written, so 0.3 is one of 0.1."""
    from fractions import Fraction  # noqa: PLC0415 - slow to import and rarely needed

    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    if math.inf in (abs(value), step):
        return True  # beyond the range of floats, so its digits are not known
    written, unit = (Fraction(one if isinstance(one, int) else str(one)) for one in (value, step))
    return written % unit == 0
