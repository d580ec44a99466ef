"""Everything about a client that can be read at any time; the events report each change."""

import json
from collections.abc import Callable
from typing import Any, TypeVar, overload

from mcpi.core.client.argument_types import check_argument
from mcpi.core.client.client_events import ClientEvent
from mcpi.core.client.entries import (
    MessageEntry,
    PendingRequest,
    Prompt,
    QueueEntry,
    QueueStatus,
    Resource,
    ResourceTemplate,
    ServerDescription,
    StderrEntry,
    Tool,
)
from mcpi.core.client.records import Record
from mcpi.core.client.request_queue import QueuedRequest, RequestQueue
from mcpi.core.jsontext.exact import Exact
from mcpi.core.session.lifecycle import State
from mcpi.core.session.session import Session
from mcpi.shell.client.observation.listeners import Listeners, Subscription
from mcpi.shell.client.observation.message_history import MessageHistory
from mcpi.shell.client.observation.server_state import ServerState
from mcpi.shell.client.pending_requests import PendingRequests
from mcpi.shell.transports.credentials import Credentials

E = TypeVar("E", bound=Record)


class ClientView:
    """The state of a client as plain data, and its events."""

    def __init__(
        self, session: Session, memory: MessageHistory, queue: RequestQueue, state: ServerState, epoch: float
    ) -> None:
        """Keep the objects whose state is shown."""
        self._session = session
        self._memory = memory
        self._queue = queue
        self._state = state
        self._epoch = epoch
        self._pending: PendingRequests
        self._listeners: Listeners
        self._credentials = Credentials()

    @property
    def status(self) -> State:
        """The state of the connection."""
        return self._session.state

    @property
    def server(self) -> ServerDescription | None:
        """The server's description of itself; None unless connected."""
        return self._state.description

    @property
    def capabilities(self) -> dict[str, Any] | None:
        """The capabilities that the server declared; None unless connected."""
        return None if self.server is None else self.server.capabilities

    @property
    def instructions(self) -> str | None:
        """The instructions of the server."""
        return None if self.server is None else self.server.instructions

    @property
    def protocol_version(self) -> str | None:
        """The negotiated protocol version."""
        return None if self.server is None else self.server.protocol_version

    @property
    def session_id(self) -> str | None:
        """The session id that an HTTP server assigned."""
        return None if self.server is None else self.server.session_id

    @property
    def response_headers(self) -> dict[str, str]:
        """The headers of the last HTTP response."""
        return dict(self._credentials.response)

    @property
    def tools(self) -> list[Tool] | None:
        """The tools; None if they have not been fetched."""
        return self._state.lists.tools

    @property
    def resources(self) -> list[Resource] | None:
        """The resources; None if they have not been fetched."""
        return self._state.lists.resources

    @property
    def resource_templates(self) -> list[ResourceTemplate] | None:
        """The resource templates; None if they have not been fetched."""
        return self._state.lists.templates

    @property
    def prompts(self) -> list[Prompt] | None:
        """The prompts; None if they have not been fetched."""
        return self._state.lists.prompts

    @property
    def queue(self) -> QueueStatus:
        """The number of requests in each stage, and the queue numbers of those that wait or run."""
        return self._queue.status

    @property
    def requests(self) -> list[QueueEntry]:
        """The running and the waiting requests."""
        return [self._record(entry) for entry in self._queue.active]

    def history(self, limit: int | None = None) -> list[QueueEntry]:
        """Return the last finished requests, oldest first."""
        check_argument("limit", limit, int | None)
        return [self._record(entry) for entry in self._queue.history(limit)]

    def _record(self, entry: QueuedRequest) -> QueueEntry:
        return entry.record(self._epoch, json.loads)

    @property
    def messages(self) -> list[MessageEntry]:
        """The last messages in both directions, oldest first."""
        return [one.entry(self._epoch) for one in self._memory.messages.items.copy()]

    def exact_messages(self) -> list[Exact | None]:
        """Return `messages` with the original text of their JSON; None for a message that is not JSON."""
        return [one.exact() for one in self._memory.messages.items.copy()]

    @property
    def stderr(self) -> list[StderrEntry]:
        """The last lines that the server wrote to stderr, oldest first."""
        return list(self._memory.lines.items.copy())

    @property
    def pending(self) -> list[PendingRequest]:
        """The requests from the server that have not been answered yet."""
        return self._pending.entries

    @overload
    def events(self) -> Subscription[ClientEvent]: ...
    @overload
    def events(self, *types: type[E]) -> Subscription[E]: ...
    def events(self, *types: type[Record]) -> Subscription[Any]:
        """Iterate over all further events, or only those of the given classes; reconnects do not end the iterator."""
        return self._listeners.subscribe(types)

    def on(self, event: type[E], function: Callable[[E], object]) -> Callable[[], None]:
        """Call the function with all further events of this class; return a function that unregisters it."""
        return self._listeners.add((event,), function)
