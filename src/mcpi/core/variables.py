"""${name} in a script: where it stands, and what it becomes."""

import re
from collections.abc import Iterator, Mapping, Sequence

from mcpi.core.exact import Exact, Printable, plain
from mcpi.core.render import dump
from mcpi.core.values import Json

_NAME = r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}"
_INSIDE, _ALONE = re.compile(_NAME), re.compile(_NAME + r"\Z")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""What a variable may be called."""


def named(value: Json) -> Iterator[str]:
    """The variables that the value wants, in keys too."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield from (match[1] for match in _INSIDE.finditer(one))
        elif isinstance(one, list):
            stack += one
        elif isinstance(one, dict):
            stack += [*one, *one.values()]


def fill_in(exact: Exact, values: Mapping[str, Exact]) -> Exact:
    """The value with its variables filled in; what has none keeps its spelling."""
    if not any(True for _ in named(exact.value)):
        return exact
    filled = _filled(exact, values)
    return Exact(dump(filled), plain(filled))


def _filled(exact: Exact, values: Mapping[str, Exact]) -> Printable:
    match exact.value:
        case str() as text:
            alone = _ALONE.match(text)
            # A value that is nothing but a variable keeps the variable's type.
            return values[alone[1]] if alone else _INSIDE.sub(lambda match: _text(values[match[1]]), text)
        case list():
            return [_filled(element, values) for element in exact.elements()]
        case dict():
            members = exact.members().items()
            return {_INSIDE.sub(lambda m: _text(values[m[1]]), name): _filled(one, values) for name, one in members}
        case _:
            return exact


def _text(exact: Exact) -> str:
    return exact.value if isinstance(exact.value, str) else exact.text


def exact_text(text: str) -> Exact:
    """A string as a variable's value."""
    return Exact(dump(text), text)


def captured(result: Printable, pointer: str) -> Exact | None:
    """What a JSON pointer names in a result, spelled as it was; nothing if it names nothing."""
    value = result
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        members = value.members() if isinstance(value, Exact) else value
        if isinstance(value, Exact) and isinstance(value.value, list):
            members = dict(enumerate_text(value.elements()))
        elif isinstance(members, list):
            members = dict(enumerate_text(members))
        if not isinstance(members, Mapping) or name not in members:
            return None
        value = members[name]
    return value if isinstance(value, Exact) else Exact(dump(value), plain(value))


def enumerate_text(elements: Sequence[Printable]) -> Iterator[tuple[str, Printable]]:
    """The elements with their places as a pointer writes them."""
    return ((str(place), element) for place, element in enumerate(elements))
