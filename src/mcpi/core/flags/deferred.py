"""Deferred values, whose text comes from a file, a variable or standard input."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, cast

from attrs import evolve

from mcpi.core.flags.declare import Flag, flags_of
from mcpi.core.flags.pairs import invalid, undecodable
from mcpi.core.flags.types import FlagType, Source
from mcpi.core.frozen import frozen
from mcpi.core.outcome.result import Result, Success, collect

T = TypeVar("T")


@frozen
class Deferred:
    """A value that is parsed when its source has been read."""

    origin: str
    """The flag or variable that names the source."""
    flag_type: FlagType
    text: str
    source: Source


def parse_value(flag: Flag, origin: str, text: str) -> Result[Any]:
    """Parse the text of a flag's value, or defer it if the text names a source."""
    source = flag.flag_type.source(text)
    if source is not None:
        return Success(Deferred(origin, flag.flag_type, text, source))
    problem = None if flag.flag_type.takes_bytes else undecodable(text)
    return flag.flag_type.read(origin, text) if problem is None else invalid(origin, problem)


def sources(options: Iterable[object]) -> Iterator[tuple[str, Source]]:
    """Yield the sources of the deferred values, each with the flag or variable that names it."""
    for owner in options:
        for flag in flags_of(type(owner)):
            yield from (
                (one.origin, one.source) for one in _values(getattr(owner, flag.field)) if isinstance(one, Deferred)
            )


def settle(options: T, contents: Mapping[Source, str]) -> Result[T]:
    """Replace the deferred values of an options class, given the text of each source."""
    settled: dict[str, Any] = {}
    for flag in flags_of(type(options)):
        value = getattr(options, flag.field)
        if not any(isinstance(one, Deferred) for one in _values(value)):
            continue
        match collect(_settled(one, contents) for one in _values(value)):
            case Success(found):
                settled[flag.field] = found if flag.repeatable else found[-1]
            case failed:
                return failed
    changed: T = evolve(cast("Any", options), **settled) if settled else options
    return Success(changed)


def _values(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)


def _settled(value: object, contents: Mapping[Source, str]) -> Result[Any]:
    match value:
        case Deferred(origin, flag_type, text, source):
            if flag_type.content is not None:
                return flag_type.content(origin, text, contents[source])
            return flag_type.read(origin, contents[source])
        case _:
            return Success(value)
