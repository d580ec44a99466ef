"""Cache of the server's lists, which tracks outdated ones."""

from collections.abc import Mapping

from mcpi.core.jsontext.values import Json, JsonObject, as_list
from mcpi.core.plans.events import Event, NotificationReceived
from mcpi.core.plans.listening import all_list_changes
from mcpi.core.wire.notifications import LIST_KEYS, LIST_METHODS, LISTEN
from mcpi.core.wire.server_info import NegotiatedServer

TEMPLATES = "resources/templates/list"


class CachedLists:
    """The server's lists; nothing is cached before the first `keep`."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self.lists: dict[str, list[Json]] = {}
        self._stale: list[str] = []
        self._unsubscribed = True

    def replace(self, found: JsonObject) -> Mapping[str, list[Json]]:
        """Replace the cached lists by those in the document, and return them."""
        self.lists = {name: as_list(found[name]) for name in LIST_KEYS.values() if name in found}
        self._stale.clear()
        return self.lists

    def on_event(self, event: Event) -> None:
        """Mark a list as stale if the event reports a change."""
        if isinstance(event, NotificationReceived) and event.method in LIST_METHODS:
            changed = LIST_METHODS[event.method]
            # MCP 2025-11-25, server/resources: resource templates have no notification of their own.
            for method in (changed, TEMPLATES) if changed == "resources/list" else (changed,):
                if LIST_KEYS[method] in self.lists and method not in self._stale:
                    self._stale.append(method)

    def invalidate(self) -> None:
        """Mark all lists as stale after a reconnect, as notifications may have been missed."""
        self._unsubscribed = True
        self._stale = [method for method, key in LIST_KEYS.items() if key in self.lists]

    def should_subscribe(self, server: NegotiatedServer | None) -> bool:
        """Return True once per connection if a modern server can send change notifications."""
        if not self._unsubscribed or server is None or server.era == "handshake" or not all_list_changes(server):
            return False
        self._unsubscribed = False
        return True

    def next_method(self, server: NegotiatedServer | None) -> str | None:
        """Return the next method to run when idle, or None."""
        if self.lists and self.should_subscribe(server):
            return LISTEN
        return self._stale.pop(0) if self._stale else None

    def update(self, method: str, result: JsonObject) -> None:
        """Update a list with a new result."""
        if method in LIST_KEYS:
            self.lists[LIST_KEYS[method]] = as_list(result.get(LIST_KEYS[method]))
