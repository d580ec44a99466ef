"""The request queue: order, limits, cancellation and history."""

import json

from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.client.entries import QueueStatus
from mcpi.core.client.request_queue import CallOptions, RequestQueue, error_info
from mcpi.core.outcome.faults import Interrupted, Invalid, RpcError
from support.replay import exact

LOST = Interrupted("SIGINT")


def test_requests_run_in_fifo_order() -> None:
    queue = RequestQueue()
    first = queue.enqueue("tools/list", None, 1.0)
    queue.enqueue("ping", {"a": 1}, 2.0)

    assert queue.start_next(3.0) is first
    assert (first.status, first.created_at, first.started_at) == ("in_progress", 1.0, 3.0)


def test_one_request_runs_at_a_time_by_default() -> None:
    queue = RequestQueue()
    first = queue.enqueue("a", None, 1.0)
    second = queue.enqueue("b", None, 1.0)
    queue.start_next(2.0)

    assert queue.start_next(3.0) is None
    queue.finish(first, None, 4.0)
    assert queue.start_next(5.0) is second


def test_empty_queue_starts_no_request() -> None:
    assert RequestQueue().start_next(1.0) is None


def test_finished_request_is_kept_in_the_history() -> None:
    queue = RequestQueue()
    entry = queue.enqueue("a", None, 1.0)
    queue.start_next(2.0)
    queue.finish(entry, LOST, 3.0)

    assert [(one.status, one.fault, one.completed_at) for one in queue.history()] == [("error", LOST, 3.0)]


def test_only_pending_requests_can_be_cancelled() -> None:
    queue = RequestQueue()
    first, second = queue.enqueue("a", None, 1.0), queue.enqueue("b", None, 1.0)
    queue.start_next(2.0)

    assert (queue.cancel(first.id, 3.0), queue.cancel(second.id, 3.0), queue.cancel(second.id, 3.0)) == (
        None,
        second,
        None,
    )
    assert second.status == "cancelled"


def test_lost_connection_rejects_all_pending_requests() -> None:
    queue = RequestQueue()
    running, waiting = queue.enqueue("a", None, 1.0), queue.enqueue("b", None, 1.0)
    queue.start_next(2.0)

    assert queue.reject_all(LOST, 3.0) == (waiting,)
    assert (running.status, waiting.status, waiting.fault) == ("in_progress", "error", LOST)


def test_status_counts_requests_of_every_stage() -> None:
    queue = RequestQueue()
    entries = [queue.enqueue(str(number), None, 0.0) for number in range(5)]
    for entry, fault in ((entries[0], None), (entries[1], LOST)):
        queue.start_next(1.0)
        queue.finish(entry, fault, 1.0)
    queue.start_next(2.0)
    queue.cancel(entries[4].id, 2.0)

    assert queue.status == QueueStatus(
        pending=1, in_progress=1, completed=1, failed=1, cancelled=1, waiting=[4], running=[3]
    )
    assert queue.active == (entries[2], entries[3])


def test_a_running_request_can_be_marked_as_cancelled() -> None:
    queue = RequestQueue()
    entry = queue.enqueue("a", None, 1.0)
    queue.start(entry, 2.0)
    queue.cancelled(entry, LOST, 3.0)

    assert (entry.status, entry.fault, queue.status.cancelled) == ("cancelled", LOST, 1)


def test_requests_run_concurrently_up_to_the_limit() -> None:
    queue = RequestQueue(limit=2)
    entries = [queue.enqueue(str(number), None, 0.0) for number in range(3)]

    assert [queue.start_next(1.0) for _ in range(3)] == [entries[0], entries[1], None]


def test_exclusive_request_runs_without_others() -> None:
    queue = RequestQueue(limit=3)
    first = queue.enqueue("a", None, 0.0)
    alone = queue.enqueue("b", None, 0.0, CallOptions(alone=True))
    last = queue.enqueue("c", None, 0.0)

    assert [queue.start_next(1.0), queue.start_next(1.0)] == [first, None]
    queue.finish(first, None, 2.0)
    assert [queue.start_next(3.0), queue.start_next(3.0)] == [alone, None]
    queue.finish(alone, None, 4.0)
    assert queue.start_next(5.0) is last


def test_large_results_evict_older_history_entries() -> None:
    queue = RequestQueue()
    large = "x" * (6 << 20)
    for result in (exact(large), {"a": [large]}, (large,), 5):
        entry = queue.enqueue("a", None, 0.0)
        queue.start_next(0.0)
        queue.finish(entry, None, 0.0, result)

    assert [entry.id for entry in queue.history()] == [2, 3, 4]


def test_history_entry_is_plain_json() -> None:
    queue = RequestQueue()
    entry = queue.enqueue("a", {"x": exact(1)}, 1.0)
    waiting = entry.record(0.0, json.loads)
    queue.start_next(2.0)
    entry.message_ids.append(7)
    entry.sent = b'{"params":{"y":2}}'
    queue.finish(entry, RpcError(-1, "no", exact({"code": -1})), 3.0)
    finished = json.loads(json.dumps(entry.record(0.0, json.loads)))

    assert (waiting.started_at, waiting.wire_params, waiting.error) == (None, None, None)
    assert (finished["params"], finished["wireParams"], finished["messageIds"]) == ({"x": 1}, {"y": 2}, [7])
    assert finished["completedAt"] == "1970-01-01T00:00:03.000Z"
    assert (finished["error"]["code"], finished["error"]["details"]["rpc"]) == ("JSON_RPC_ERROR", {"code": -1})


def test_error_info_has_details_and_hints() -> None:
    found = error_info(Invalid("INVALID_ARGUMENT", "a", "no", ("use b",)), {"method": "c"})

    assert (found.category, found.message) == ("validation", "a: no")
    assert found.details == {"where": "a", "hints": ["use b"], "method": "c"}


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
def test_no_sequence_of_operations_loses_a_request(operations: list[str]) -> None:
    queue, running, count = RequestQueue(), None, 0
    for operation in operations:
        match operation:
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
