"""Indent JSON text or put it on one line; numbers, strings and keys keep their spelling."""

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from math import inf
from typing import TypeAlias

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import LARGE
from mcpi.core.jsontext.nesting import MAX_DEPTH, count_up_to, is_too_deep, may_be_indented
from mcpi.core.jsontext.patterns import LITERAL, STRING
from mcpi.core.lazy_pattern import lazy_pattern

IndentCache: TypeAlias = dict[tuple[str, int], tuple[str, int]]
"""Cache of the indented text between two strings: the same few separators occur again and again."""

ShapeCache: TypeAlias = dict[tuple[str, ...], list[str]]
"""Cache of the text between the strings, as received and indented: a tool's results often differ only in strings."""

MAX_GROWTH, ALWAYS_INDENTED = 4, 1 << 20
"""Maximum factor by which indentation enlarges a text, and the number of characters that is always allowed."""
_STEP = 2
_SHORT = 500
_CACHE_LIMIT = 1000
_CACHE_SHAPE = 100
_SLICE = 1 << 20
_LITTLE = 1 << 16
_FEW_STRINGS = 100
_BACKSLASHES = 64
_BACKSLASHES_BEFORE = lazy_pattern(r"\\*+\Z")
_LINE_ENDS = lazy_pattern("[\r\n]")
# Possessive quantifiers: a string of a million escapes needs no backtracking stack.
_TOKEN = lazy_pattern(rf"({STRING}|{LITERAL})(?:\s*+([,:]))?|([{{\[])\s*+([}}\]])?|[}}\],:]", re.DOTALL)
_STRING = lazy_pattern(f"({STRING})", re.DOTALL)
# A few thousand strings, with the text before each.
_STRINGS = lazy_pattern(rf'(?:[^"]*+{STRING}){{1,4000}}+|[^"]++|"', re.DOTALL)
_LEAF, _MARKED, _OPEN, _EMPTY = 1, 2, 3, 4


def indent(text: str, depth: int = 0, known: IndentCache | None = None) -> str:
    """Indent JSON by two spaces per level, one member per line; return it as it is if it would grow too much."""
    if not _may_be_indented(text, depth):
        return text
    if len(text) < LARGE:
        return "".join(_indented(_STRING.split(text), depth, known)[0])
    written = _formatted(text, _STEP)
    if written is None:
        return "".join(_indented_in_parts(text, depth))
    return str(written, "utf-8").replace("\n", _line(depth)) if depth else str(written, "utf-8")


def _formatted(text: str, step: int) -> bytes | None:
    from mcpi.core.jsontext import codec  # noqa: PLC0415 - only large texts need msgspec

    return codec.formatted(text.encode(), step)


def indent_part(text: str, depth: int, shapes: ShapeCache) -> str | None:
    """Indent a part as it appears in the indented whole; return None if the whole may be too large to be indented."""
    if _largest_indented(text, depth) > ALWAYS_INDENTED // 2:
        return None
    parts = _STRING.split(text)
    shape = tuple(parts[::2])
    between = shapes.get(shape)
    if between is None:
        _indented(parts, depth, None)
        if len(shapes) < _CACHE_LIMIT and len(shape) <= _CACHE_SHAPE:
            shapes[shape] = parts[::2]
    else:
        parts[::2] = between
    return "".join(parts)


@frozen
class IndentedLines:
    """A large JSON text, indented, with a line end; its pieces need little memory if it consists of a few strings."""

    text: str

    def __iter__(self) -> Iterator[str]:
        """Yield the pieces."""
        if not _may_be_indented(self.text, 0):
            yield from slices(self.text)
        elif (spans := _strings(self.text)) is not None:
            yield from self._around(spans)
        elif (written := _formatted(self.text, _STEP)) is not None:
            # As a string, it may take four bytes for each character.
            decoder = getincrementaldecoder("utf-8")()
            for at in range(0, len(written), _SLICE):
                yield decoder.decode(written[at : at + _SLICE])
        else:
            yield from _indented_in_parts(self.text, 0)
        yield "\n"

    def _around(self, spans: list[tuple[int, int]]) -> Iterator[str]:
        """Yield the strings unchanged, and the text between them indented."""
        place = depth = 0
        for start, end in spans:
            between, depth = _indent_between(self.text[place:start], depth)
            yield between
            yield from slices(self.text, start, end)
            place = end
        yield _indent_between(self.text[place:], depth)[0]

    def __str__(self) -> str:
        """Return the whole text."""
        return "".join(self)


