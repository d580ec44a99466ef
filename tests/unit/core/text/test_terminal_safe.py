"""What others wrote is shown without steering the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text.terminal_safe import BIDI_CONTROLS, decode, escape_controls

STEERING = {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))}
TURNED = set(map(chr, BIDI_CONTROLS))


@pytest.mark.parametrize("text", ["", "plain", "größer 日本 🚀", "tabs\tand\nlines"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert escape_controls(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("over\rwritten", "over\\x0dwritten"),
        ("\x00", "\\x00"),
        ("bell\x07", "bell\\x07"),
        ("\x7f", "\\x7f"),
        ("\x80\x9b2J\x9f", "\\x80\\x9b2J\\x9f"),
        ("\x1b\t\n", "\\x1b\t\n"),
        ("safe\u202eexe.txt", "safe\\u202eexe.txt"),
    ],
)
def test_what_would_steer_the_terminal_is_spelled_out(text: str, shown: str) -> None:
    assert escape_controls(text) == shown


@given(st.text())
def test_what_would_steer_the_terminal_is_all_that_is_touched(text: str) -> None:
    turned = "".join(f"\\u{ord(one):04x}" if one in TURNED else one for one in text)
    assert escape_controls(text) == "".join(f"\\x{ord(one):02x}" if one in STEERING else one for one in turned)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b"", ""),
        (b"ready", "ready"),
        (b"from Windows\r", "from Windows"),
        (b"a\rb", "a\rb"),
        ("größer".encode(), "größer"),
        (b"\xff is no UTF-8", "� is no UTF-8"),
    ],
)
def test_a_line_is_read_whatever_its_bytes(line: bytes, text: str) -> None:
    assert decode(line) == text


@given(st.binary())
def test_no_bytes_make_reading_fail(line: bytes) -> None:
    assert not decode(line).endswith("\r")


@given(st.text().filter(lambda text: not text.endswith("\r")))
def test_what_was_written_is_read(text: str) -> None:
    assert decode(text.encode() + b"\r") == text
