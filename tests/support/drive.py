"""Drive generators: send a reply to each step until the end, or inspect the steps."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

Y = TypeVar("Y")
R = TypeVar("R")


def drive(steps: Generator[Y, Any, R], answer: Callable[[Y], object]) -> R:
    """Send a reply to each step, and return the result."""
    reply: object = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration as done:
            return cast("R", done.value)
        reply = answer(step)


def observed(steps: Generator[Y, Any, R], observe: Callable[[Y], object]) -> Generator[Y, Any, R]:
    """Pass on the steps and their replies, and call the function with each step first."""
    reply: object = None
    while True:
        try:
            step = steps.send(reply)
        except StopIteration as done:
            return cast("R", done.value)
        observe(step)
        reply = yield step
