"""Read the docstrings of flag fields from the source of their classes."""

import re
import sys
from functools import cache
from pathlib import Path

_CLASS = re.compile(r"^class (\w+)[(:\[]", re.MULTILINE)
_FIELD = re.compile(r'^    (\w+): [^\n]+\n    """(.*?)"""', re.MULTILINE | re.DOTALL)


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


def field_texts(source: str) -> dict[str, dict[str, str]]:
    """Return the text under each field of each class in a module's source."""
    heads = [*_CLASS.finditer(source)]
    ends = (*(head.start() for head in heads[1:]), len(source))
    return {
        head[1]: {field: " ".join(text.split()) for field, text in _FIELD.findall(source[head.end() : end])}
        for head, end in zip(heads, ends, strict=False)
    }
