"""Paths and the URLs that Node.js makes of them."""

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
def test_the_pattern_matches_the_path_however_it_is_encoded(path: str, left: str) -> None:
    assert re.match(url_regex(path), encoded(path, left))
    assert re.match(url_regex(path), encoded(path, left).replace("%E", "%e"))


@given(PATHS, PATHS)
def test_the_pattern_matches_no_other_path(path: str, other: str) -> None:
    same = path == other or re.match(r"^[?#]", other.removeprefix(path)) is not None or "%" in other
    assert same or not re.match(url_regex(path), encoded(other, other))


@pytest.mark.parametrize("rest", ["?v=1", "#x", "?a=b#c"])
def test_a_module_that_was_loaded_with_a_query_is_still_its_file(rest: str) -> None:
    assert re.match(url_regex("/a.js"), f"file:///a.js{rest}")
    assert path_of(f"file:///a.js{rest}") == "/a.js"


@pytest.mark.parametrize("url", ["file:///a.jsx", "file:///b/a.js", "http:///a.js", "file:///aXjs"])
def test_the_pattern_is_bound_at_both_ends_and_a_dot_is_a_dot(url: str) -> None:
    assert not re.match(url_regex("/a.js"), url)


def test_characters_outside_ascii_are_matched_as_their_bytes_too() -> None:
    assert re.match(url_regex("/é.js"), "file:///%C3%a9.js")


@given(PATHS)
def test_the_path_of_an_encoded_path_is_the_path(path: str) -> None:
    assert path_of("file://" + quote(path)) == path


def test_a_source_url_may_be_a_path_as_it_is() -> None:
    assert path_of("/a%20b.js?x") == "/a%20b.js?x"
    assert re.match(url_regex("/a b.js"), "/a b.js")


@pytest.mark.parametrize("url", ["", "node:fs", "https://x/a.js", "a.js"])
def test_what_is_no_file_has_no_path(url: str) -> None:
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
def test_a_path_is_seen_from_its_folder(folder: str, path: str, resolved: str) -> None:
    assert resolve(folder, path) == resolved


def test_the_folder_of_a_file() -> None:
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
def test_a_reference_is_seen_from_the_file_it_stands_in(text: str, path: str | None) -> None:
    assert resolve_reference("/dist/a.js", text) == path
