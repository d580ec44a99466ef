"""Source maps (revision 3): positions of source lines in generated code."""

import json
import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from attrs import frozen

from mcpi.core.debugger.inspector.file_urls import resolve_reference
from mcpi.core.jsontext.values import JsonObject, as_object, as_text

_DIGITS = {char: value for value, char in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_CONTINUATION, _BITS = 32, 5
_URL_SOURCE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/]*/(?:\./)?(?P<path>.+)")
_DATA = re.compile(r"data:[^,]*?(?P<base64>;base64)?,(?P<data>.*)", re.DOTALL | re.IGNORECASE)
_LENGTHS_WITH_SOURCE = (4, 5)


@frozen(order=True)
class Segment:
    """A position in generated code, and the source line it comes from; all zero-based."""

    line: int
    column: int
    source_line: int


@frozen
class SourceMap:
    """All segments generated from one source, in order."""

    segments: tuple[Segment, ...]

    def generated(self, line: int) -> Segment | None:
        """Return the first segment of the line, or of the next line that has code."""
        wanted = min((one.source_line for one in self.segments if one.source_line >= line), default=None)
        return next((one for one in self.segments if one.source_line == wanted), None)

    def original(self, line: int, column: int) -> int | None:
        """Return the source line at a generated position."""
        at = bisect_right(self.segments, (line, column), key=lambda one: (one.line, one.column))
        return self.segments[at - 1].source_line if at else None


def parse_source_map(text: str, base: str, path: str) -> SourceMap | None:
    """Parse the map for the source at that path; return None if it is not one of the map's sources."""
    document = _document(text)
    sources = document.get("sources")
    if not isinstance(sources, list):
        return None
    root = as_text(document.get("sourceRoot"))
    wanted = {number for number, source in enumerate(sources) if _is_source(as_text(source), root, base, path)}
    if not wanted:
        return None
    decoded = decode(as_text(document.get("mappings")))
    return SourceMap(tuple(sorted(segment for source, segment in decoded if source in wanted)))


def _document(text: str) -> JsonObject:
    try:
        # Some servers put this before the map, so that it cannot be run as a script.
        return as_object(json.loads(text.removeprefix(")]}'")))
    except (ValueError, RecursionError):
        return {}


def _is_source(source: str, root: str, base: str, path: str) -> bool:
    """Tell whether the source is the file at the path."""
    name = f"{root.rstrip('/')}/{source}" if root else source
    url_source = _URL_SOURCE.fullmatch(name)
    if url_source is not None and not name.startswith("file://"):
        # webpack://name/./src/x.ts: the map does not contain the root folder.
        return path.endswith(f"/{url_source['path']}")
    return resolve_reference(base, name) == path


def decode(mappings: str) -> Iterator[tuple[int, Segment]]:
    """Yield each segment that has a source, with the source's index; stop at invalid text."""
    source = source_line = 0
    for line, group in enumerate(mappings.split(";")):
        column = 0
        for text in group.split(",") if group else ():
            numbers = _numbers(text)
            if numbers is None:
                return
            column += numbers[0]
            if len(numbers) in _LENGTHS_WITH_SOURCE:
                source += numbers[1]
                source_line += numbers[2]
                yield source, Segment(line, column, source_line)


def _numbers(text: str) -> list[int] | None:
    """Decode the numbers of one segment; return None if it is invalid."""
    numbers: list[int] = []
    value = shift = 0
    for char in text:
        digit = _DIGITS.get(char)
        if digit is None:
            return None
        value |= (digit & (_CONTINUATION - 1)) << shift
        shift += _BITS
        if not digit & _CONTINUATION:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return numbers if shift == 0 and len(numbers) in {1, *_LENGTHS_WITH_SOURCE} else None


def decode_data_url(url: str) -> str | None:
    """Decode the map in a data: URL; return None if it is invalid."""
    match = _DATA.fullmatch(url)
    if match is None:
        return None
    try:
        data = unquote_to_bytes(match["data"])
        return (b64decode(data) if match["base64"] else data).decode(errors="replace")
    except ValueError:
        return None


def may_include(text: str, path: str) -> bool:
    """Tell quickly whether the map may include that source."""
    name = path.rpartition("/")[2]
    return not name.isascii() or "%" in text or name in text
