"""Describe the problems that the jsonschema library finds; its own messages show values as Python writes them."""

from typing import Any

from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.wire.violations import MAX_QUOTED

MAX_VALUE = 60
"""Maximum number of characters of a value in a message."""
_WITH_OPERAND = frozenset({"enum", "pattern", "format", "not"})
"""Keywords whose messages show their operand."""


def problem_message(error: Any) -> str:  # noqa: ANN401 - the library does not type the members of its errors
    """Describe the problem in one sentence, with values as JSON."""
    found, message = _excerpt(error.instance), str(error.message)
    if error.validator is None:
        return f"{found} is not allowed"
    if error.validator == "const":
        return f"expected {_excerpt(error.validator_value)}, got {found}"
    if error.validator == "items":
        # A message of `items` quotes all elements that are not allowed.
        return message.partition(": ")[0]
    rest = message.removeprefix(repr(error.instance))
    if rest == message:
        return shortened(message)
    if rest.startswith(" is valid under each of "):
        return f"{found} is valid under more than one of the given schemas"
    if error.validator in _WITH_OPERAND:
        rest = rest.replace(repr(error.validator_value), shortened(dump(error.validator_value)))
    return f"{found}{rest}"


def shortened(text: str) -> str:
    """Shorten the text in the middle, as both its ends are informative."""
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED // 2]} … {text[-MAX_QUOTED // 2 :]}"


def _excerpt(value: Json) -> str:
    text = dump(value)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
