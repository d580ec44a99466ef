"""The first signal ends the work in order, even if the event loop is busy."""

import asyncio
import signal
import time

import pytest

from mcpi.core.plans.plan import Interruption
from mcpi.shell.process.signals import LARGE_WORK, end_at_once, on_interrupt


def test_signal_name_is_passed_to_the_callback_of_an_idle_loop() -> None:
    async def work() -> list[str]:
        names: list[str] = []
        noticed = asyncio.Event()

        def interrupt(name: str) -> None:
            names.append(name)
            noticed.set()

        with on_interrupt(interrupt):
            signal.raise_signal(signal.SIGTERM)
            await noticed.wait()
        return names

    assert asyncio.run(work()) == ["SIGTERM"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_interrupts_a_busy_loop(number: signal.Signals) -> None:
    async def work() -> None:
        with on_interrupt(lambda _: None):
            signal.raise_signal(number)
            end = time.monotonic() + 20
            while time.monotonic() < end:
                pass

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(work())

    assert time.monotonic() - began < 10


def test_a_second_signal_interrupts_a_busy_loop_at_once() -> None:
    async def work() -> None:
        with on_interrupt(lambda _: None):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(work())


def test_default_signal_handlers_apply_only_during_large_work() -> None:
    async def work() -> list[bool]:
        found = [_is_default(LARGE_WORK)]
        with on_interrupt(lambda _: None):
            found += [_is_default(LARGE_WORK - 1), _is_default(LARGE_WORK), _is_default(0)]
        return found

    assert asyncio.run(work()) == [False, False, True, False]


def _is_default(size: int) -> bool:
    with end_at_once(size):
        return signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and signal.getsignal(signal.SIGINT) is signal.SIG_DFL


def test_large_work_is_not_started_after_a_signal() -> None:
    async def work() -> None:
        with on_interrupt(lambda _: None):
            signal.raise_signal(signal.SIGINT)
            with end_at_once(LARGE_WORK):
                pass

    with pytest.raises(Interruption):
        asyncio.run(work())
