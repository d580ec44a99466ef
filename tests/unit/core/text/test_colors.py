"""Colours are codes around a text, and nothing around nothing."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text import colors
from mcpi.core.text.colors import colorize, no_color

CODES = re.compile("\x1b\\[[0-9;]*m")


def named(style: str, text: str) -> str:
    return f"<{style} {text}>"


def test_a_colour_ends_with_its_text() -> None:
    assert colorize("error", "mcpi:") == "\x1b[1;31mmcpi:\x1b[0m"


def test_nothing_has_no_colour() -> None:
    assert colorize("error", "") == ""


def test_plain_text_stays_as_it_is() -> None:
    assert no_color("error", "mcpi:") == "mcpi:"


def test_each_part_of_json_has_its_style() -> None:
    assert colors.colorize_json('{"a": [-1.5e3, true, null, "b:\\""]}', named) == (
        '{<key "a">: [<number -1.5e3>, <word true>, <word null>, <string "b:\\"">]}'
    )


@pytest.mark.parametrize(
    ("text", "safe"),
    [('"\u202e"', '"\\u202e"'), ('"\x9b2J"', '"\\u009b2J"'), ('"\x7f"', '"\\u007f"'), ('"é"', '"é"'), ('"a"', '"a"')],
)
def test_what_would_steer_a_terminal_is_spelled_as_an_escape(text: str, safe: str) -> None:
    assert colors.escape_json_controls(text) == safe
    assert colors.colorize_json(text, no_color) == safe


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON, st.sampled_from([None, 2]))
def test_coloured_json_is_the_same_json(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)

    assert json.loads(CODES.sub("", colors.colorize_json(text))) == value
