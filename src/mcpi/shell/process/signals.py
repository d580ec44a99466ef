"""Handle signals: the first one ends the work in order, a second one ends it at once."""

import asyncio
import signal
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Timer
from types import FrameType

from mcpi.core.plans.plan import Interruption
from mcpi.shell.process.spawn import guard_tracked, handled_signals

LARGE_WORK = 8 << 20
"""The size above which parsing a text in a single call may delay a signal for too long."""
BUSY = 0.15
"""Seconds within which the event loop must notice a signal; otherwise, the busy code is interrupted."""


_ENDED_AT_ONCE = frozenset({"SIGINT", "SIGTERM", "SIGHUP"})


class _LoopWatch:
    """A check that the event loop notices a signal soon; otherwise Interruption is raised in the busy code."""

    def __init__(self) -> None:
        self._timer: Timer | None = None
        self.received = False
        """True if a signal has arrived; the work should end, and large texts are no longer parsed."""

    def handle(self, number: int, _: FrameType | None) -> None:
        self.received = True
        if self._timer is not None:
            raise Interruption
        self._timer = Timer(BUSY, interrupt_main, (number,))
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


_running: list[_LoopWatch] = []
"""The watch of the command that runs now; a program that uses the package as a library has none."""


@contextmanager
def on_interrupt(interrupt: Callable[[str], None]) -> Iterator[None]:
    """Call `interrupt` with the name of the first signal; the next one raises KeyboardInterrupt.

    So does the first one if the event loop is too busy to notice it.
    """
    loop = asyncio.get_running_loop()
    numbers = handled_signals()
    watch = _LoopWatch()

    def handle_first(number: int) -> None:
        watch.stop()
        for one in numbers:
            loop.remove_signal_handler(one)
            signal.signal(one, signal.default_int_handler)
        interrupt(signal.Signals(number).name)

    try:
        for number in numbers:
            loop.add_signal_handler(number, handle_first, number)
            # The loop still gets the signal, by its wakeup file descriptor.
            signal.signal(number, watch.handle)
    except NotImplementedError:
        yield  # Windows: Ctrl-C raises KeyboardInterrupt instead
        return
    _running[:] = [watch]
    try:
        yield
    finally:
        _running.clear()
        watch.stop()
        for number in numbers:
            loop.remove_signal_handler(number)


def end_at_once(size: int) -> AbstractContextManager[None]:
    """Let a signal end mcpi at once while it parses or formats a text of this size, if that is large.

    Python does not run signal handlers during a call into C code; one that parses a large text takes too long.
    """
    return _default_signals() if size >= LARGE_WORK and _running else nullcontext()


@contextmanager
def _default_signals() -> Iterator[None]:
    if _running[0].received:
        raise Interruption
    guard_tracked()
    numbers = [number for number in handled_signals() if number.name in _ENDED_AT_ONCE]
    before = {number: signal.signal(number, signal.SIG_DFL) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def raise_on_signal() -> Iterator[None]:
    """Make signals raise KeyboardInterrupt, which interrupts a blocking call such as a write to a full pipe."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in handled_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
