"""Check the types of the arguments of Python functions."""

from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from attrs import fields

from mcpi.core.jsontext.exact import Printable

_WORDS: Mapping[object, str] = {
    str: "a string",
    bool: "True or False",
    int: "an integer from 0",
    float: "a number from 0",
    NoneType: "None",
    Callable: "a function",
}
_QUOTED = 80


def check_argument(name: str, value: object, annotation: Any) -> None:  # noqa: ANN401 - any type
    """Raise TypeError, or ValueError for a wrong string or number, if the value does not have the type."""
    if _fits(value, annotation):
        return
    kinds = get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)
    close: list[type] = [str for kind in kinds if get_origin(kind) is Literal]
    close += [int for kind in kinds if kind in {int, float}] + [float for kind in kinds if kind is float]
    quoted = repr(value)
    shown = quoted if len(quoted) <= _QUOTED else f"{quoted[:_QUOTED]}…"
    raised = ValueError if isinstance(value, (*close,)) and not isinstance(value, bool) else TypeError
    raise raised(f"{name}: expected {_alternatives([*map(_described, kinds)])}, got {shown}")


def check_fields(owner: Any) -> None:  # noqa: ANN401 - an instance of any attrs class
    """Check the fields of an instance."""
    for one in fields(type(owner)):
        check_argument(f"{type(owner).__name__}: {one.name}", getattr(owner, one.name), one.type)


def _fits(value: Any, kind: Any) -> bool:  # noqa: ANN401 - any value, any type
    if kind in {Any, Printable}:
        return True
    origin, args = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return any(_fits(value, one) for one in args)
    if origin is Literal:
        return isinstance(value, str) and value in args
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(key, args[0]) and _fits(value[key], args[1]) for key in value)
    if origin in {tuple, Sequence}:
        is_text = isinstance(value, str | bytes)
        return isinstance(value, Sequence) and not is_text and all(_fits(one, args[0]) for one in value)
    if kind in {int, float}:
        # NaN is not at least 0 either.
        return isinstance(value, int if kind is int else int | float) and not isinstance(value, bool) and value >= 0
    if origin is Callable or kind is Callable:
        return callable(value)
    return isinstance(value, kind)


def _described(kind: Any) -> str:  # noqa: ANN401 - any type
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _alternatives([*map(repr, args)])
    if origin is Mapping:
        return "a dict with string keys" if args[1] in {Any, Printable} else f"a dict of {_plural(args[1])}"
    if origin in {tuple, Sequence}:
        return f"a sequence of {_plural(args[0])}"
    words = _WORDS.get(origin or kind)
    return f"an instance of {kind.__name__}" if words is None else words


def _alternatives(words: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _plural(kind: Any) -> str:  # noqa: ANN401 - any type
    return {str: "strings", float: "numbers"}.get(kind, "dicts")
