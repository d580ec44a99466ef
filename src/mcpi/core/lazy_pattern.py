"""Regular expressions that are compiled on first use: a command line needs few of them."""

import re
from typing import TYPE_CHECKING, Any

__all__ = ["lazy_pattern"]


class _LazyPattern:
    """A pattern whose methods replace themselves with those of the compiled pattern."""

    def __init__(self, source: Any, flags: int) -> None:  # noqa: ANN401 - text or bytes
        self._given = (source, flags)

    def __getattr__(self, name: str) -> object:
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    from re import compile as lazy_pattern
else:

    def lazy_pattern(source: str | bytes, flags: int = 0) -> _LazyPattern:
        """Return a pattern that `re.compile` compiles on first use."""
        return _LazyPattern(source, flags)
