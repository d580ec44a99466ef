"""Values become JSON text, and the server's own text stays as it was."""

import json
import re
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring

from mcpi.core.exact import Exact, Printable, compact, indent

_SURROGATE = re.compile("[\ud800-\udfff]")


def text(value: str) -> str:
    """A JSON string; a lone surrogate is escaped, as it has no bytes of its own."""
    quoted = encode_basestring(value)
    return quoted if quoted.isascii() else _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def dump(value: Printable) -> str:
    """The value on one line."""
    out: list[str] = []
    _write(value, out)
    return "".join(out)


def pretty(value: Printable) -> str:
    """The value with two spaces a level."""
    return indent(value.text if isinstance(value, Exact) else dump(value))


def _write(value: Printable, out: list[str]) -> None:
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
            _write_object(value, out)
        case Sequence():
            _write_array(value, out)


def _number(value: float) -> str:
    # JSON has no infinity: what was too large to hold stays too large to hold.
    written = repr(value)
    return {"inf": "1e999", "-inf": "-1e999", "nan": "null"}.get(written, written)


def _write_object(value: Mapping[str, Printable], out: list[str]) -> None:
    mark = "{"
    for name, member in value.items():
        out.append(f"{mark}{text(name)}:")
        _write(member, out)
        mark = ","
    out.append("{}" if mark == "{" else "}")


def _write_array(value: Sequence[Printable], out: list[str]) -> None:
    mark = "["
    for element in value:
        out.append(mark)
        _write(element, out)
        mark = ","
    out.append("[]" if mark == "[" else "]")
