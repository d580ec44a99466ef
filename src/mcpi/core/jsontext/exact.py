"""JSON with its original spelling: parsed for decisions, printed from its own text."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from json import JSONDecoder, decoder
from typing import Any, TypeAlias, cast

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.nesting import TOO_DEEP, container_end, is_too_deep
from mcpi.core.jsontext.patterns import LITERAL, STRING
from mcpi.core.jsontext.values import Json, as_object, escape_surrogates

LARGE = 1 << 19
"""Minimum number of characters of a text that is split and formatted by msgspec, and parsed in parts on demand."""
_PARTED_LEVELS = 20
_UNREAD: Any = object()
_KINDS = {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}
_LITERAL = re.compile(f"{STRING}|({LITERAL})", re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_NAME_END = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
_NEXT_NAME = re.compile(r'[ \t\r\n]*,[ \t\r\n]*"([^"\\\x00-\x1f]*+)"[ \t\r\n]*:[ \t\r\n]*')
_NEXT = re.compile(r"[ \t\r\n]*([,}\]])[ \t\r\n]*")


@frozen
class Exact:
    """A JSON value together with its original text."""

    text: str
    _value: Json = field(default=_UNREAD)
    _is_flat: bool = field(default=False, alias="is_flat")  # known not to be nested too deep

    @property
    def value(self) -> Json:
        """The value as Python types, parsed on first use; if the text is nested too deep, only the first level."""
        if self._value is _UNREAD:
            object.__setattr__(self, "_value", _read(self.text, _PARTED_LEVELS))
        return self._value

    @property
    def kind(self) -> str:
        """The JSON name of the value's type."""
        return _KINDS.get(self.text[:1], "number")

    def get(self, name: str) -> Json:
        """Return the value of a member, or None; in a large text, only this member is parsed."""
        if self._value is not _UNREAD:
            return as_object(self._value).get(name)
        if len(self.text) >= LARGE:
            # Searching is much faster than splitting; only escapes could spell the name differently.
            if "\\" not in self.text and f'"{name}"' not in self.text:
                return None
            from mcpi.core.jsontext import codec  # noqa: PLC0415 - only large texts need msgspec

            if self._is_flat and (found := codec.utf8_member_texts(self.text.encode(), (name,))) is not None:
                return Exact(found[name], is_flat=True).value if found else None
        part = self.members().get(name)
        return None if part is None else part.value

    def members(self) -> "Mapping[str, Exact]":
        """Return the members of an object in order; if a member is repeated, the last value is used."""
        try:
            return split_members(self.text, too_deep=False if self._is_flat else None) if self.kind == "object" else {}
        except json.JSONDecodeError:
            return {}  # a text that is nested too deep was not checked

    def elements(self) -> "list[Exact]":
        """Return the elements of an array in order."""
        is_flat = self._is_flat or not is_too_deep(self.text)
        return list(_elements(self.text)) if self.kind == "array" and is_flat else []

    def __eq__(self, other: object) -> bool:
        """Compare the text and the value."""
        return isinstance(other, Exact) and (self.text, self.value) == (other.text, other.value)

    def __hash__(self) -> int:
        """Hash the text."""
        return hash(self.text)


Printable: TypeAlias = "bool | int | float | str | Exact | Sequence[Printable] | Mapping[str, Printable] | None"
"""A value that can be written as JSON; it may contain the server's exact text at any level."""

Params: TypeAlias = Mapping[str, Printable] | Exact
"""The parameters of a request."""


@frozen
class JsonSyntaxProblem:
    """A JSON syntax error and its position."""

    problem: str
    position: int


class _NotJsonError(ValueError):
    """A literal that JavaScript allows and JSON does not."""


def _refuse(literal: str) -> None:
    raise _NotJsonError(literal)


def _integer(text: str) -> int | float:
    # Python rejects integers of more than 4300 digits; infinity is good enough, as only the text is printed.
    try:
        return int(text)
    except ValueError:
        return float(text)


# typeshed lacks both functions.
_scan: Any = cast("Any", JSONDecoder(parse_constant=_refuse)).scan_once
_scan_long_integers: Any = cast("Any", JSONDecoder(parse_constant=_refuse, parse_int=_integer)).scan_once
_scan_string: Any = cast("Any", decoder).scanstring
_ValueReader: TypeAlias = Callable[[str, int], tuple[Json, int]]


def _scan_at(text: str, start: int, scan: _ValueReader = _scan) -> tuple[Json, int]:
    """Parse the value at `start` and return it with its end; raise JSONDecodeError if it is invalid."""
    try:
        return scan(text, start)
    except StopIteration as stop:
        raise json.JSONDecodeError("a value is missing", text, int(stop.value)) from None
    except json.JSONDecodeError:
        raise
    except _NotJsonError as error:
        literal = str(error)
        at = next(found.start() for found in _LITERAL.finditer(text, start) if found[0].startswith(literal))
        raise json.JSONDecodeError(f"{literal} is not JSON", text, at) from None
    except RecursionError:
        # The calling program may have set a lower limit.
        raise json.JSONDecodeError(TOO_DEEP, text, start) from None
    except ValueError:
        return _scan_at(text, start, _scan_long_integers)


def _skip_at(text: str, start: int) -> tuple[Json, int]:
    """Find the end of the value at `start` without parsing it, unless it is a scalar."""
    if text[start : start + 1] not in {"{", "["}:
        return _scan_at(text, start)
    end = container_end(text, start)
    if end is None:
        raise json.JSONDecodeError("missing closing bracket", text, len(text))
    return _UNREAD, end


