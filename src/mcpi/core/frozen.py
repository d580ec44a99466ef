"""Values that never change: attrs classes that are made in half the time.

attrs compiles a text for each method of each class. Comparing and showing are seldom done, but a command line defines
some two hundred classes before its server can be started: here all of them share one function for each.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import attrs

__all__ = ["frozen"]

T = TypeVar("T", bound=type[Any])


def _fields(of: object) -> "tuple[attrs.Attribute[Any], ...]":
    found: tuple[attrs.Attribute[Any], ...] = attrs.fields(cast("type[attrs.AttrsInstance]", of.__class__))
    return found


def _parts(of: object) -> list[object]:
    return [getattr(of, one.name) for one in _fields(of) if one.eq]


def _is_equal(self: object, other: object) -> object:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _parts(self) == _parts(other)


def _hash(self: object) -> int:
    return hash((self.__class__, *_parts(self)))


def _repr(self: object) -> str:
    parts = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in _fields(self) if one.repr)
    return f"{self.__class__.__qualname__.rpartition('.')[2]}({parts})"


_SHARED = {"__eq__": _is_equal, "__hash__": _hash, "__repr__": _repr}


def _made(cls: T) -> T:
    for name, method in _SHARED.items():
        if cls.__dict__.get(name) is None:
            setattr(cls, name, method)
    return cls


if TYPE_CHECKING:
    from attrs import frozen as frozen  # noqa: PLC0414 - it is meant to be had from here
else:

    def frozen(cls: T | None = None, *, kw_only: bool = False) -> T | Callable[[T], T]:
        """The class with its fields, as `attrs.frozen` would make it."""
        make = attrs.frozen(kw_only=kw_only, eq=False, repr=False)
        return _made(make(cls)) if cls is not None else lambda later: _made(make(later))
