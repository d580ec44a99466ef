"""Source maps (revision 3): positions of source lines in generated code."""

import json
import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from attrs import frozen

from mcpi.core.debugger.sources.file_urls import resolve_reference
from mcpi.core.debugger.sources.function_ranges import Position
from mcpi.core.jsontext.values import JsonObject, as_list, as_object, as_text

_DIGITS = {char: value for value, char in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_CONTINUATION, _BITS = 32, 5
_URL_SOURCE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/]*/(?:\./)?(?P<path>[^?#]+).*")
_DATA = re.compile(r"data:[^,]*?(?P<base64>;base64)?,(?P<data>.*)", re.DOTALL | re.IGNORECASE)
_REFERENCE = re.compile(r"//[#@] ?sourceMappingURL=(?P<url>[^\s'\"]+)")
_REFERENCE_PREFIX = 4
_LENGTHS_WITH_SOURCE = (4, 5)


@frozen(order=True)
class Segment:
    """A position in generated code, and the source position it comes from; all zero-based."""

    line: int
    column: int
    source_line: int
    """The line in the source; -1 for code that does not come from it."""
    source_column: int = 0


@frozen
class SourceMap:
    """All segments generated from one source, in order, and the source's text if the map has it."""

    segments: tuple[Segment, ...]
    text: str = ""

    def original(self, line: int, column: int) -> Position | None:
        """Return the source position of a generated position."""
        at = bisect_right(self.segments, (line, column), key=lambda one: (one.line, one.column))
        found = self.segments[at - 1] if at else None
        if found is None or found.line != line or found.source_line < 0:
            return None
        return found.source_line, found.source_column

    def generated(self, first: int, last: int) -> tuple[Position, Position] | None:
        """Return the range of generated code that comes from these source lines."""
        found = [one for one in self.segments if first <= one.source_line <= last]
        return ((found[0].line, found[0].column), (found[-1].line + 1, 0)) if found else None


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
    segments: list[Segment] = []
    for source, segment in decode(as_text(document.get("mappings"))):
        if source in wanted:
            segments.append(segment)
        elif segments and segments[-1].source_line >= 0:
            segments.append(Segment(segment.line, segment.column, -1))
    contents = as_list(document.get("sourcesContent"))
    source_text = next((as_text(contents[number]) for number in sorted(wanted) if number < len(contents)), "")
    return SourceMap(tuple(sorted(segments)), source_text)


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
    """Yield each segment with its source's index, or -1 without a source; stop at invalid text."""
    source = source_line = source_column = 0
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
                source_column += numbers[3]
                yield source, Segment(line, column, source_line, source_column)
            else:
                yield -1, Segment(line, column, -1)


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


def reference_in(text: str) -> str:
    """Return the reference to a source map at the end of a script; empty if there is none."""
    found = _REFERENCE.search(text, max(text.rfind("sourceMappingURL=") - _REFERENCE_PREFIX, 0))
    return found["url"] if found else ""
