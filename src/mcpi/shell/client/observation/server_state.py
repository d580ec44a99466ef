"""Everything that a client knows about its server, and the events that report each change."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from mcpi.core.client import client_events as events
from mcpi.core.client.cached_lists import READ, UPDATED, CachedLists, Refetch, updated_uri
from mcpi.core.client.client_events import ClientEvent
from mcpi.core.client.entries import Implementation, ServerDescription
from mcpi.core.client.request_queue import QueuedRequest, error_info
from mcpi.core.jsontext.exact import Exact, to_plain
from mcpi.core.jsontext.values import JsonObject, as_object
from mcpi.core.outcome.faults import Fault
from mcpi.core.plans.events import ConnectionClosed, Event, NotificationReceived, ServerRequestReceived, ViolationSeen
from mcpi.core.session.lifecycle import State
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.notifications import PROGRESS
from mcpi.core.wire.server_info import NegotiatedServer

LOG = "notifications/message"


class ServerState:
    """The server's description and lists; each change is published after it is in effect."""

    def __init__(
        self,
        lists: CachedLists,
        publish: Callable[[ClientEvent], None],
        request_of: Callable[[Id], QueuedRequest | None],
    ) -> None:
        """Start without a server; `request_of` finds the request that sent a JSON-RPC request."""
        self.lists = lists
        self.description: ServerDescription | None = None
        self._publish = publish
        self._request_of = request_of

    def connected(self, server: NegotiatedServer, session_id: str | None) -> ServerDescription:
        """Keep the description of the server, and publish what changed."""
        before = self.description
        description = ServerDescription(
            era=server.era,
            protocol_version=server.version,
            server_info=Implementation.of(as_object(server.info.value)),
            capabilities=as_object(server.capabilities.value),
            instructions=server.instructions or None,
            transport=server.transport,
            session_id=session_id,
        )
        self.description = description
        if before != description:
            self._publish_description(description)
        return description

    def _publish_description(self, now: ServerDescription | None) -> None:
        publish = self._publish
        publish(events.ServerInfoChange(server_info=None if now is None else now.server_info))
        publish(events.CapabilitiesChange(capabilities=None if now is None else now.capabilities))
        publish(events.InstructionsChange(instructions=None if now is None else now.instructions))
        self._publish_session(now)

    def _publish_session(self, now: ServerDescription | None) -> None:
        session_id, version = (None, None) if now is None else (now.session_id, now.protocol_version)
        self._publish(events.SessionChange(session_id=session_id, protocol_version=version))

    def clear(self) -> None:
        """Forget the server, after the connection was closed."""
        known, self.description = self.description, None
        fetched = self.lists.clear()
        if known is not None:
            self._publish_description(None)
        for method in fetched:
            self._publish(self.lists.change(method))

    def status_changed(self, state: State, fault: Fault | None) -> None:
        """Publish the state of the connection, with the failure that led to it."""
        error = None if fault is None or state not in ("error", "disconnected") else error_info(fault)
        self._publish(events.StatusChange(status=state, error=error))

    def failed(self, fault: Fault) -> None:
        """Publish a failure."""
        self._publish(events.ErrorSeen(error=error_info(fault)))

    def list_fetched(self, method: str, result: JsonObject) -> None:
        """Cache the result of a list method, and publish the change."""
        change = self.lists.update(method, result)
        if change is not None:
            self._publish(change)

    def refetched(self, what: Refetch, result: JsonObject) -> None:
        """Cache the result of a request in the background, and publish the change."""
        if what.method == READ:
            contents = cast("list[dict[str, Any]]", result.get("contents") or [])
            self._publish(events.ResourceUpdate(uri=what.uri, contents=contents))
        else:
            self.list_fetched(what.method, result)

    def on_event(self, event: Event) -> None:
        """Publish an event of the session."""
        self.lists.on_event(event)
        match event:
            case NotificationReceived(method, params):
                self._notification(event, method, _plain(params))
            case ServerRequestReceived(method, params, response):
                seen = events.ServerRequestSeen(method=method, params=_plain(params), response=to_plain(response))
                self._publish(seen)
            case ViolationSeen(violation):
                about = as_object(to_plain(violation.as_json()))
                self._publish(events.ViolationFound.of({"type": "violation", **about}))
            case ConnectionClosed(fault):
                self.failed(fault)
            case _:
                pass

    def _notification(self, event: NotificationReceived, method: str, params: JsonObject | None) -> None:
        found: Mapping[str, Any] = params or {}
        self._publish(events.NotificationSeen(method=method, params=cast("dict[str, Any] | None", params)))
        if method == PROGRESS:
            self._progress(found)
        elif method == LOG:
            self._publish(events.LogSeen.of({"type": "log", "level": "", **found}))
        elif method == UPDATED and not self.lists.rereads(updated_uri(event)):
            self._publish(events.ResourceUpdate(uri=updated_uri(event)))

    def _progress(self, found: Mapping[str, Any]) -> None:
        request = self._request_of(found.get("progressToken"))
        about = {name: found.get(name) for name in ("progress", "total", "message")}
        seen = events.ProgressSeen.of({"type": "progress", "request": None if request is None else request.id, **about})
        if request is not None and request.options.on_progress is not None:
            request.options.on_progress(seen)
        self._publish(seen)


def _plain(params: Exact | None) -> JsonObject | None:
    return None if params is None else as_object(params.value)
