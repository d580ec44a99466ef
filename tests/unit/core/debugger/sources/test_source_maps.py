"""Source maps: decoding, and lookup of generated and original positions."""

import json
from base64 import b64encode
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.debugger.sources.source_maps import (
    Segment,
    SourceMap,
    decode,
    decode_data_url,
    may_include,
    parse_source_map,
    reference_in,
)

MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
SOURCED = st.tuples(st.integers(0, 2), st.builds(Segment, *(st.integers(0, top) for top in (6, 300, 5000, 300))))


def vlq(number: int) -> str:
    rest = -number * 2 + 1 if number < 0 else number * 2
    text = ""
    while True:
        digit, rest = rest & 31, rest >> 5
        text += MARKS[digit | (32 if rest else 0)]
        if not rest:
            return text


def encode(segments: list[tuple[int, Segment]]) -> str:
    """Encode segments as deltas of column, source, source line and source column."""
    lines: list[list[str]] = [[]]
    column = source = source_line = source_column = 0
    for number, one in segments:
        while len(lines) <= one.line:
            lines.append([])
            column = 0
        deltas = (
            one.column - column,
            number - source,
            one.source_line - source_line,
            one.source_column - source_column,
        )
        lines[-1].append("".join(vlq(delta) for delta in deltas))
        column, source, source_line, source_column = one.column, number, one.source_line, one.source_column
    return ";".join(",".join(line) for line in lines)


@given(st.lists(SOURCED))
def test_decode_inverts_encode(segments: list[tuple[int, Segment]]) -> None:
    ordered = sorted(segments, key=lambda pair: pair[1])

    assert list(decode(encode(ordered))) == ordered


@given(st.text(MARKS + ",;! "))
def test_any_text_is_decoded_up_to_its_first_error(text: str) -> None:
    segments = [segment for _, segment in decode(text)]

    assert all(one.line <= two.line for one, two in pairwise(segments))


def test_segments_without_a_source_or_with_a_name_are_decoded() -> None:
    # A column alone; then column, source, line, column and name.
    assert list(decode("E,EAAAA;;AACA")) == [(-1, Segment(0, 2, -1)), (0, Segment(0, 4, 0)), (0, Segment(2, 0, 1))]


@pytest.mark.parametrize("text", ["!", "g", "AA", "AAA", "AAAAAA"])
def test_invalid_segment_ends_decoding(text: str) -> None:
    assert list(decode(f"AAAA,{text},AACA")) == [(0, Segment(0, 0, 0))]


TWICE = SourceMap((Segment(1, 0, 4), Segment(1, 8, 5, 2), Segment(3, 2, 8), Segment(3, 5, -1), Segment(9, 0, 4)))


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [(4, 4, ((1, 0), (10, 0))), (5, 5, ((1, 8), (2, 0))), (6, 8, ((3, 2), (4, 0))), (9, 20, None)],
)
def test_source_lines_map_to_a_range_of_generated_code(first: int, last: int, found: object) -> None:
    assert TWICE.generated(first, last) == found


@pytest.mark.parametrize(
    ("position", "source"),
    [
        ((1, 0), (4, 0)),
        ((1, 9), (5, 2)),
        ((2, 0), None),
        ((3, 1), None),
        ((3, 2), (8, 0)),
        ((3, 6), None),
        ((0, 0), None),
    ],
)
def test_position_belongs_to_the_preceding_segment_on_its_line(position: tuple[int, int], source: object) -> None:
    assert TWICE.original(*position) == source


def test_segment_of_another_source_ends_a_segment() -> None:
    text = json.dumps({"sources": ["a.ts", "x.ts"], "sourcesContent": ["one"], "mappings": "AAAA,EAAA,ECAA,E,EDAA"})
    text = text.replace("EAAA,", "EAAC,")
    found = parse_source_map(text, "/a.js", "/a.ts")

    assert found is not None
    assert (found.text, [one.source_line for one in found.segments]) == ("one", [0, 0, -1, 0])


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("x\n//# sourceMappingURL=a.js.map\n", "a.js.map"),
        ("//# sourceMappingURL=old.map\n//@ sourceMappingURL=new.map", "new.map"),
        ("const s = 'sourceMappingURL=';", ""),
        ("x", ""),
    ],
)
def test_last_source_mapping_url_is_used(text: str, reference: str) -> None:
    assert reference_in(text) == reference


def document(*sources: object, **more: object) -> str:
    return json.dumps({"version": 3, "sources": sources, "mappings": "AAAA;ACAA", **more})


HERE = SourceMap((Segment(0, 0, 0), Segment(1, 0, -1)))


@pytest.mark.parametrize(
    "text",
    [
        document("../src/a.ts", "x.ts"),
        document("a.ts", "x.ts", sourceRoot="../src"),
        document("a.ts", "x.ts", sourceRoot="/src/"),
        document("file:///src/a.ts", "x.ts"),
        document("webpack://app/./src/a.ts", "x.ts"),
        document("webpack://app/./src/a.ts?1a2b", "x.ts"),
        document("webpack:///src/a.ts", None),
        ")]}'" + document("/src/a.ts", "x.ts"),
    ],
)
def test_source_is_found_by_its_path(text: str) -> None:
    assert parse_source_map(text, "/dist/a.js.map", "/src/a.ts") == HERE


@pytest.mark.parametrize(
    "text",
    [
        document("../src/b.ts", "x.ts"),
        document("webpack://app/./lib/a.ts", 5),
        document("https://example.org/other/b.ts", "x.ts"),
        "{}",
        "[]",
        "{",
        "[" * 100_000,
    ],
)
def test_source_map_without_the_source_is_ignored(text: str) -> None:
    assert parse_source_map(text, "/dist/a.js.map", "/src/a.ts") is None


def test_source_map_in_a_data_url_is_decoded() -> None:
    text = document("é.ts")

    assert decode_data_url(f"data:application/json;charset=utf-8;base64,{b64encode(text.encode()).decode()}") == text
    assert decode_data_url(f"data:application/json,{quote(text)}") == text
    assert decode_data_url("data:application/json;base64,x") is None
    assert decode_data_url("data:application/json,\ud800") is None
    assert decode_data_url("a.js.map") is None


def test_quick_check_excludes_most_source_maps() -> None:
    assert may_include(document("../src/a.ts"), "/src/a.ts")
    assert may_include(document("../src/%61.ts"), "/src/a.ts")
    assert may_include(document("../src/\u00e9.ts"), "/src/é.ts")
    assert not may_include(document("../src/b.ts"), "/src/a.ts")
