"""Handle signals: the first one ends the work in order, a second one ends it at once."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mcpi.shell.process.spawn import handled_signals


@contextmanager
def on_interrupt(interrupt: Callable[[str], None]) -> Iterator[None]:
    """Call `interrupt` with the name of the first signal; the next one raises KeyboardInterrupt."""
    loop = asyncio.get_running_loop()
    numbers = handled_signals()

    def handle_first(number: int) -> None:
        for one in numbers:
            loop.remove_signal_handler(one)
            signal.signal(one, signal.default_int_handler)
        interrupt(signal.Signals(number).name)

    try:
        for number in numbers:
            loop.add_signal_handler(number, handle_first, number)
    except NotImplementedError:
        yield  # Windows: Ctrl-C raises KeyboardInterrupt instead
        return
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


@contextmanager
def raise_on_signal() -> Iterator[None]:
    """Make signals raise KeyboardInterrupt, which interrupts a blocking call such as a write to a full pipe."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in handled_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
