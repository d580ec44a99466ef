"""Source maps: where a line of a source is in what was generated from it (revision 3)."""

import json
import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from attrs import frozen

from mcpi.core.debugger.file_urls import reference
from mcpi.core.jsontext.values import JsonObject, as_object, as_text

_DIGITS = {mark: value for value, mark in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_MORE, _BITS = 32, 5
_SCHEMED = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/]*/(?:\./)?(?P<path>.+)")
_DATA = re.compile(r"data:[^,]*?(?P<base64>;base64)?,(?P<data>.*)", re.DOTALL | re.IGNORECASE)
_WITH_SOURCE = (4, 5)


@frozen(order=True)
class Segment:
    """A position in what was generated, and the line of the source that it comes from; all counted from 0."""

    line: int
    column: int
    source_line: int


@frozen
class SourceMap:
    """All that was generated from one source, in order."""

    segments: tuple[Segment, ...]

    def generated(self, line: int) -> Segment | None:
        """Where the line begins, or the next one that has code."""
        wanted = min((one.source_line for one in self.segments if one.source_line >= line), default=None)
        return next((one for one in self.segments if one.source_line == wanted), None)

    def original(self, line: int, column: int) -> int | None:
        """The source's line at a generated position."""
        at = bisect_right(self.segments, (line, column), key=lambda one: (one.line, one.column))
        return self.segments[at - 1].source_line if at else None


def mapping(text: str, base: str, path: str) -> SourceMap | None:
    """What the map says of the source at that path; None if it is not among its sources."""
    document = _document(text)
    sources = document.get("sources")
    if not isinstance(sources, list):
        return None
    root = as_text(document.get("sourceRoot"))
    wanted = {number for number, source in enumerate(sources) if _names(as_text(source), root, base, path)}
    if not wanted:
        return None
    decoded = decode(as_text(document.get("mappings")))
    return SourceMap(tuple(sorted(segment for source, segment in decoded if source in wanted)))


def _document(text: str) -> JsonObject:
    try:
        # Some servers put this before the map, against its being run as a script.
        return as_object(json.loads(text.removeprefix(")]}'")))
    except (ValueError, RecursionError):
        return {}


def _names(source: str, root: str, base: str, path: str) -> bool:
    """Whether the source is the file at the path."""
    name = f"{root.rstrip('/')}/{source}" if root else source
    schemed = _SCHEMED.fullmatch(name)
    if schemed is not None and not name.startswith("file://"):
        # webpack://name/./src/x.ts: nobody says where that is.
        return path.endswith(f"/{schemed['path']}")
    return reference(base, name) == path


def decode(mappings: str) -> Iterator[tuple[int, Segment]]:
    """Each segment that has a source, with the number of it; where the text breaks off, the segments end."""
    source = source_line = 0
    for line, group in enumerate(mappings.split(";")):
        column = 0
        for text in group.split(",") if group else ():
            numbers = _numbers(text)
            if numbers is None:
                return
            column += numbers[0]
            if len(numbers) in _WITH_SOURCE:
                source += numbers[1]
                source_line += numbers[2]
                yield source, Segment(line, column, source_line)


def _numbers(text: str) -> list[int] | None:
    """The numbers of one segment; None if it is none."""
    numbers: list[int] = []
    value = shift = 0
    for mark in text:
        digit = _DIGITS.get(mark)
        if digit is None:
            return None
        value |= (digit & (_MORE - 1)) << shift
        shift += _BITS
        if not digit & _MORE:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return numbers if shift == 0 and len(numbers) in {1, *_WITH_SOURCE} else None


def inline(url: str) -> str | None:
    """The map that a data: URL holds."""
    match = _DATA.fullmatch(url)
    if match is None:
        return None
    try:
        data = unquote_to_bytes(match["data"])
        return (b64decode(data) if match["base64"] else data).decode(errors="replace")
    except ValueError:
        return None


def may_mention(text: str, path: str) -> bool:
    """Whether it is worth reading the map for that source; a quick look."""
    name = path.rpartition("/")[2]
    return not name.isascii() or "%" in text or name in text
