"""What waits to be looked at, bounded in number and in size."""

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

ROOM = 16 << 20
"""How many characters are kept of what a server says unasked, of each kind; ten thousand large ones fill a machine."""


class BoundedQueue(Generic[T]):
    """A queue from which the oldest go when it becomes too much."""

    def __init__(self, most: int, weigh: Callable[[T], int], room: int = ROOM) -> None:
        """Nothing waits."""
        self.items: deque[T] = deque()
        self.weight: int = 0
        self._most = most
        self._weigh = weigh
        self._room = room

    def __len__(self) -> int:
        """How many wait."""
        return len(self.items)

    def append(self, item: T) -> int:
        """How many of the oldest had to go for it."""
        items = self.items
        items.append(item)
        self.weight += self._weigh(item)
        gone = 0
        while len(items) > self._most or (self.weight > self._room and len(items) > 1):
            self.popleft()
            gone += 1
        return gone

    def popleft(self) -> T:
        """The oldest, which waits no more."""
        item = self.items.popleft()
        self.weight -= self._weigh(item)
        return item

    def take(self) -> deque[T]:
        """All that waited."""
        taken = self.items
        self.items, self.weight = deque(), 0
        return taken

    def clear(self) -> None:
        """Nothing waits any more."""
        self.items.clear()
        self.weight = 0

    def take_back(self, earlier: "BoundedQueue[T]") -> None:
        """What had been taken out before waits again, before all others."""
        self.items.extendleft(reversed(earlier.items))
        self.weight += earlier.weight
        earlier.clear()
