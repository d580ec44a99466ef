"""Make untrusted text safe to print on a terminal."""

BIDI_CONTROLS = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Characters that change the text direction: a line that contains them can be displayed differently."""
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), 127, *range(128, 160)) if chr(code) not in "\t\n"}
_CONTROL |= {code: f"\\u{code:04x}" for code in BIDI_CONTROLS}


def escape_controls(text: str) -> str:
    """Escape the characters that could control the terminal."""
    return text if text.isprintable() else text.translate(_CONTROL)


def decode(line: bytes) -> str:
    """Decode a line of process output; invalid bytes are replaced."""
    return line.rstrip(b"\r").decode(errors="replace")
