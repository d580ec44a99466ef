"""Concurrent requests on one session; tests/unit/shell/client uses an in-memory server."""

from functools import partial
from typing import cast
from weakref import ref

from mcpi.core.client.request_queue import QueuedRequest, RequestQueue
from mcpi.core.client.request_runner import RequestRunner
from mcpi.core.outcome.faults import Interrupted
from mcpi.core.plans.plan import PlanResult
from mcpi.core.session.effects import (
    AwaitMessage,
    Effects,
    MessagesProcessed,
    Now,
    RequestFailed,
    SendMessage,
    TimerExpired,
)
from mcpi.core.session.session import Session
from mcpi.core.session.terms import Terms
from mcpi.core.wire.jsonrpc import parse
from mcpi.core.wire.peer import Received
from mcpi.core.wire.server_info import ClientInfo

LOST = Interrupted("disconnect")


def waits() -> Effects[PlanResult]:
    yield AwaitMessage(None)
    return PlanResult()


def fails() -> Effects[PlanResult]:
    yield Now()
    raise KeyError("shelf")


def runner() -> tuple[RequestRunner, RequestQueue, list[tuple[QueuedRequest, PlanResult]]]:
    """Return a runner without a server, its queue, and the list of finished requests."""
    queue, finished = RequestQueue(), list[tuple[QueuedRequest, PlanResult]]()
    session = Session(Terms(ClientInfo({})), {}, lambda _: None)
    one = RequestRunner(session, queue, lambda: None, lambda *ended: finished.append(ended))
    return one, queue, finished


def waiting(steps: Effects[None], reply: object = None) -> AwaitMessage:
    """Advance to the next wait, with the clock at one second."""
    effect = steps.send(reply)
    while not isinstance(effect, AwaitMessage):
        effect = steps.send(1.0)
    return effect


def test_abandoning_the_runner_fails_the_running_request() -> None:
    one, queue, finished = runner()
    entry = queue.enqueue("a", None, 1.0)
    one.work[entry.id] = waits
    steps = one.run()
    assert waiting(steps) == AwaitMessage(None)
    one.abandon(LOST, 3.0)

    assert finished == [(entry, PlanResult(None, LOST))]
    assert (entry.status, one.cancel(entry.id), one.request_of(1)) == ("error", False, None)


def test_abandoning_the_runner_ends_background_work() -> None:
    plans = iter([waits()])
    session = Session(Terms(ClientInfo({})), {}, lambda _: None)
    one = RequestRunner(session, RequestQueue(), lambda: cast("Effects[None]", next(plans)), lambda *_: None)
    steps = one.run()

    assert waiting(steps) == AwaitMessage(None)
    one.abandon(LOST, 3.0)


def sends(number: int, until: float) -> Effects[PlanResult]:
    """Send a request, and wait twice."""
    yield SendMessage(b"", "request", "x", number)
    yield AwaitMessage(until)
    yield AwaitMessage(9.0)
    return PlanResult()


def test_replaced_timer_is_ignored() -> None:
    one, queue, finished = runner()
    queue.limit = 2
    for number, until in ((7, 5.0), (8, 4.0)):
        one.work[queue.enqueue("a", None, 1.0).id] = partial(sends, number, until)
    steps = one.run()
    assert waiting(steps) == AwaitMessage(4.0)
    # The first request fails at 2.0 and waits again; at 6.0 only the timer of the second has expired.
    assert waiting(steps, RequestFailed(7, LOST, 2.0)) == AwaitMessage(4.0)
    assert waiting(steps, TimerExpired(6.0)) == AwaitMessage(9.0)
    assert finished == []


def test_finished_requests_are_released_while_a_slow_request_runs() -> None:
    known, count = list[ref[QueuedRequest]](), 10_000
    queue = RequestQueue(history=10, limit=2)
    session = Session(Terms(ClientInfo({})), {}, lambda _: None)
    one = RequestRunner(session, queue, lambda: None, lambda entry, _: queue.finish(entry, None, 2.0))

    def slow() -> Effects[PlanResult]:
        while True:
            yield AwaitMessage(50.0)

    def short() -> Effects[PlanResult]:
        yield AwaitMessage(60.0)
        return PlanResult()

    one.work[queue.enqueue("slow", None, 1.0).id] = slow
    steps = one.run()
    waiting(steps)
    for _ in range(count):
        known.append(ref(queue.enqueue("a", None, 1.0)))
        one.work[queue.status.waiting[0]] = short
        waiting(steps, MessagesProcessed(2.0))

    assert (queue.status.completed, queue.status.in_progress) == (count - 1, 2)
    assert len([entry for entry in known if entry() is not None]) < count / 10


def test_completed_request_is_not_resumed() -> None:
    one, queue, finished = runner()
    entry = queue.enqueue("a", None, 1.0)

    def pair() -> Effects[PlanResult]:
        yield SendMessage(b"", "request", "x", 7)
        yield SendMessage(b"", "request", "x", 8)
        yield AwaitMessage(None)
        return PlanResult()

    one.work[entry.id] = pair
    steps = one.run()
    assert waiting(steps) == AwaitMessage(None)
    messages, _ = parse(b'[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":8,"result":{}}]')
    assert waiting(steps, Received(messages, (), b"", 2.0)) == AwaitMessage(None)
    assert finished == [(entry, PlanResult())]


def test_exception_in_one_request_fails_only_that_request() -> None:
    one, queue, finished = runner()
    entry = queue.enqueue("a", None, 1.0)
    one.work[entry.id] = fails
    steps = one.run()
    assert waiting(steps) == AwaitMessage(None)
    ((_, result),) = finished

    assert result.fault is not None
    assert isinstance(result.cause, KeyError)


def test_request_cancelled_while_pending_is_not_started() -> None:
    one, queue, finished = runner()
    entry = queue.enqueue("a", None, 1.0)
    one.start_at_once(entry)
    queue.cancel(entry.id, 1.0)
    steps = one.run()

    assert waiting(steps) == AwaitMessage(None)
    assert finished == []
