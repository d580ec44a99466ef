"""Values become JSON text, and the server's own text stays as it was."""

import json
from collections.abc import Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from typing import TypeAlias

from mcpi.core.exact import Exact, Printable, compact, escaped, indent

_Parts: TypeAlias = Iterator[tuple[str, Printable]]


def text(value: str) -> str:
    """A JSON string; a lone surrogate is escaped, as it has no bytes of its own."""
    return escaped(encode_basestring(value))


def dump(value: Printable) -> str:
    """The value on one line, however deep it goes."""
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
    """The value with two spaces a level."""
    return indent(value.text if isinstance(value, Exact) else dump(value))


def _write(value: Printable, out: list[str]) -> tuple[_Parts, str] | None:
    """Writes the value, or how it begins; then what is inside is still to be written, and how it ends."""
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
    # JSON has no infinity: what was too large to hold stays too large to hold.
    written = repr(value)
    return {"inf": "1e999", "-inf": "-1e999", "nan": "null"}.get(written, written)


def _members(value: Mapping[str, Printable]) -> _Parts:
    mark = ""
    for name, member in value.items():
        yield f"{mark}{text(name)}:", member
        mark = ","


def _elements(value: Sequence[Printable]) -> _Parts:
    mark = ""
    for element in value:
        yield mark, element
        mark = ","
