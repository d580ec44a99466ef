"""What a step that can fail returns, and how failures are gathered."""

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

from returns.result import Failure, Success

from mcpi.core.faults import Fault

T = TypeVar("T")

Outcome: TypeAlias = Success[T] | Failure[Fault]

__all__ = ["Failure", "Outcome", "Success", "collect"]


def collect(outcomes: Iterable[Outcome[T]]) -> Outcome[tuple[T, ...]]:
    """All values, or the first failure."""
    values: list[T] = []
    for outcome in outcomes:
        match outcome:
            case Success(value):
                values.append(value)
            case Failure() as failed:
                return failed
    return Success(tuple(values))
