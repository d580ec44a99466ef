"""What the recorder sent becomes a value that any JSON writer can carry."""

import math
import re

from mcpi.core.exact import Unreadable, read
from mcpi.core.values import Json, JsonObject, as_object

DEEPEST = 100
"""So many levels are shown of a value; the writers of the SDK give up at some 250."""
TOO_DEEP = "[Deeper]"
_OPENING = re.compile(r"[{\[]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SUSPECT = re.compile(r"\\u[dD][89a-fA-F]|[0-9][eE]\+?[0-9]{3}|[\ud800-\udfff]")
_STRAY = "�"


def shape(payload: str) -> JsonObject:
    """One result: its type and its value, with what more is known of it."""
    found = read(payload)
    if isinstance(found, Unreadable):
        return {"type": "error", "value": f"[Unserializable: {clean(payload[:200])}]"}
    return as_object(clean(found.value) if _needs_care(payload) else found.value)


def _needs_care(payload: str) -> bool:
    if _SUSPECT.search(payload):
        return True
    return len(payload) > DEEPEST and sum(1 for _ in _OPENING.finditer(payload)) > DEEPEST


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