def slices(text: str, start: int = 0, end: int | None = None) -> Iterator[str]:
    """Yield the text, or a part of it, in slices."""
    end = len(text) if end is None else end
    for at in range(start, end, _SLICE):
        yield text[at : min(at + _SLICE, end)]


def _strings(text: str) -> list[tuple[int, int]] | None:
    """Return the positions of the strings; None if there are many, or much text between them.

    Finding a few quotes is faster than parsing.
    """
    found: list[tuple[int, int]] = []
    opening = text.find('"')
    while opening >= 0 and len(found) < _FEW_STRINGS:
        closing = _closing_quote(text, opening)
        if closing is None:
            return None
        found.append((opening, closing + 1))
        opening = text.find('"', closing + 1)
    between = len(text) - sum(end - start for start, end in found)
    return found if opening < 0 and between < _LITTLE else None


def _closing_quote(text: str, opening: int) -> int | None:
    """Return the position of the quote that ends a string; None if there are many escaped quotes in it."""
    at = opening
    for _ in range(_FEW_STRINGS):
        at = text.find('"', at + 1)
        before = _BACKSLASHES_BEFORE.search(text, max(at - _BACKSLASHES, 0), at)
        assert before is not None
        if len(before[0]) == _BACKSLASHES:
            return None
        if len(before[0]) % 2 == 0:
            return at
    return None


def _may_be_indented(text: str, depth: int) -> bool:
    limit = max(MAX_GROWTH * len(text), ALWAYS_INDENTED)
    return _largest_indented(text, depth) <= limit or may_be_indented(text, limit)


def _largest_indented(text: str, depth: int) -> float:
    """Return an upper bound for the length of the indented text; infinity if it may be nested too deep."""
    size = len(text)
    if size <= _SHORT:
        # Even a text of brackets alone, the worst case, is far below every limit.
        return size * (2 + size + _STEP * depth)
    levels = depth + count_up_to(text, "[", MAX_DEPTH) + count_up_to(text, "{", MAX_DEPTH)
    if levels > MAX_DEPTH:
        return inf
    commas = count_up_to(text, ",", MAX_DEPTH)
    breaks = 2 * levels + (commas if commas <= MAX_DEPTH else text.count(","))
    # A name and its colon take three characters at least.
    return size + size // 3 + breaks * (1 + _STEP * levels)


def _indented_in_parts(text: str, depth: int) -> Iterator[str]:
    """Indent a large text in parts: a list of all its strings needs far more memory than the text."""
    known: IndentCache = {}
    for part in _STRINGS.finditer(text):
        parts, depth = _indented(_STRING.split(part[0]), depth, known)
        yield "".join(parts)


def _indented(parts: list[str], depth: int, known: IndentCache | None) -> tuple[list[str], int]:
    """Indent the text between the strings, which are every second part; return the parts and the depth after them."""
    if known is None:
        known = {}
    for place in range(0, len(parts), 2):
        between = parts[place]
        found = known.get((between, depth))
        if found is None:
            found = _indent_between(between, depth)
            if len(known) < _CACHE_LIMIT:
                known[between, depth] = found
        parts[place], depth = found
    return parts, depth


def _indent_between(text: str, depth: int) -> tuple[str, int]:
    """Indent the JSON between two strings; return it and the depth after it."""
    out: list[str] = []
    line = _line(depth)
    for match in _TOKEN.finditer(text):
        kind = match.lastindex
        if kind == _MARKED:
            out.append(match[1] + (": " if match[2] == ":" else "," + line))
        elif kind == _LEAF:
            out.append(match[1])
        elif kind == _OPEN:
            depth += 1
            line = _line(depth)
            out.append(match[3] + line)
        elif kind == _EMPTY:
            out.append(match[3] + match[4])
        elif (mark := match[0]) in "}]":
            depth -= 1
            line = _line(depth)
            out.append(line + mark)
        else:
            out.append(": " if mark == ":" else "," + line)
    return "".join(out), depth


def _line(depth: int) -> str:
    return "\n" + " " * (_STEP * depth)


def compact(text: str) -> str:
    """Put JSON on one line and keep its spelling."""
    if "\n" not in text and "\r" not in text and ": " not in text and ", " not in text:
        return text
    if is_too_deep(text):
        return _LINE_ENDS.sub(" ", text)
    written = _formatted(text, -1) if len(text) >= LARGE else None
    return "".join(map(_compact_part, _STRINGS.finditer(text))) if written is None else str(written, "utf-8")


def _compact_part(part: re.Match[str]) -> str:
    parts = _STRING.split(part[0])
    parts[::2] = ["".join(between.split()) for between in parts[::2]]
    return "".join(parts)
