"""The old and the new value of a change as short text."""

from mcpi.core.jsontext.values import Json
from mcpi.core.jsontext.writing import dump
from mcpi.core.text.terminal_safe import escape_controls


def value_text(old: Json, new: Json, most: int) -> str:
    """Return both values, each truncated to `most` characters; null stands for no value."""
    if new is None:
        return f"was {shortened(old, most)}"
    return f"now {shortened(new, most)}" if old is None else f"{shortened(old, most)} -> {shortened(new, most)}"


def shortened(value: Json, most: int) -> str:
    """Return the value as JSON, truncated to `most` characters."""
    return cut(dump(value), most)


def cut(text: str, most: int) -> str:
    """Return the text without control characters, truncated to `most` characters."""
    shown = escape_controls(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
