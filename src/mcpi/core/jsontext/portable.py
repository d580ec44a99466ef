"""Make a server's value safe for any JSON writer."""

import math
import re

from mcpi.core.jsontext.values import Json

MAX_DEPTH = 100
"""Maximum nesting depth that is shown; the JSON encoders of the MCP SDK fail at about 250 levels."""
TOO_DEEP = "[Deeper]"
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "�"


def make_portable(value: Json, depth: int = 0) -> Json:
    """Replace lone surrogates, non-finite numbers and values that are nested too deep."""
    match value:
        case str():
            return _SURROGATE.sub(_REPLACEMENT, value)
        case float() if not math.isfinite(value):
            return "Infinity" if value > 0 else "-Infinity"
        case list() | dict() if depth > MAX_DEPTH:
            return TOO_DEEP
        case list():
            return [make_portable(element, depth + 1) for element in value]
        case dict():
            return {
                _SURROGATE.sub(_REPLACEMENT, name): make_portable(member, depth + 1) for name, member in value.items()
            }
        case _:
            return value
