"""A server's value becomes one that any JSON writer can carry."""

import math
import re

from mcpi.core.jsontext.values import Json

DEEPEST = 100
"""So many levels are shown of a value; the writers of the SDK give up at some 250."""
TOO_DEEP = "[Deeper]"
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRAY = "�"


def clean(value: Json, depth: int = 0) -> Json:
    """The value without what has no bytes in UTF-8, no number in JSON, or no end."""
    match value:
        case str():
            return _SURROGATE.sub(_STRAY, value)
        case float() if not math.isfinite(value):
            return "Infinity" if value > 0 else "-Infinity"
        case list() | dict() if depth > DEEPEST:
            return TOO_DEEP
        case list():
            return [clean(element, depth + 1) for element in value]
        case dict():
            return {_SURROGATE.sub(_STRAY, name): clean(member, depth + 1) for name, member in value.items()}
        case _:
            return value
