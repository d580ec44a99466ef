"""JSON with its original spelling: parsed for decisions, printed from its own text."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from json import JSONDecoder, decoder
from typing import Any, TypeAlias

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.deep_reader import read_deep
from mcpi.core.jsontext.patterns import LITERAL, STRING
from mcpi.core.jsontext.values import Json

_SPACE = re.compile(r"[ \t\r\n]*")
_NAME_END = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
_NEXT_NAME = re.compile(r'[ \t\r\n]*,[ \t\r\n]*"([^"\\\x00-\x1f]*+)"[ \t\r\n]*:[ \t\r\n]*')
_NEXT = re.compile(r"[ \t\r\n]*([,}\]])[ \t\r\n]*")
# Possessive quantifiers: a string of a million escapes needs no backtracking stack.
_TOKEN = re.compile(rf"({STRING}|{LITERAL})(?:\s*+([,:]))?|([{{\[])\s*+([}}\]])?|[}}\],:]", re.DOTALL)
_STRING = re.compile(f"({STRING})", re.DOTALL)
_CACHE_LIMIT = 1000
_LEAF, _MARKED, _OPEN, _EMPTY = 1, 2, 3, 4
_SURROGATE = re.compile("[\ud800-\udfff]")


@frozen
class Exact:
    """A JSON value together with its original text."""

    text: str
    value: Json

    def members(self) -> "Mapping[str, Exact]":
        """Return the members of an object in order; of duplicate members the last one wins."""
        return split_members(self.text) if isinstance(self.value, dict) else {}

    def elements(self) -> "list[Exact]":
        """Return the elements of an array in order."""
        return list(_elements(self.text)) if isinstance(self.value, list) else []


Printable: TypeAlias = "bool | int | float | str | Exact | Sequence[Printable] | Mapping[str, Printable] | None"
"""A value that can be written as JSON; it may contain the server's exact text at any level."""

Params: TypeAlias = Mapping[str, Printable] | Exact
"""The parameters of a request."""


IndentCache: TypeAlias = dict[tuple[str, int], tuple[str, int]]
"""Cache of the indented text between two strings: the same few separators occur again and again."""


@frozen
class JsonSyntaxProblem:
    """A JSON syntax error and its position."""

    problem: str
    position: int


class _NotJsonError(ValueError):
    """A literal that JavaScript allows and JSON does not."""


def _refuse(literal: str) -> None:
    raise _NotJsonError(literal)


_scan: Any = JSONDecoder(parse_constant=_refuse).scan_once  # type: ignore[attr-defined] # missing in typeshed
_scan_string: Any = decoder.scanstring  # type: ignore[attr-defined]


def _scan_at(text: str, start: int) -> tuple[Json, int]:
    """Parse the value at `start` and return it with its end; raise JSONDecodeError if it is invalid."""
    try:
        return _scan(text, start)  # type: ignore[no-any-return]
    except StopIteration as stop:
        raise json.JSONDecodeError("a value is missing", text, int(stop.value)) from None
    except json.JSONDecodeError:
        raise
    except _NotJsonError as error:
        literal = str(error)
        at = next(found.start() for found in _TOKEN.finditer(text, start) if found[0].startswith(literal))
        raise json.JSONDecodeError(f"{literal} is not JSON", text, at) from None
    except (ValueError, RecursionError):
        # An integer of more than 4300 digits, or nesting beyond Python's recursion limit.
        return read_deep(text, start)


def parse_json_text(text: str) -> Exact | JsonSyntaxProblem:
    """Parse a text that holds exactly one JSON value."""
    start = _end(_SPACE, text, 0)
    try:
        value, end = _scan_at(text, start)
    except json.JSONDecodeError as error:
        return JsonSyntaxProblem(error.msg, error.pos)
    rest = _end(_SPACE, text, end)
    if rest < len(text):
        return JsonSyntaxProblem("more text after the value", rest)
    return Exact(escape_surrogates(text[start:end]), value)


