"""What an Inspector remembers of its connection: messages, stderr, the server's lists."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Self, TypeVar
from weakref import WeakSet

from mcpi.core.plans.reports import TraceEntry
from mcpi.core.record.trace import TraceBuilder
from mcpi.core.session.bounded_queue import BoundedQueue
from mcpi.core.session.effects import SendMessage
from mcpi.core.wire.peer import Received

if TYPE_CHECKING:
    from mcpi.shell.connection.protocol_schema import SchemaChecker

T = TypeVar("T")

WAITING = 10_000
"""How many events wait for a listener that does not come; older ones are dropped and counted."""


class Memory:
    """The last messages and lines, as a tap hears them."""

    def __init__(self, epoch: float, messages: int, lines: int, law: "SchemaChecker | None" = None) -> None:
        """Nothing has been heard; a law measures what will be."""
        self.messages: BoundedQueue[TraceEntry] = BoundedQueue(messages, _size)
        self.lines: BoundedQueue[TraceEntry] = BoundedQueue(lines, _size)
        self._trace = TraceBuilder(epoch)
        self._law = law

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """A message went out."""
        self.messages.append(self._trace.sent(outgoing, at))
        if self._law is not None:
            self._law.sent(outgoing, at)

    def received(self, received: Received, at: float) -> None:
        """A message came in."""
        self.messages.append(self._trace.received(received, at))
        if self._law is not None:
            self._law.received(received, at)

    def stderr(self, line: str, at: float) -> None:
        """The server wrote a line on stderr."""
        self.lines.append(self._trace.note("stderr", line, at))

    def info(self, text: str, at: float) -> None:
        """The transport did something; nobody has asked for that."""


def _size(entry: TraceEntry) -> int:
    return len(str(entry["raw"]))


class Subscription(Generic[T]):
    """Values for one listener, in order."""

    def __init__(self, weigh: Callable[[T], int]) -> None:
        """Nobody has said anything; large values are bounded by their size as well."""
        self._values: BoundedQueue[T] = BoundedQueue(WAITING, weigh)
        self._news = asyncio.Event()
        self._closed = False
        self.dropped: int = 0
        """How many values were too many for a listener that did not come."""

    def put(self, value: T) -> None:
        """One more value."""
        self.dropped += self._values.append(value)
        self._news.set()

    def close(self) -> None:
        """There will be no more."""
        self._closed = True
        self._news.set()

    def __aiter__(self) -> Self:
        """The values as they come, until the channel is closed."""
        return self

    async def __anext__(self) -> T:
        """The next value."""
        while not self._values:
            if self._closed:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._values.popleft()


class Broadcast(Generic[T]):
    """The same values for any number of listeners."""

    def __init__(self, weigh: Callable[[T], int] = lambda _: 0) -> None:
        """Nobody listens yet; who stops listening is forgotten."""
        self._weigh = weigh
        self._channels: WeakSet[Subscription[T]] = WeakSet()
        self._closed = False

    def listen(self) -> Subscription[T]:
        """Every value from now on."""
        channel: Subscription[T] = Subscription(self._weigh)
        self._channels.add(channel)
        if self._closed:
            channel.close()
        return channel

    def put(self, value: T) -> None:
        """One more value, for all."""
        for channel in self._channels:
            channel.put(value)

    def open(self) -> None:
        """There will be values again, for who listens from now on."""
        self._closed = False

    def close(self) -> None:
        """There will be no more."""
        self._closed = True
        for channel in self._channels:
            channel.close()
        self._channels.clear()
