"""Values become JSON text, and the server's own text stays as it was."""

import json
from collections.abc import Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any, TypeAlias, cast

from mcpi.core.jsontext.exact import Exact, IndentCache, Printable, compact, escaped, indent

_Parts: TypeAlias = Iterator[tuple[str, Printable]]
_MARK = "\0mcpi"
_WRITTEN = json.dumps(_MARK)
"""Where a text of the server's stands in what the library writes."""
_EXACTLY: Mapping[str, Any] = {
    "ensure_ascii": False,
    "allow_nan": False,
    "check_circular": False,
    "separators": (",", ":"),
}


def text(value: str) -> str:
    """A JSON string; a lone surrogate is escaped, as it has no bytes of its own."""
    return escaped(encode_basestring(value))


def dump(value: Printable) -> str:
    """The value on one line, however deep it goes."""
    if isinstance(value, Exact):
        return compact(value.text)
    inside: list[Exact] = []

    def mark(part: object) -> object:
        if isinstance(part, Exact):
            inside.append(part)
            return _MARK
        return dict(part) if isinstance(part, Mapping) else [*cast("Sequence[Printable]", part)]

    try:
        written = json.dumps(value, default=mark, **_EXACTLY)
    except (ValueError, RecursionError):
        return _dump_deep(value)
    if not inside:
        return escaped(written)
    around = escaped(written).split(_WRITTEN)
    # A string of the user's or the server's may look like our mark.
    if len(around) != len(inside) + 1:
        return _dump_deep(value)
    return around[0] + "".join([compact(part.text) + after for part, after in zip(inside, around[1:], strict=True)])


def _dump_deep(value: Printable) -> str:
    """The same, slowly: deeper than Python's stack, and with numbers that JSON cannot hold."""
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


class ArrayWriter:
    """A JSON array that is written element by element."""

    def __init__(self, *, compact: bool) -> None:
        """It is empty."""
        self._compact = compact
        self._parts: list[str] = []
        self._known: IndentCache = {}

    def add(self, value: Printable) -> None:
        """One more element."""
        written = dump(value)
        self._parts.append(written if self._compact else indent(written, depth=1, known=self._known))

    @property
    def text(self) -> str:
        """All of it: as `dump` or as `pretty` would write it."""
        if self._compact or not self._parts:
            return f"[{','.join(self._parts)}]"
        return "[\n  " + ",\n  ".join(self._parts) + "\n]"


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
