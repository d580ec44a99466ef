"""Indent JSON text or put it on one line; numbers, strings and keys keep their spelling."""

import re
from typing import TypeAlias

from mcpi.core.jsontext.exact import LARGE
from mcpi.core.jsontext.nesting import MAX_DEPTH, is_too_deep, may_be_indented
from mcpi.core.jsontext.patterns import LITERAL, STRING

IndentCache: TypeAlias = dict[tuple[str, int], tuple[str, int]]
"""Cache of the indented text between two strings: the same few separators occur again and again."""

MAX_GROWTH, ALWAYS_INDENTED = 4, 1 << 20
"""Maximum growth of a text by its indentation; a result of no more characters than the second is always indented."""
_STEP = 2
_CACHE_LIMIT = 1000
_LINE_ENDS = re.compile("[\r\n]")
# Possessive quantifiers: a string of a million escapes needs no backtracking stack.
_TOKEN = re.compile(rf"({STRING}|{LITERAL})(?:\s*+([,:]))?|([{{\[])\s*+([}}\]])?|[}}\],:]", re.DOTALL)
_STRING = re.compile(f"({STRING})", re.DOTALL)
_LEAF, _MARKED, _OPEN, _EMPTY = 1, 2, 3, 4


def indent(text: str, depth: int = 0, known: IndentCache | None = None) -> str:
    """Indent JSON by two spaces per level, one member per line; return it as it is if it would grow too much."""
    if not _may_be_indented(text, depth):
        return text
    if len(text) < LARGE:
        return _indented(text, depth, known)
    from mcpi.core.jsontext import codec  # noqa: PLC0415 - only large texts need msgspec

    return codec.formatted(text, _STEP).replace("\n", _line(depth)) if depth else codec.formatted(text, _STEP)


def _may_be_indented(text: str, depth: int) -> bool:
    size = len(text)
    limit = max(MAX_GROWTH * size, ALWAYS_INDENTED)
    levels = depth + text.count("[") + text.count("{")
    breaks = 2 * levels + text.count(",")
    if levels <= MAX_DEPTH and size + text.count(":") + breaks * (1 + _STEP * levels) <= limit:
        return True
    return not is_too_deep(text) and may_be_indented(text, limit)


def _indented(text: str, depth: int, known: IndentCache | None) -> str:
    parts = _STRING.split(text)
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
    return "".join(parts)


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
    if len(text) >= LARGE:
        from mcpi.core.jsontext import codec  # noqa: PLC0415 - see above

        return codec.formatted(text, -1)
    parts = _STRING.split(text)
    parts[::2] = ["".join(between.split()) for between in parts[::2]]
    return "".join(parts)
