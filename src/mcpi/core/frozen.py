"""A faster `attrs.frozen`: immutable classes that attrs completes when they are first used.

attrs compiles the source of each method for each class. mcpi defines about two hundred classes before it can start
a server, and a run uses a third of them. Equality, hash and repr are rarely used: all classes share one
function for each.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import attrs

__all__ = ["frozen"]

T = TypeVar("T", bound=type[Any])


def _fields(instance: object) -> "tuple[attrs.Attribute[Any], ...]":
    found: tuple[attrs.Attribute[Any], ...] = attrs.fields(cast("type[attrs.AttrsInstance]", instance.__class__))
    return found


def _compared_values(instance: object) -> list[object]:
    return [getattr(instance, one.name) for one in _fields(instance) if one.eq]


def _is_equal(self: object, other: object) -> object:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _compared_values(self) == _compared_values(other)


def _hash(self: object) -> int:
    return hash((self.__class__, *_compared_values(self)))


def _repr(self: object) -> str:
    parts = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in _fields(self) if one.repr)
    return f"{self.__class__.__qualname__.rpartition('.')[2]}({parts})"


_SHARED = {"__eq__": _is_equal, "__hash__": _hash, "__repr__": _repr}
_OF_EACH_CLASS = ("__dict__", "__weakref__")
"""Attributes that are not copied, because each class has its own."""


class _Late:
    """An attribute that attrs makes for a class when it is read for the first time."""

    def __init__(self, name: str, cls: type, complete: Callable[[], None]) -> None:
        self._name = name
        self._cls = cls
        self._complete = complete

    def __get__(self, instance: object, owner: type) -> object:
        self._complete()
        made = vars(self._cls)[self._name]
        # inspect.signature gives the class as the instance.
        return made.__get__(instance, owner) if callable(made) else made


def _prepared(cls: T, *, kw_only: bool) -> T:
    """Return the class, which attrs completes when its fields are read or an instance is made."""
    written = dict(vars(cls))

    def complete() -> None:
        # Another thread may do the same at the same time: attrs gets a copy of the class as it was written.
        body = {name: value for name, value in written.items() if name not in _OF_EACH_CLASS}
        copied = cast("Any", type(cls))(cls.__name__, cls.__bases__, body)
        made = vars(attrs.frozen(slots=False, eq=False, repr=False, kw_only=kw_only)(copied))
        # Set __init__ last, so that no instance is created before the class has all its methods.
        for name in sorted(made.keys() - written.keys(), key="__init__".__eq__):
            setattr(cls, name, made[name])

    for name in ("__attrs_attrs__", "__init__"):
        setattr(cls, name, _Late(name, cls, complete))
    for name, method in _SHARED.items():
        if written.get(name) is None:
            setattr(cls, name, method)
    return cls


if TYPE_CHECKING:
    from attrs import frozen as frozen  # noqa: PLC0414 - other modules import it from here
else:

    def frozen(cls: T | None = None, *, kw_only: bool = False) -> T | Callable[[T], T]:
        """Create the class as `attrs.frozen` would."""
        return partial(_prepared, kw_only=kw_only) if cls is None else _prepared(cls, kw_only=kw_only)
