"""Find and substitute the ${name} variables of a script."""

import json
import re
from collections.abc import Iterator, Mapping

from mcpi.core.jsontext.exact import Exact, parse_json_text
from mcpi.core.jsontext.patterns import STRING
from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump

_NAME = r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}"
_INSIDE, _ALONE = re.compile(_NAME), re.compile(_NAME + r"\Z")
_STRING = re.compile(rf"({STRING})((?:\s*+:)?+)", re.DOTALL)
NAME_PATTERN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""The syntax of a variable's name."""


def variables_in(value: Json) -> Iterator[str]:
    """Yield the variables that the value uses, including those in keys."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield from (match[1] for match in _INSIDE.finditer(one))
        elif isinstance(one, list):
            stack += one
        elif isinstance(one, dict):
            stack += [*one, *one.values()]


def substitute(exact: Exact, values: Mapping[str, Exact]) -> Exact:
    """Substitute the known variables in the value; everything else keeps its spelling."""
    if not any(variables_in(exact.value)):
        return exact
    found = parse_json_text(_STRING.sub(lambda match: _filled(match[1], match[2], values), exact.text))
    assert isinstance(found, Exact)
    return found


def _filled(spelled: str, colon: str, values: Mapping[str, Exact]) -> str:
    """Substitute variables in one JSON string; it is a member's name if a colon follows it."""
    text: str = json.loads(spelled)
    alone = None if colon else _ALONE.match(text)
    if alone and alone[1] in values:
        # A string that consists of a single variable takes the variable's type.
        return values[alone[1]].text
    filled = substitute_text(text, values)
    return (spelled if filled == text else dump(filled)) + colon


def substitute_text(text: str, values: Mapping[str, Exact]) -> str:
    """Substitute the known variables in the text."""
    return _INSIDE.sub(lambda match: _text(values[match[1]]) if match[1] in values else match[0], text)


def _text(exact: Exact) -> str:
    return exact.value if isinstance(exact.value, str) else exact.text


def exact_text(text: str) -> Exact:
    """Wrap a string as a variable's value."""
    return Exact(dump(text), text)
