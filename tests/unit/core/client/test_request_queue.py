"""Requests wait their turn."""

from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.client.request_queue import QueueStatus, RequestQueue
from mcpi.core.outcome.faults import Interrupted

LOST = Interrupted("SIGINT")


def test_the_first_that_came_is_the_first_that_runs() -> None:
    queue = RequestQueue()
    first = queue.enqueue("tools/list", None, 1.0)
    queue.enqueue("ping", {"a": 1}, 2.0)

    assert queue.start_next(3.0) is first
    assert (first.status, first.created_at, first.started_at) == ("in_progress", 1.0, 3.0)


def test_one_runs_at_a_time() -> None:
    queue = RequestQueue()
    first = queue.enqueue("a", None, 1.0)
    second = queue.enqueue("b", None, 1.0)
    queue.start_next(2.0)

    assert queue.start_next(3.0) is None
    queue.finish(first, None, 4.0)
    assert queue.start_next(5.0) is second


def test_nothing_runs_where_nothing_waits() -> None:
    assert RequestQueue().start_next(1.0) is None


def test_what_has_finished_is_remembered_with_its_end() -> None:
    queue = RequestQueue()
    entry = queue.enqueue("a", None, 1.0)
    queue.start_next(2.0)
    queue.finish(entry, LOST, 3.0)

    assert [(one.status, one.fault, one.completed_at) for one in queue.history()] == [("error", LOST, 3.0)]


def test_what_waits_can_be_cancelled_and_what_runs_cannot() -> None:
    queue = RequestQueue()
    first, second = queue.enqueue("a", None, 1.0), queue.enqueue("b", None, 1.0)
    queue.start_next(2.0)

    assert (queue.cancel(first.id, 3.0), queue.cancel(second.id, 3.0), queue.cancel(second.id, 3.0)) == (
        False,
        True,
        False,
    )
    assert second.status == "cancelled"


def test_all_that_wait_are_rejected_when_the_connection_is_lost() -> None:
    queue = RequestQueue()
    running, waiting = queue.enqueue("a", None, 1.0), queue.enqueue("b", None, 1.0)
    queue.start_next(2.0)

    assert queue.reject_all(LOST, 3.0) == (waiting,)
    assert (running.status, waiting.status, waiting.fault) == ("in_progress", "error", LOST)


def test_the_status_counts_every_stage() -> None:
    queue = RequestQueue()
    entries = [queue.enqueue(str(number), None, 0.0) for number in range(5)]
    for entry, fault in ((entries[0], None), (entries[1], LOST)):
        queue.start_next(1.0)
        queue.finish(entry, fault, 1.0)
    queue.start_next(2.0)
    queue.cancel(entries[4].id, 2.0)

    assert queue.status == QueueStatus(pending=1, in_progress=1, completed=1, failed=1, cancelled=1, waiting=(4,))


def test_the_history_is_bounded_and_oldest_first() -> None:
    queue = RequestQueue(history=3)
    for number in range(5):
        entry = queue.enqueue(str(number), None, 0.0)
        queue.start_next(0.0)
        queue.finish(entry, None, 0.0)

    assert [entry.method for entry in queue.history()] == ["2", "3", "4"]
    assert [entry.method for entry in queue.history(2)] == ["3", "4"]
    assert [entry.method for entry in queue.history(9)] == ["2", "3", "4"]


@given(st.lists(st.sampled_from(["enqueue", "next", "finish", "cancel"]), max_size=60))
def test_no_order_of_happenings_loses_a_request(happenings: list[str]) -> None:
    queue, running, count = RequestQueue(), None, 0
    for happening in happenings:
        match happening:
            case "enqueue":
                count += 1
                queue.enqueue("x", None, 0.0)
            case "next":
                running = queue.start_next(0.0) or running
            case "finish" if running is not None:
                queue.finish(running, None, 0.0)
                running = None
            case _:
                queue.cancel(count, 0.0)

    status = queue.status
    assert status.pending + status.in_progress + status.completed + status.cancelled == count
