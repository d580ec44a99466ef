"""A queue that a server cannot fill up the machine with."""

from hypothesis import given
from hypothesis import strategies as st

from mcpi.core.session.bounded_queue import BoundedQueue


def backlog(*items: str, most: int = 100, room: int = 100) -> BoundedQueue[str]:
    queue: BoundedQueue[str] = BoundedQueue(most, len, room)
    for item in items:
        queue.append(item)
    return queue


def test_what_came_first_goes_first() -> None:
    queue = backlog("a", "bc")

    assert [len(queue), queue.weight, queue.popleft(), len(queue), queue.weight] == [2, 3, "a", 1, 2]


def test_the_oldest_gives_way_when_there_are_too_many() -> None:
    queue = backlog("a", "b", most=2)

    assert (queue.append("c"), list(queue.items)) == (1, ["b", "c"])


def test_the_oldest_give_way_when_they_are_too_large() -> None:
    queue = backlog("a", "b", "cccc", room=6)

    assert (queue.append("dd"), list(queue.items), queue.weight) == (2, ["cccc", "dd"], 6)


def test_one_that_is_too_large_alone_stays() -> None:
    queue = backlog("a", room=6)

    assert (queue.append("bbbbbbb"), list(queue.items), queue.weight) == (1, ["bbbbbbb"], 7)


def test_what_is_taken_back_comes_first_again() -> None:
    queue, earlier = backlog("c"), backlog("a", "b")
    queue.prepend(earlier)

    assert (list(queue.items), queue.weight, len(earlier), earlier.weight) == (["a", "b", "c"], 3, 0, 0)


def test_nothing_is_left_after_it_was_cleared() -> None:
    queue = backlog("a", "b")
    queue.clear()

    assert (len(queue), queue.weight, bool(queue)) == (0, 0, False)


@given(st.lists(st.text(max_size=4) | st.none()), st.integers(1, 4), st.integers(0, 9))
def test_no_order_of_coming_and_going_makes_it_too_much(acts: list[str | None], most: int, room: int) -> None:
    queue = backlog(most=most, room=room)
    for item in acts:
        if item is not None:
            queue.append(item)
        elif queue:
            queue.popleft()
        assert queue.weight == sum(map(len, queue.items))
        assert len(queue) <= most
        assert queue.weight <= room or len(queue) == 1
