"""Find a value among many others without a comparison with each of them."""

from collections.abc import Hashable, Iterable

from mcpi.core.jsontext.values import Json, json_equal, type_name

_MAX_DEPTH = 20


class ValueSet:
    """Values of any type; 1 and 1.0 are the same value, true and 1 are not."""

    def __init__(self, values: Iterable[Json]) -> None:
        self._known: dict[Hashable, list[Json]] = {}
        for value in values:
            self._known.setdefault(_key(value, 0), []).append(value)

    def __contains__(self, value: Json) -> bool:
        """Tell whether an equal value is in the set."""
        return any(json_equal(one, value) for one in self._known.get(_key(value, 0), ()))


def _key(value: Json, depth: int) -> Hashable:
    """Return a key that equal values share; parts at great depth do not count."""
    kind = type_name(value)
    if depth < _MAX_DEPTH and isinstance(value, list):
        return kind, tuple(_key(one, depth + 1) for one in value)
    if depth < _MAX_DEPTH and isinstance(value, dict):
        return kind, frozenset((name, _key(one, depth + 1)) for name, one in value.items())
    return kind, None if isinstance(value, list | dict) else value
