"""Lines that others wrote, made fit to be shown."""

_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), 127, *range(128, 160)) if chr(code) not in "\t\n"}


def harmless(text: str) -> str:
    """The text with the characters spelled out that would steer a terminal."""
    return text if text.isprintable() else text.translate(_CONTROL)


def decode(line: bytes) -> str:
    """A line that a process wrote, whatever its bytes."""
    return line.rstrip(b"\r").decode(errors="replace")
