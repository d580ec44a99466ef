"""Measure the nesting of JSON text without parsing it, at a fraction of a parser's cost."""

import re
from collections.abc import Iterator
from itertools import accumulate, islice

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.patterns import STRING, STRING_BODY
from mcpi.core.lazy_pattern import lazy_pattern

MAX_DEPTH = 1000
"""Maximum nesting depth; a text beyond it is not parsed, and is printed as it is."""
TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
"""The problem of a text that is nested too deep, for mcpi or for the program's recursion limit."""
_CHUNK, _SMALL_CHUNK = 1 << 18, 1 << 12
_PART = 1 << 9
_SHORT = 1 << 12
"""Maximum length of a text in which str.count is as fast as str.find."""
_BACKSLASHES = lazy_pattern(r"\\*+")
_STRING_REST = lazy_pattern(rf'{STRING_BODY}"', re.DOTALL)
_TOKEN = lazy_pattern(rf'{STRING}|[\[{{]|[\]}}]|[^"\[\]{{}}]++', re.DOTALL)
_OTHER = bytes(set(range(256)) - set(b'"[]{},'))
_STEPS = bytes.maketrans(b"[{]},", b"\1\1\xff\xff\0")


def count_up_to(text: str, char: str, limit: int) -> int:
    """Count a rare character, up to one beyond the limit; repeated str.find is faster than str.count."""
    if len(text) <= _SHORT:
        return text.count(char)
    found, at = 0, text.find(char)
    while at >= 0 and found <= limit:
        found, at = found + 1, text.find(char, at + 1)
    return found


def is_too_deep(text: str) -> bool:
    """Tell whether the text is nested deeper than MAX_DEPTH."""
    if len(text) <= MAX_DEPTH:
        return False
    if count_up_to(text, "[", MAX_DEPTH) + count_up_to(text, "{", MAX_DEPTH) <= MAX_DEPTH:
        return False
    level = 0
    for _, _, marks in _structure(text):
        if _goes_too_deep(marks, level):
            return True
        level += _balance(marks)
    return False


def container_end(text: str, start: int) -> int | None:
    """Return the end of the array or object that starts there, or None if it is never closed."""
    place = _Place(start, 0, inside=False)
    for size in (_CHUNK, _SMALL_CHUNK):
        ends = _chunk_with_end(text, place, size)
        if ends is None:
            return None
        place = ends
    return _walk(text, place)


@frozen
class _Place:
    """A position in a text, its depth, and whether it is in a string."""

    at: int
    level: int
    inside: bool


def _chunk_with_end(text: str, start: _Place, size: int) -> _Place | None:
    """Return the start of the chunk of that size in which the depth becomes zero."""
    level = start.level
    for at, inside, marks in _structure(text, start.at, size, inside=start.inside):
        if _count(marks, b"]}") >= level and min(islice(_levels(marks, level), 1, None), default=level) <= 0:
            return _Place(at, level, inside)
        level += _balance(marks)
    return None


def may_be_indented(text: str, limit: int) -> bool:
    """Tell whether the text is not nested too deep and has at most `limit` characters when indented."""
    return _fits(text, limit, rough=True) or _fits(text, limit, rough=False)


def _fits(text: str, limit: int, *, rough: bool) -> bool:
    """Compare the limit with an upper bound for the length of the text, indented by two spaces per level."""
    size = len(text) + text.count(":")
    level = 0
    for _, _, marks in _structure(text):
        # A line break follows each bracket and comma; the one before a closing bracket is counted with it.
        depths = len(marks) * _rough_depth(marks, level) if rough else sum(_levels(marks, level))
        size += len(marks) + 2 * depths
        if size > limit or _goes_too_deep(marks, level):
            return False
        level += _balance(marks)
    return size <= limit


def _goes_too_deep(marks: bytes, level: int) -> bool:
    """Tell whether a chunk is nested too deep; for most parts, the number of opening brackets is sufficient."""
    if _rough_depth(marks, level) <= MAX_DEPTH:
        return False
    for start in range(0, len(marks), _PART):
        part = marks[start : start + _PART]
        if level + _count(part, b"[{") > MAX_DEPTH and max(_levels(part, level)) > MAX_DEPTH:
            return True
        level += _balance(part)
    return False


def _rough_depth(marks: bytes, level: int) -> int:
    """Return an upper bound of the depth of a chunk."""
    # Most containers hold no other containers; without those, there is little left to count.
    flat = marks.translate(None, b",").replace(b"{}", b"").replace(b"[]", b"")
    return level + _count(flat, b"[{") + 1


def _structure(
    text: str, start: int = 0, size: int = _CHUNK, *, inside: bool = False
) -> Iterator[tuple[int, bool, bytes]]:
    """Split the text into chunks; yield their positions, whether they start in a string, and their brackets and commas.

    A few operations on whole chunks remove the strings: first the escapes, then all other characters, and then the
    strings that are now empty, which is nearly all of them.
    """
    while start < len(text):
        end = start + size
        if text[end - 1 : end] == "\\":
            after = _BACKSLASHES.match(text, end)
            end = (end if after is None else after.end()) + 1
        chunk = text[start:end].encode(errors="replace").replace(b"\\\\", b"").replace(b'\\"', b"")
        parts = chunk.translate(None, _OTHER).replace(b'""', b"").split(b'"')
        yield start, inside, b"".join(parts[inside::2])
        inside ^= len(parts) % 2 == 0
        start = end


def _levels(marks: bytes, level: int) -> Iterator[int]:
    """Yield the depth before the first mark and after each."""
    return accumulate(memoryview(marks.translate(_STEPS)).cast("b"), initial=level)


def _balance(marks: bytes) -> int:
    return _count(marks, b"[{") - _count(marks, b"]}")


def _count(marks: bytes, wanted: bytes) -> int:
    return sum(marks.count(one) for one in wanted)


def _walk(text: str, start: _Place) -> int | None:
    """Return the position at which the depth becomes zero."""
    at = start.at
    if start.inside:
        rest = _STRING_REST.match(text, at)
        at = len(text) if rest is None else rest.end()
    return next((end for end, depth in _closings(text, at, start.level) if depth <= 0), None)


def _closings(text: str, at: int, level: int) -> Iterator[tuple[int, int]]:
    """Yield the position after each closing bracket, and the depth there."""
    while token := _TOKEN.match(text, at):
        at = token.end()
        level += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if token[0] in "}]":
            yield at, level
