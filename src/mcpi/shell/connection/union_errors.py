"""Reduce the errors of pydantic about unions to those of the member that the value was meant to be."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json

Path: TypeAlias = tuple[int | str, ...]
_LITERAL, _MISSING, _EXPECTED = "literal_error", "missing", "Input should be "
_MOST = 1000
"""Maximum number of errors to reduce."""


@frozen
class ModelError:
    """One error: the path to the invalid value, the rest of pydantic's location, the type of the error, its message."""

    path: Path
    rest: Path
    kind: str
    problem: str


def reduced_errors(errors: Sequence[Mapping[str, Any]], value: Json) -> list[ModelError]:
    """Return the errors without those of union members that the value was not meant to be."""
    return _reduced([ModelError((), one["loc"], one["type"], one["msg"]) for one in errors[:_MOST]], value)


def _reduced(errors: Sequence[ModelError], value: Json) -> list[ModelError]:
    """Reduce errors with the same path, which leads to the value."""
    found = [one for one in errors if not one.rest]
    members: dict[int | str, list[ModelError]] = {}
    branches: dict[int | str, list[ModelError]] = {}
    for one in errors:
        if one.rest:
            is_member = _has(value, one.rest[0]) or (len(one.rest) == 1 and one.kind == _MISSING)
            (members if is_member else branches).setdefault(one.rest[0], []).append(one)
    for key, ones in members.items():
        below = [evolve(one, path=(*one.path, key), rest=one.rest[1:]) for one in ones]
        found += _reduced(below, _member(value, key))
    if branches:
        depth = len(errors[0].path)
        alternatives = [[evolve(one, rest=one.rest[1:]) for one in ones] for ones in branches.values()]
        found += _meant([_reduced(ones, value) for ones in alternatives], depth)
    return found


def _meant(alternatives: Sequence[list[ModelError]], depth: int) -> list[ModelError]:
    """Return the errors of the union member whose literals match and that has the fewest errors."""
    wrong = [[one for one in ones if one.kind == _LITERAL and len(one.path) == depth + 1] for ones in alternatives]
    matching = [ones for ones, literals in zip(alternatives, wrong, strict=True) if not literals]
    # If no member has the literal, it is the only error.
    candidates = matching or [literals[:1] for literals in wrong]
    fewest = min(map(len, candidates))
    closest = [ones for ones in candidates if len(ones) == fewest]
    return [_joined([ones[0] for ones in closest])] if fewest == 1 else closest[0]


def _joined(alternatives: Sequence[ModelError]) -> ModelError:
    """Join errors of which only one needs to be corrected."""
    # A member that is present shows better than one that is missing which alternative was meant.
    alternatives = [one for one in alternatives if one.kind != _MISSING] or alternatives
    first = alternatives[0]
    if all(one.path == first.path and one.problem.startswith(_EXPECTED) for one in alternatives):
        expected = dict.fromkeys(one.problem.removeprefix(_EXPECTED) for one in alternatives)
        return evolve(first, problem=_EXPECTED + " or ".join(expected))
    names = {
        str(one.path[-1]): None for one in alternatives if one.kind == _MISSING and one.path[:-1] == first.path[:-1]
    }
    is_choice = len(names) > 1
    return evolve(first, path=first.path[:-1], problem=f"{first.problem}: {' or '.join(names)}") if is_choice else first


def _has(value: Json, key: int | str) -> bool:
    """Tell whether the key is one of the value; otherwise, it is the name of a member of a union."""
    if isinstance(value, list):
        return isinstance(key, int) and key < len(value)
    return isinstance(value, dict) and key in value


def _member(value: Json, key: int | str) -> Json:
    """Return the member of an object or array; None if it is missing."""
    if isinstance(value, list) and isinstance(key, int):
        return value[key]
    return value.get(str(key)) if isinstance(value, dict) else None
