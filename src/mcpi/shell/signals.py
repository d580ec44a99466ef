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
    numbers = _heeded()

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


def from_now_on() -> None:
    """Until somebody listens, a signal that ends us does it in order, as Ctrl-C does: there may be a child by now."""
    for number in _heeded():
        signal.signal(number, signal.default_int_handler)


def _heeded() -> list[signal.Signals]:
    """The signals that end us; what our parent wants ignored (nohup) stays ignored."""
    known: list[signal.Signals] = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]
