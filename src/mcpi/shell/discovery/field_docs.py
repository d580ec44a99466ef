"""Read the docstrings of flag fields from the source of their classes."""

import sys
from functools import cache
from pathlib import Path

from mcpi.core.cli.help_data import field_texts


def texts_of(owner: type) -> dict[str, str]:
    """Return the docstring of each field of a class and its base classes."""
    found: dict[str, str] = {}
    for one in reversed(owner.__mro__):
        file = getattr(sys.modules.get(one.__module__), "__file__", None)
        if file is not None and one is not object:
            found |= _texts(file).get(one.__name__, {})
    return found


@cache
def _texts(file: str) -> dict[str, dict[str, str]]:
    return field_texts(Path(file).read_text(encoding="utf-8"))
