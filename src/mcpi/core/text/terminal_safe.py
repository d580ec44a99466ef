"""Lines that others wrote, made fit to be shown."""

TURNING = (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Characters that turn the direction of what follows: with them a line can read otherwise than it is."""
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), 127, *range(128, 160)) if chr(code) not in "\t\n"}
_CONTROL |= {code: f"\\u{code:04x}" for code in TURNING}


def harmless(text: str) -> str:
    """The text with the characters spelled out that would steer a terminal."""
    return text if text.isprintable() else text.translate(_CONTROL)


def decode(line: bytes) -> str:
    """A line that a process wrote, whatever its bytes."""
    return line.rstrip(b"\r").decode(errors="replace")