def _read(text: str, levels: int) -> Json:
    """Parse a text that is known to be valid; a large one in parts, between which a signal can interrupt it."""
    if is_too_deep(text):
        return _shallow(text)
    if len(text) < LARGE or not levels or text[0] not in "{[":
        try:
            return _scan_at(text, 0)[0]
        except json.JSONDecodeError:
            return [] if text[0] == "[" else {}  # the calling program has a lower recursion limit
    if text[0] == "{":
        return {name: _read(part.text, levels - 1) for name, part in split_members(text).items()}
    return [_read(part.text, levels - 1) for part in _elements(text)]


def _shallow(text: str) -> Json:
    """Parse the members of an object that is nested too deep; members that are nested too deep count as empty."""
    if text[0] == "[":
        return []
    return {
        name: ([] if part.kind == "array" else {}) if is_too_deep(part.text) else part.value
        for name, part in Exact(text).members().items()
    }


def parse_json_text(text: str) -> Exact | JsonSyntaxProblem:
    """Parse a text that holds exactly one JSON value."""
    start = _end(_SPACE, text, 0)
    if is_too_deep(text):
        return JsonSyntaxProblem(TOO_DEEP, start)
    try:
        if len(text) >= LARGE:
            from mcpi.core.jsontext import codec  # noqa: PLC0415 - only large texts need msgspec

            bare = escape_surrogates(text.strip(" \t\r\n"))
            codec.check_value(bare)
            return Exact(bare, is_flat=True)
        value, end = _scan_at(text, start)
    except json.JSONDecodeError as error:
        return JsonSyntaxProblem(error.msg, error.pos)
    rest = _end(_SPACE, text, end)
    if rest < len(text):
        return JsonSyntaxProblem("more text after the value", rest)
    return Exact(escape_surrogates(text[start:end]), value)


def parse_json_at(text: str, start: int) -> Exact | None:
    """Parse the value at `start` and ignore the text after it; return None if it needs the full parser."""
    if len(text) >= LARGE or is_too_deep(text):
        return None
    try:
        value, end = _scan_at(text, start)
    except json.JSONDecodeError:
        return None
    return Exact(text[start:end], value)


def split_members(text: str, *, too_deep: bool | None = None) -> dict[str, Exact]:
    """Split an object into its members, each with its own text; raise JSONDecodeError if it is invalid."""
    too_deep = is_too_deep(text) if too_deep is None else too_deep
    if len(text) >= LARGE and not too_deep:
        from mcpi.core.jsontext import codec  # noqa: PLC0415 - only large texts need msgspec

        parts = codec.member_texts(text)
        if parts is not None:
            return {name: Exact(part, is_flat=True) for name, part in parts.items()}
        too_deep = True
    return _members(text, _skip_at if too_deep else _scan_at)


def _members(text: str, value_at: _ValueReader) -> dict[str, Exact]:
    found: dict[str, Exact] = {}
    at = _end(_SPACE, text, _end(_SPACE, text, 0) + 1)
    if text[at : at + 1] == "}":
        at = _end(_SPACE, text, at + 1)
    else:
        name, start = _name(text, at)
        while True:
            value, end = value_at(text, start)
            found[name] = Exact(text[start:end], value)
            usual = _NEXT_NAME.match(text, end)
            if usual is not None:
                name, start = usual[1], usual.end()
                continue
            follows = _NEXT.match(text, end)
            if follows is None or follows[1] == "]":
                raise json.JSONDecodeError("',' or '}' is missing", text, end)
            at = follows.end()
            if follows[1] == "}":
                break
            name, start = _name(text, at)
    if at != len(text):
        raise json.JSONDecodeError("more text after the object", text, at)
    return found


def _name(text: str, at: int) -> tuple[str, int]:
    """Parse a member's name; return it and the start of the member's value."""
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("a member's name is missing", text, at)
    name, at = _scan_string(text, at + 1)
    colon = _NAME_END.match(text, at)
    if colon is None:
        raise json.JSONDecodeError("':' is missing", text, at)
    return name, colon.end()


def _elements(text: str) -> Iterator[Exact]:
    """Yield the elements of an array's text, which is known to be valid."""
    value_at: _ValueReader = _scan_at
    if len(text) >= LARGE:
        from mcpi.core.jsontext import codec  # noqa: PLC0415 - only large texts need msgspec

        parts = codec.element_texts(text)
        if parts is not None:
            yield from map(Exact, parts)
            return
        value_at = _skip_at
    at = _end(_SPACE, text, _end(_SPACE, text, 0) + 1)
    more = text[at] != "]"
    while more:
        value, end = value_at(text, at)
        yield Exact(text[at:end], value)
        follows = _NEXT.match(text, end)
        assert follows is not None
        more, at = follows[1] == ",", follows.end()


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start


def to_plain(value: Printable) -> Json:
    """Convert the value to plain Python types, at any depth."""
    root: list[Json] = [None]
    open_: list[tuple[Any, Any, Printable]] = [(root, 0, value)]
    while open_:
        parent, place, part = open_.pop()
        match part:
            case str() | int() | float() | None | Exact():  # first, as the checks for abstract classes are slow
                parent[place] = part.value if isinstance(part, Exact) else part
            case Mapping():
                parent[place] = dict.fromkeys(part)
                open_ += [(parent[place], name, member) for name, member in part.items()]
            case Sequence():
                parent[place] = [None] * len(part)
                open_ += [(parent[place], at, element) for at, element in enumerate(part)]
            case _:
                parent[place] = part
    return root[0]
