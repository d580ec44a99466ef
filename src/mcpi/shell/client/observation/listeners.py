"""Deliver events to iterators and callbacks."""

from collections.abc import Callable, Collection
from threading import Lock
from typing import Any, Generic, Self, TypeVar, cast
from warnings import warn
from weakref import WeakSet

from mcpi.core.client.argument_types import check_argument
from mcpi.core.client.client_events import ClientEvent, EventsDropped, MessageSeen
from mcpi.core.client.records import Record
from mcpi.core.session.bounded_queue import BoundedQueue
from mcpi.shell.client.event_loops import make_waiter

E = TypeVar("E", bound=Record)

MAX_QUEUED = 10_000
"""Maximum number of events queued for a slow listener; older ones are dropped and counted."""


class Subscription(Generic[E]):
    """An async iterator over events, in order; returned by `Inspector.events`.

    Events that a slow listener misses are counted in `dropped`. In their place, an iterator over all events yields
    EventsDropped; any other iterator issues a RuntimeWarning.
    """

    def __init__(self, types: Collection[str]) -> None:
        """Start empty; without types, all events are delivered."""
        self.types: frozenset[str] = frozenset(types)
        self.dropped: int = 0
        """Number of events dropped because the listener was too slow."""
        self._events: BoundedQueue[E] = BoundedQueue(MAX_QUEUED, _size)
        self._untold = 0
        self._closed = False
        self._lock = Lock()
        self._wake: Callable[[], object] = _ignore

    def put(self, event: E) -> None:
        """Queue an event."""
        with self._lock:
            dropped = self._events.append(event)
            self.dropped += dropped
            self._untold += dropped
        self._wake()

    def close(self) -> None:
        """End the iteration after the queued events."""
        self._closed = True
        self._wake()

    def __aiter__(self) -> Self:
        """Iterate over the events until the subscription is closed."""
        return self

    async def __anext__(self) -> E:
        """Wait for the next event and return it."""
        if self._wake is not _ignore:
            # Only one of the tasks would be woken.
            raise RuntimeError("another task is already waiting for the next event; call events() for each task")
        while not self._events:
            if self._closed:
                raise StopAsyncIteration
            wait, self._wake = make_waiter()
            # An event may have arrived before the waiter was set.
            try:
                if not self._events and not self._closed:
                    await wait()
            finally:
                self._wake = _ignore
        if self._untold:
            count, self._untold = self._untold, 0
            if not self.types or "dropped" in self.types:
                return cast("E", EventsDropped(count=count))
            warn(f"{count} events were dropped because the listener was too slow", RuntimeWarning, stacklevel=2)
        with self._lock:
            return self._events.popleft()


def _size(event: Record) -> int:
    return len(str(event.entry.get("message"))) if isinstance(event, MessageSeen) else 0


def _ignore() -> None:
    """Do nothing: the listener is not waiting."""


def event_types(types: Collection[type[Record]]) -> list[str]:
    """Return the types of events as they are in JSON."""
    for kind in types:
        if "type" not in getattr(kind, "_defaults", ()):
            raise TypeError(f"expected the class of an event, such as mcpi.LogSeen, got {kind!r}")
    return [kind()["type"] for kind in types]


class Callback:
    """A function that is called with events."""

    def __init__(self, types: Collection[str], function: Callable[[Any], object]) -> None:
        """Call the function with events of these types; without types, with all events."""
        self.types: frozenset[str] = frozenset(types)
        self.function = function


class Listeners:
    """All listeners of a client; a subscription that is no longer referenced is dropped."""

    def __init__(self, post: Callable[..., None]) -> None:
        """Start without listeners; `post` calls a callback on the caller's event loop."""
        self._post = post
        self._subscriptions: WeakSet[Subscription[Any]] = WeakSet()
        self._callbacks: list[Callback] = []
        self._lock = Lock()
        # These never shrink: building an event without a listener costs little.
        self._wanted: set[str] = set()
        self._all_wanted = False

    def has_listener(self, kind: str) -> bool:
        """Tell whether there is a listener for this type of event."""
        return self._all_wanted or kind in self._wanted

    def subscribe(self, types: Collection[type[Record]]) -> Subscription[Any]:
        """Subscribe to all further events of these types."""
        kinds = event_types(types)
        self._want(kinds)
        subscription: Subscription[Any] = Subscription(kinds)
        with self._lock:
            self._subscriptions.add(subscription)
        return subscription

    def add(self, types: Collection[type[Record]], function: Callable[[Any], object]) -> Callable[[], None]:
        """Call the function with all further events of these types; return a function that unregisters it."""
        check_argument("function", function, Callable)
        kinds = event_types(types)
        self._want(kinds)
        callback = Callback(kinds, function)
        self._callbacks.append(callback)

        def remove() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return remove

    def _want(self, types: Collection[str]) -> None:
        self._wanted.update(types)
        self._all_wanted = self._all_wanted or not types

    def put(self, event: ClientEvent) -> None:
        """Deliver an event to all listeners."""
        kind = event.type
        with self._lock:
            subscriptions = tuple(self._subscriptions)
        for subscription in subscriptions:
            if not subscription.types or kind in subscription.types:
                subscription.put(event)
        for callback in tuple(self._callbacks):
            if not callback.types or kind in callback.types:
                self._post(callback.function, event)

    def close(self) -> None:
        """End all iterations."""
        for subscription in tuple(self._subscriptions):
            subscription.close()
        self._subscriptions.clear()
