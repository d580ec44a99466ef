"""JSON in unusual spellings, for the tests of the parser and the printer."""

import json

from hypothesis import strategies as st

from mcpi.core.jsontext.exact import Exact, parse_json_text
from mcpi.core.jsontext.values import Json

DEEP = 800
"""A nesting depth that is parsed even with the deep call stack of a test."""
LONG = "9" * 5000
"""An integer with more digits than int() accepts."""

VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
"""Any JSON value."""

SPACES = st.text(" \t\r\n", max_size=2)
NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
STRINGS = (
    st.text(max_size=5).map(json.dumps)
    | st.text(max_size=5).map(lambda text: json.dumps(text, ensure_ascii=False))
    | st.sampled_from([r'"\/"', r'"\u0041"', r'"\ud800"', r'"\\\""', '": "', '", "', '"{[]}"'])
)


def _array(elements: list[str]) -> str:
    return f"[{','.join(elements)}]"


def _object(members: list[tuple[str, str]]) -> str:
    return f"{{{','.join(f'{name}:{value}' for name, value in members)}}}"


def _spaced(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(SPACES, texts, SPACES).map("".join)


TEXTS: st.SearchStrategy[str] = _spaced(
    st.recursive(
        st.sampled_from(["null", "true", "false", "1.10", "1e400", "-0", "9007199254740993"]) | NUMBERS | STRINGS,
        lambda inner: (
            st.just("[ ]")
            | st.lists(_spaced(inner), max_size=4).map(_array)
            # Few different names, so that some are duplicates.
            | st.lists(st.tuples(_spaced(STRINGS), _spaced(inner)), max_size=4).map(_object)
        ),
        max_leaves=12,
    )
)
"""Any JSON in any spelling."""

NEARLY = st.text('{}[]",:0123456789.eE+-aflnrstu\\ \n\x00\ud800é', max_size=16) | st.text(max_size=8)
"""Texts that are sometimes JSON."""


def exact(text: str) -> Exact:
    """The parsed JSON text."""
    found = parse_json_text(text)
    assert isinstance(found, Exact), found
    return found


def nested(depth: int, core: str = "") -> str:
    """Arrays nested to this depth."""
    return "[" * depth + core + "]" * depth


def depth_of(value: Json) -> int:
    """The nesting depth of arrays, counted without recursion."""
    depth = 0
    while isinstance(value, list):
        depth += 1
        value = value[0] if value else None
    return depth
