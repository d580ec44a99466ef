"""Signals end the work in order; a second one ends it at once."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def on_interrupt(interrupt: Callable[[str], None]) -> Iterator[None]:
    """While it lasts, the first signal is told and the next has its usual effect."""
    loop = asyncio.get_running_loop()
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]

    def first(number: int) -> None:
        for one in numbers:
            loop.remove_signal_handler(one)
            signal.signal(one, signal.SIG_DFL)
        interrupt(signal.Signals(number).name)

    try:
        for number in numbers:
            loop.add_signal_handler(number, first, number)
    except NotImplementedError:
        yield  # Windows: Ctrl-C raises KeyboardInterrupt instead
        return
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
