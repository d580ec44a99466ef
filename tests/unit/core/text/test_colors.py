"""Colors are escape codes around text."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text import colors
from mcpi.core.text.colors import colorize, no_color

CODES = re.compile("\x1b\\[[0-9;]*m")


def styled(style: str, text: str) -> str:
    return f"<{style} {text}>"


def test_color_is_reset_after_the_text() -> None:
    assert colorize("error", "mcpi:") == "\x1b[1;31mmcpi:\x1b[0m"


def test_empty_text_is_not_colored() -> None:
    assert colorize("error", "") == ""


def test_no_color_returns_the_text_unchanged() -> None:
    assert no_color("error", "mcpi:") == "mcpi:"


def test_each_kind_of_json_token_has_its_style() -> None:
    assert colors.colorize_json('{"a": [-1.5e3, true, null, "b:\\""]}', styled) == (
        '{<key "a">: [<number -1.5e3>, <word true>, <word null>, <string "b:\\"">]}'
    )


@pytest.mark.parametrize(
    ("text", "safe"),
    [('"\u202e"', '"\\u202e"'), ('"\x9b2J"', '"\\u009b2J"'), ('"\x7f"', '"\\u007f"'), ('"é"', '"é"'), ('"a"', '"a"')],
)
def test_control_characters_in_json_are_escaped(text: str, safe: str) -> None:
    assert colors.escape_json_controls(text) == safe
    assert colors.colorize_json(text, no_color) == safe


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON, st.sampled_from([None, 2]))
def test_colored_json_parses_to_the_same_value(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)

    assert json.loads(CODES.sub("", colors.colorize_json(text))) == value
