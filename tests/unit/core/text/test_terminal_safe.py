"""Control characters in untrusted text are escaped for the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.text.terminal_safe import BIDI_CONTROLS, decode, escape_controls

CONTROLS = {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))}
BIDI = set(map(chr, BIDI_CONTROLS))


@pytest.mark.parametrize("text", ["", "plain", "größer 日本 🚀", "tabs\tand\nlines"])
def test_ordinary_text_is_unchanged(text: str) -> None:
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
def test_control_characters_are_escaped(text: str, shown: str) -> None:
    assert escape_controls(text) == shown


@given(st.text())
def test_only_control_characters_are_escaped(text: str) -> None:
    escaped = "".join(f"\\u{ord(one):04x}" if one in BIDI else one for one in text)
    assert escape_controls(text) == "".join(f"\\x{ord(one):02x}" if one in CONTROLS else one for one in escaped)


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
def test_line_is_decoded_with_replacement_characters(line: bytes, text: str) -> None:
    assert decode(line) == text


@given(st.binary())
def test_any_bytes_can_be_decoded(line: bytes) -> None:
    assert not decode(line).endswith("\r")


@given(st.text().filter(lambda text: not text.endswith("\r")))
def test_encoded_text_is_decoded_unchanged(text: str) -> None:
    assert decode(text.encode() + b"\r") == text
