"""Write values as JSON text, keeping the server's own text unchanged."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, TypeAlias, cast

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.indentation import compact, indent
from mcpi.core.jsontext.values import escape_surrogates

_Parts: TypeAlias = Iterator[tuple[str, Printable]]
_PLACEHOLDER = "\0mcpi"
_ENCODED_PLACEHOLDER = json.dumps(_PLACEHOLDER)
"""The encoded placeholder for a server's text in the output of `json.dumps`."""
_FEW = 6
"""Number of members up to which an object is small."""
_INFINITE = {"inf": "1e999", "-inf": "-1e999", "nan": "null"}
_EXACTLY: Mapping[str, Any] = {
    "ensure_ascii": False,
    "allow_nan": False,
    "check_circular": False,
    "separators": (",", ":"),
}


def text(value: str) -> str:
    """Encode a JSON string; a lone surrogate is escaped because UTF-8 cannot encode it."""
    return escape_surrogates(encode_basestring(value))


def dump(value: Printable, levels: int = 3) -> str:
    """Write the value on one line, at any nesting depth; `levels` of small objects are written member by member."""
    if isinstance(value, Exact):
        return compact(value.text)
    write = _SCALARS.get(type(value))
    if write is not None:
        return write(value)
    if type(value) is dict and len(value) <= _FEW and levels:
        # The library creates an encoder for each value, which takes longer than writing these.
        return f"{{{','.join([_key(name) + dump(member, levels - 1) for name, member in value.items()])}}}"
    return _dump_large(value)


@lru_cache(maxsize=500)
def _key(name: str) -> str:
    return f"{text(name)}:"


def _dump_large(value: Printable) -> str:
    """Write the value with the json module, which cannot insert texts unchanged."""
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
    return _INFINITE.get(written, written)


_SCALARS: Mapping[type, Callable[[Any], str]] = {str: text, int: repr, float: _number}


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
