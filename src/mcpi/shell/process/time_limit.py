"""Limit the duration of blocking calls, such as reading a pipe, with a timer signal."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class TimeLimitError(Exception):
    """The time limit has expired."""


@contextmanager
def time_limit(seconds: float | None, now: Callable[[], float]) -> Iterator[None]:
    """Raise TimeLimitError after some seconds; only the main thread of a POSIX system receives signals."""
    is_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not hasattr(signal, "setitimer") or not is_main:
        yield
        return

    def on_alarm(_: int, __: FrameType | None) -> None:
        raise TimeLimitError

    previous = signal.signal(signal.SIGALRM, on_alarm)
    # An alarm that is already set, such as a test's, keeps its due time.
    remaining, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    started = now()
    try:
        yield
    finally:
        # Cancel the alarm before its handler is removed: the default handler ends the process.
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)
        left = max(remaining - (now() - started), 0.001) if remaining else 0.0
        signal.setitimer(signal.ITIMER_REAL, left, interval)
