"""A queue that limits the number and the total size of its items."""

from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.session.bounded_queue import BoundedQueue


def backlog(*items: str, most: int = 100, weight: int = 100) -> BoundedQueue[str]:
    queue: BoundedQueue[str] = BoundedQueue(most, len, weight)
    for item in items:
        queue.append(item)
    return queue


def test_items_are_removed_in_insertion_order() -> None:
    queue = backlog("a", "bc")

    assert [len(queue), queue.weight, queue.popleft(), len(queue), queue.weight] == [2, 3, "a", 1, 2]


def test_oldest_item_is_dropped_when_the_queue_is_full() -> None:
    queue = backlog("a", "b", most=2)

    assert (queue.append("c"), list(queue.items)) == (1, ["b", "c"])


def test_oldest_items_are_dropped_when_the_size_limit_is_exceeded() -> None:
    queue = backlog("a", "b", "cccc", weight=6)

    assert (queue.append("dd"), list(queue.items), queue.weight) == (2, ["cccc", "dd"], 6)


def test_single_oversized_item_is_kept() -> None:
    queue = backlog("a", weight=6)

    assert (queue.append("bbbbbbb"), list(queue.items), queue.weight) == (1, ["bbbbbbb"], 7)


def test_prepended_items_come_first() -> None:
    queue, earlier = backlog("c"), backlog("a", "b")
    queue.prepend(earlier)

    assert (list(queue.items), queue.weight, len(earlier), earlier.weight) == (["a", "b", "c"], 3, 0, 0)


def test_clear_removes_all_items() -> None:
    queue = backlog("a", "b")
    queue.clear()

    assert (len(queue), queue.weight, bool(queue)) == (0, 0, False)


@given(st.lists(st.text(max_size=4) | st.none()), st.integers(1, 4), st.integers(0, 9))
def test_limits_hold_for_any_sequence_of_operations(effects: list[str | None], most: int, weight: int) -> None:
    queue = backlog(most=most, weight=weight)
    for item in effects:
        if item is not None:
            queue.append(item)
        elif queue:
            queue.popleft()
        assert queue.weight == sum(map(len, queue.items))
        assert len(queue) <= most
        assert queue.weight <= weight or len(queue) == 1
