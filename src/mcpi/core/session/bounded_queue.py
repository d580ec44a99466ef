"""A queue bounded in the number and total size of its items."""

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

MAX_CHARACTERS = 16 << 20
"""Maximum number of characters kept for each kind of unsolicited message, to limit the memory in use."""


class BoundedQueue(Generic[T]):
    """A queue that drops its oldest items when it exceeds a limit."""

    def __init__(self, most: int, weigh: Callable[[T], int], room: int = MAX_CHARACTERS) -> None:
        """Start with an empty queue for up to `most` items and a total weight of `room`."""
        self.items: deque[T] = deque()
        self.weight: int = 0
        self._max_items = most
        self._weigh = weigh
        self._max_weight = room

    def __len__(self) -> int:
        """Number of items."""
        return len(self.items)

    def append(self, item: T) -> int:
        """Add an item and return the number of items dropped to make room."""
        items = self.items
        items.append(item)
        self.weight += self._weigh(item)
        dropped = 0
        while len(items) > self._max_items or (self.weight > self._max_weight and len(items) > 1):
            self.popleft()
            dropped += 1
        return dropped

    def popleft(self) -> T:
        """Remove and return the oldest item."""
        item = self.items.popleft()
        self.weight -= self._weigh(item)
        return item

    def pop_all(self) -> deque[T]:
        """Remove and return all items."""
        taken = self.items
        self.items, self.weight = deque(), 0
        return taken

    def clear(self) -> None:
        """Remove all items."""
        self.items.clear()
        self.weight = 0

    def prepend(self, earlier: "BoundedQueue[T]") -> None:
        """Move the items of an earlier queue to the front of this one."""
        self.items.extendleft(reversed(earlier.items))
        self.weight += earlier.weight
        earlier.clear()
