"""JSON pointers into parsed and exact values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from json_texts import LONG, TEXTS, exact
from mcpi.core.jsontext.exact import Exact, Printable, to_plain
from mcpi.core.jsontext.pointers import meant_pointer, pointer_of_path, resolve_exact, resolve_pointer
from mcpi.core.jsontext.values import Json

RFC_6901: Json = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
    "~1": 9,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", RFC_6901),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/foo/1", "baz"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
        ("/~01", 9),
    ],
)
def test_pointers_resolve_as_in_rfc_6901(path: str, value: Json) -> None:
    assert resolve_pointer(RFC_6901, path) == value


@pytest.mark.parametrize(
    "path",
    ["foo", "/nothing", "/foo/2", "/foo/-", "/foo/-1", "/foo/01", "/foo/\u0660", f"/foo/{LONG}", "/foo/0/0", "/a/b"],
)
def test_unresolvable_pointer_raises_key_error(path: str) -> None:
    with pytest.raises(KeyError):
        resolve_pointer(RFC_6901, path)


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_pointer_resolves_any_escaped_member_name(names: list[str]) -> None:
    value: Json = "here"
    for name in reversed(names):
        value = {name: value}

    assert resolve_pointer(value, "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)) == "here"


# Captures.

RESULT: Printable = {
    "content": [exact('{"text": "a", "n": 1.50}'), {"text": "b"}],
    "whole": exact('{"a/b": {"~": [true]}, "list": [[0]]}'),
    "count": 2,
    "none": None,
}


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ("/content/0/n", "1.50"),
        ("/content/0", '{"text": "a", "n": 1.50}'),
        ("/content/1/text", '"b"'),
        ("/content/1", '{"text":"b"}'),
        ("/whole/a~1b/~0/0", "true"),
        ("/whole/list/0", "[0]"),
        ("/whole/list/0/0", "0"),
        ("/count", "2"),
        ("/none", "null"),
    ],
)
def test_captured_value_keeps_its_spelling(pointer: str, text: str) -> None:
    assert resolve_exact(RESULT, pointer) == exact(text)


@pytest.mark.parametrize(
    "pointer",
    [
        "/nothing",
        "/content/2",
        "/content/-1",
        "/content/00",
        "/content/x",
        "/content/0/text/0",
        "/count/0",
        "/none/x",
        "/whole/list/0/0/0",
        "/",
    ],
)
def test_unresolvable_pointer_captures_none(pointer: str) -> None:
    assert resolve_exact(RESULT, pointer) is None


def test_the_empty_pointer_captures_the_whole_result() -> None:
    whole = exact('{"a" : 1.50}')

    assert resolve_exact(whole, "") is whole
    assert resolve_exact({"a": whole}, "") == Exact('{"a":{"a":1.50}}', {"a": {"a": 1.5}})


@given(TEXTS, st.text("/~01abc-", max_size=6))
def test_resolving_any_pointer_in_any_result_never_raises(text: str, pointer: str) -> None:
    whole = exact(text)
    found, same = resolve_exact(whole, pointer), resolve_exact(to_plain(whole), pointer)

    assert (found is None) is (same is None)
    assert found is None or same is None or found.value == same.value


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ("content.0.text", "/content/0/text"),
        ("content[0].text", "/content/0/text"),
        ("$.content[0].text", "/content/0/text"),
        ("$['content'][\"0\"]", "/content/0"),
        ("/content[0]/text", "/content/0/text"),
        ("content", "/content"),
        ("/content/0/text", "/content/0/text"),
        ("$.content[*].text", "/content/*/text"),
        ("$", ""),
    ],
)
def test_path_in_another_syntax_is_converted_to_a_pointer(path: str, pointer: str) -> None:
    assert pointer_of_path(path) == pointer


@pytest.mark.parametrize(("path", "meant"), [("a.0", " (did you mean /a/0?)"), ("a[*]", ""), ("$", "")])
def test_pointer_is_suggested_unless_the_path_has_none(path: str, meant: str) -> None:
    assert meant_pointer(path) == meant
