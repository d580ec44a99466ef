"""What the recorder sent becomes a value that any JSON writer can carry."""

import re

from mcpi.core.exact import Unreadable, read
from mcpi.core.portable import DEEPEST, clean
from mcpi.core.values import JsonObject, as_object

_OPENING = re.compile(r"[{\[]")
_SUSPECT = re.compile(r"\\u[dD][89a-fA-F]|[0-9][eE]\+?[0-9]{3}|[\ud800-\udfff]")


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
