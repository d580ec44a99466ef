"""Message history and event subscriptions of an Inspector."""

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
    from mcpi.core.auth.metadata import Attempt
    from mcpi.core.record.http_message import HttpMessage
    from mcpi.shell.connection.protocol_schema import SchemaChecker

T = TypeVar("T")

MAX_QUEUED = 10_000
"""Maximum number of values queued for a slow listener; older ones are dropped and counted."""


class MessageHistory:
    """The last messages and stderr lines, recorded from the traffic."""

    def __init__(self, epoch: float, messages: int, lines: int, checker: "SchemaChecker | None" = None) -> None:
        """Start empty; the checker, if given, validates all messages."""
        self.messages: BoundedQueue[TraceEntry] = BoundedQueue(messages, _size)
        self.lines: BoundedQueue[TraceEntry] = BoundedQueue(lines, _size)
        self._trace = TraceBuilder(epoch)
        self._checker = checker

    def sent(self, outgoing: SendMessage, at: float) -> None:
        """Record a message that was sent."""
        self.messages.append(self._trace.sent(outgoing, at))
        if self._checker is not None:
            self._checker.sent(outgoing, at)

    def received(self, received: Received, at: float) -> None:
        """Record a message that was received."""
        self.messages.append(self._trace.received(received, at))
        if self._checker is not None:
            self._checker.received(received, at)

    def stderr(self, line: str, at: float) -> None:
        """Record a line that the server wrote to stderr."""
        self.lines.append(self._trace.note("stderr", line, at))

    def http(self, message: "HttpMessage", at: float) -> None:
        """Ignore HTTP requests and responses; their messages are recorded."""

    def attempted(self, attempt: "Attempt") -> None:
        """Ignore requests to an authorization server."""

    def info(self, text: str, at: float) -> None:
        """Ignore information about the transport."""


def _size(entry: TraceEntry) -> int:
    return len(str(entry["raw"]))


class Subscription(Generic[T]):
    """An async iterator over the values for one listener, in order."""

    def __init__(self, weigh: Callable[[T], int]) -> None:
        """Start empty; `weigh` returns the size of a value, as the total size is limited too."""
        self._values: BoundedQueue[T] = BoundedQueue(MAX_QUEUED, weigh)
        self._changed = asyncio.Event()
        self._closed = False
        self.dropped: int = 0
        """Number of values dropped because the listener was too slow."""

    def put(self, value: T) -> None:
        """Queue a value."""
        self.dropped += self._values.append(value)
        self._changed.set()

    def close(self) -> None:
        """End the iteration after the queued values."""
        self._closed = True
        self._changed.set()

    def __aiter__(self) -> Self:
        """Iterate over the values until the subscription is closed."""
        return self

    async def __anext__(self) -> T:
        """Wait for the next value and return it."""
        while not self._values:
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._values.popleft()


class Broadcast(Generic[T]):
    """A publisher of the same values to any number of listeners."""

    def __init__(self, weigh: Callable[[T], int] = lambda _: 0) -> None:
        """Start without listeners; a subscription that is no longer referenced is dropped."""
        self._weigh = weigh
        self._subscriptions: WeakSet[Subscription[T]] = WeakSet()
        self._closed = False

    def listen(self) -> Subscription[T]:
        """Subscribe to all further values."""
        subscription: Subscription[T] = Subscription(self._weigh)
        self._subscriptions.add(subscription)
        if self._closed:
            subscription.close()
        return subscription

    def put(self, value: T) -> None:
        """Send a value to all listeners."""
        for subscription in self._subscriptions:
            subscription.put(value)

    def reopen(self) -> None:
        """Accept new listeners again after a close."""
        self._closed = False

    def close(self) -> None:
        """Close all subscriptions."""
        self._closed = True
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()
