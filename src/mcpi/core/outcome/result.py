"""The result of an operation that can fail."""

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

from returns.result import Failure, Success

from mcpi.core.outcome.faults import Fault, Invalid

T = TypeVar("T")

Result: TypeAlias = Success[T] | Failure[Fault]
ParseResult: TypeAlias = Success[T] | Failure[Invalid]
"""The result of parsing user input, whose only fault is Invalid."""

__all__ = ["Failure", "ParseResult", "Result", "Success", "collect"]


def collect(outcomes: Iterable[Result[T]]) -> Result[tuple[T, ...]]:
    """Return all values, or the first failure."""
    values: list[T] = []
    for outcome in outcomes:
        match outcome:
            case Success(value):
                values.append(value)
            case Failure() as failed:
                return failed
    return Success(tuple(values))