def parse_json_at(text: str, start: int) -> Exact | None:
    """Parse the value at `start` and ignore the text after it; return None if it is invalid."""
    try:
        value, end = _scan(text, start)
    except (StopIteration, ValueError, RecursionError):
        try:
            value, end = _scan_at(text, start)
        except json.JSONDecodeError:
            return None
    return Exact(text[start:end], value)


def escape_surrogates(text: str) -> str:
    """Escape the lone surrogates in JSON text, which UTF-8 cannot encode."""
    return text if text.isascii() else _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def split_members(text: str) -> dict[str, Exact]:
    """Split an object into its members, each with its own text; raise JSONDecodeError if it is invalid."""
    found: dict[str, Exact] = {}
    at = _end(_SPACE, text, _end(_SPACE, text, 0) + 1)
    if text[at : at + 1] == "}":
        at = _end(_SPACE, text, at + 1)
    else:
        name, start = _name(text, at)
        while True:
            value, end = _scan_at(text, start)
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
    at = _end(_SPACE, text, _end(_SPACE, text, 0) + 1)
    more = text[at] != "]"
    while more:
        value, end = _scan_at(text, at)
        yield Exact(text[at:end], value)
        follows = _NEXT.match(text, end)
        assert follows is not None
        more, at = follows[1] == ",", follows.end()


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start


def indent(text: str, step: int = 2, depth: int = 0, known: IndentCache | None = None) -> str:
    """Indent JSON, one member per line; numbers, strings and keys keep their spelling."""
    parts = _STRING.split(text)
    if known is None:
        known = {}
    for place in range(0, len(parts), 2):
        between = parts[place]
        found = known.get((between, depth))
        if found is None:
            found = _indent_between(between, step, depth)
            if len(known) < _CACHE_LIMIT:
                known[between, depth] = found
        parts[place], depth = found
    return "".join(parts)


def _indent_between(text: str, step: int, depth: int) -> tuple[str, int]:
    """Indent the JSON between two strings; return it and the depth after it."""
    out: list[str] = []
    line = _line(step, depth)
    for match in _TOKEN.finditer(text):
        kind = match.lastindex
        if kind == _MARKED:
            out.append(match[1] + (": " if match[2] == ":" else "," + line))
        elif kind == _LEAF:
            out.append(match[1])
        elif kind == _OPEN:
            depth += 1
            line = _line(step, depth)
            out.append(match[3] + line)
        elif kind == _EMPTY:
            out.append(match[3] + match[4])
        elif (mark := match[0]) in "}]":
            depth -= 1
            line = _line(step, depth)
            out.append(line + mark)
        else:
            out.append(": " if mark == ":" else "," + line)
    return "".join(out), depth


def _line(step: int, depth: int) -> str:
    # Limit the indentation: ten thousand levels would print two hundred megabytes of spaces.
    return "\n" + " " * (step * min(depth, 100))


def compact(text: str) -> str:
    """Put JSON on one line and keep its spelling."""
    if "\n" not in text and "\r" not in text and ": " not in text and ", " not in text:
        return text
    parts = _STRING.split(text)
    parts[::2] = ["".join(between.split()) for between in parts[::2]]
    return "".join(parts)


def to_plain(value: Printable) -> Json:
    """Return the value without its spelling, at any depth."""
    root: list[Json] = [None]
    open_: list[tuple[Any, Any, Printable]] = [(root, 0, value)]
    while open_:
        parent, place, part = open_.pop()
        match part:
            case Exact():
                parent[place] = part.value
            case Mapping():
                parent[place] = dict.fromkeys(part)
                open_ += [(parent[place], name, member) for name, member in part.items()]
            case Sequence() if not isinstance(part, str):
                parent[place] = [None] * len(part)
                open_ += [(parent[place], at, element) for at, element in enumerate(part)]
            case _:
                parent[place] = part
    return root[0]
