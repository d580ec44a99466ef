"""Conversion between file paths and the URLs used by Node.js."""

import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.debugger.sources.file_urls import folder_of, path_of, resolve, resolve_reference, url_regex

PATHS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).map(lambda name: f"/{name}")


def encoded(path: str, left: str) -> str:
    return "file://" + "".join(mark if mark in left else quote(mark, safe="/") for mark in path)


@given(PATHS, st.text())
def test_pattern_matches_the_path_in_any_encoding(path: str, left: str) -> None:
    assert re.match(url_regex(path), encoded(path, left))
    assert re.match(url_regex(path), encoded(path, left).replace("%E", "%e"))


@given(PATHS, PATHS)
def test_pattern_does_not_match_another_path(path: str, other: str) -> None:
    same = path == other or re.match(r"^[?#]", other.removeprefix(path)) is not None or "%" in other
    assert same or not re.match(url_regex(path), encoded(other, other))


@pytest.mark.parametrize("rest", ["?v=1", "#x", "?a=b#c"])
def test_url_with_query_or_fragment_matches_its_file(rest: str) -> None:
    assert re.match(url_regex("/a.js"), f"file:///a.js{rest}")
    assert path_of(f"file:///a.js{rest}") == "/a.js"


@pytest.mark.parametrize("url", ["file:///a.jsx", "file:///b/a.js", "http:///a.js", "file:///aXjs"])
def test_pattern_is_anchored_and_escapes_dots(url: str) -> None:
    assert not re.match(url_regex("/a.js"), url)


def test_non_ascii_characters_match_percent_encoded_bytes() -> None:
    assert re.match(url_regex("/é.js"), "file:///%C3%a9.js")


@given(PATHS)
def test_path_round_trips_through_its_file_url(path: str) -> None:
    assert path_of("file://" + quote(path)) == path


def test_source_url_may_be_a_plain_path() -> None:
    assert path_of("/a%20b.js?x") == "/a%20b.js?x"
    assert re.match(url_regex("/a b.js"), "/a b.js")


@pytest.mark.parametrize("url", ["", "node:fs", "https://x/a.js", "a.js"])
def test_url_that_is_not_a_file_has_no_path(url: str) -> None:
    assert path_of(url) is None


@pytest.mark.parametrize(
    ("folder", "path", "resolved"),
    [
        ("/a/b", "c.js", "/a/b/c.js"),
        ("/a/b", "../c.js", "/a/c.js"),
        ("/a/b", "./x/./../c.js", "/a/b/c.js"),
        ("/a", "/c//d.js", "/c/d.js"),
        ("/", "../../c", "/c"),
    ],
)
def test_relative_path_is_resolved_against_a_folder(folder: str, path: str, resolved: str) -> None:
    assert resolve(folder, path) == resolved


def test_folder_of_returns_the_parent_folder() -> None:
    assert (folder_of("/a/b.js"), folder_of("/b.js")) == ("/a", "/")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a.js.map", "/dist/a.js.map"),
        ("../src/a%20b.ts", "/src/a b.ts"),
        ("file:///src/a.ts", "/src/a.ts"),
        ("https://example.org/a.map", None),
        ("webpack://x/a.ts", None),
        ("//[x", None),
    ],
)
def test_reference_is_resolved_against_its_file(text: str, path: str | None) -> None:
    assert resolve_reference("/dist/a.js", text) == path
