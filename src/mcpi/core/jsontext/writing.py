"""Write values as JSON text, keeping the server's own text unchanged."""

import json
from collections.abc import Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any, TypeAlias, cast

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.indentation import IndentCache, compact, indent
from mcpi.core.jsontext.values import escape_surrogates

_Parts: TypeAlias = Iterator[tuple[str, Printable]]
_PLACEHOLDER = "\0mcpi"
_ENCODED_PLACEHOLDER = json.dumps(_PLACEHOLDER)
"""The encoded placeholder for a server's text in the output of `json.dumps`."""
_EXACTLY: Mapping[str, Any] = {
    "ensure_ascii": False,
    "allow_nan": False,
    "check_circular": False,
    "separators": (",", ":"),
}


def text(value: str) -> str:
    """Encode a JSON string; a lone surrogate is escaped because UTF-8 cannot encode it."""
    return escape_surrogates(encode_basestring(value))


def dump(value: Printable) -> str:
    """Write the value on one line, at any nesting depth."""
    if isinstance(value, Exact):
        return compact(value.text)
    if isinstance(value, str):
        return text(value)
    inside: list[Exact] = []

    def mark(part: object) -> object:
        if isinstance(part, Exact):
            inside.append(part)
            return _PLACEHOLDER
        return dict(part) if isinstance(part, Mapping) else [*cast("Sequence[Printable]", part)]

    try:
        written = json.dumps(value, default=mark, **_EXACTLY)
    except (ValueError, RecursionError):
        return _dump_deep(value)
    if not inside:
        return escape_surrogates(written)
    around = escape_surrogates(written).split(_ENCODED_PLACEHOLDER)
    # The user's or the server's strings may contain the placeholder.
    if len(around) != len(inside) + 1:
        return _dump_deep(value)
    return around[0] + "".join([compact(part.text) + after for part, after in zip(inside, around[1:], strict=True)])


def _dump_deep(value: Printable) -> str:
    """Write the value iteratively: slower, but at any depth and with infinite numbers."""
    out: list[str] = []
    opened: list[tuple[_Parts, str]] = [(iter((("", value),)), "")]
    while opened:
        parts, end = opened[-1]
        for before, part in parts:
            out.append(before)
            inner = _write(part, out)
            if inner:
                opened.append(inner)
                break
        else:
            out.append(end)
            opened.pop()
    return "".join(out)


def pretty(value: Printable) -> str:
    """Write the value with an indentation of two spaces per level."""
    return indent(value.text if isinstance(value, Exact) else dump(value))


class ArrayWriter:
    """A JSON array that is written element by element."""

    def __init__(self, *, compact: bool) -> None:
        """Start with an empty array."""
        self._compact = compact
        self._parts: list[str] = []
        self._known: IndentCache = {}

    def add(self, value: Printable) -> None:
        """Append an element."""
        written = dump(value)
        self._parts.append(written if self._compact else indent(written, depth=1, known=self._known))

    @property
    def text(self) -> str:
        """The whole array, formatted as by `dump` or `pretty`."""
        if self._compact or not self._parts:
            return f"[{','.join(self._parts)}]"
        return "[\n  " + ",\n  ".join(self._parts) + "\n]"


def _write(value: Printable, out: list[str]) -> tuple[_Parts, str] | None:
    """Write a scalar, or the start of a container; return the container's parts and closing bracket."""
    match value:
        case str():
            out.append(text(value))
        case Exact():
            out.append(compact(value.text))
        case None | bool() | int():
            out.append(json.dumps(value))
        case float():
            out.append(_number(value))
        case Mapping():
            out.append("{")
            return _members(value), "}"
        case Sequence():
            out.append("[")
            return _elements(value), "]"
    return None


def _number(value: float) -> str:
    # JSON has no infinity: 1e999 overflows to infinity again when it is parsed.
    written = repr(value)
    return {"inf": "1e999", "-inf": "-1e999", "nan": "null"}.get(written, written)


def _members(value: Mapping[str, Printable]) -> _Parts:
    comma = ""
    for name, member in value.items():
        yield f"{comma}{text(name)}:", member
        comma = ","


def _elements(value: Sequence[Printable]) -> _Parts:
    comma = ""
    for element in value:
        yield comma, element
        comma = ","
