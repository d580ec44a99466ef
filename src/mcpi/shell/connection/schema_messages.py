"""Describe the problems that the jsonschema library finds; its own messages show values as Python writes them."""

from collections.abc import Iterator
from typing import Any

from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.wire.violations import MAX_QUOTED

MAX_VALUE = 60
"""Maximum number of characters of a value in a message."""
_WITH_OPERAND = frozenset({"enum", "pattern", "format", "not"})
"""Keywords whose messages show their operand."""
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})


def causes(error: Any) -> Iterator[Any]:  # noqa: ANN401 - the library does not type the members of its errors
    """Yield the errors within the only alternative that the value can be meant for, or else the error itself."""
    alternatives: dict[int, list[Any]] = {}
    for one in error.context if error.validator in _ALTERNATIVES else ():
        alternatives.setdefault(one.relative_schema_path[0], []).append(one)
    meant = [errors for errors in alternatives.values() if not any(map(_is_of_another_type, errors))]
    if len(meant) > 1:
        # Most unions of objects have a member that tells them apart.
        meant = [errors for errors in meant if not any(map(_has_another_constant, errors))]
    if len(meant) != 1:
        yield error
        return
    for one in meant[0]:
        yield from causes(one)


def _is_of_another_type(error: Any) -> bool:  # noqa: ANN401 - see above
    return error.validator == "type" and not error.relative_path


def _has_another_constant(error: Any) -> bool:  # noqa: ANN401 - see above
    return error.validator in {"const", "enum"} and len(error.relative_path) <= 1


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
    if error.validator in _ALTERNATIVES and error.context and all(map(_is_of_another_type, error.context)):
        return f"{found} is not of type {', '.join(map(repr, _types(error.context)))}"
    rest = message.removeprefix(repr(error.instance))
    if rest == message:
        return shortened(message)
    if rest.startswith(" is valid under each of "):
        return f"{found} is valid under more than one of the given schemas"
    if error.validator in _WITH_OPERAND:
        rest = rest.replace(repr(error.validator_value), shortened(dump(error.validator_value)))
    return f"{found}{rest}"


def _types(errors: list[Any]) -> dict[str, None]:
    """Return the types that the errors expect, in order."""
    each = (one.validator_value for one in errors)
    return dict.fromkeys(name for names in each for name in ([names] if isinstance(names, str) else names))


def shortened(text: str) -> str:
    """Shorten the text in the middle, as both its ends are informative."""
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED // 2]} … {text[-MAX_QUOTED // 2 :]}"


def _excerpt(value: Json) -> str:
    text = dump(value)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
