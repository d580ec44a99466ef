"""The server's lists as they were fetched last, and what has to be fetched anew."""

from collections.abc import Mapping

from mcpi.core.jsontext.values import Json, JsonObject, as_list
from mcpi.core.plans.events import Event, NotificationReceived
from mcpi.core.plans.listening import everything
from mcpi.core.wire.notifications import LIST_KEYS, LIST_METHODS, LISTEN
from mcpi.core.wire.server_info import Server

TEMPLATES = "resources/templates/list"


class CachedLists:
    """What the server offers, once somebody wanted to know."""

    def __init__(self) -> None:
        """Nothing has been fetched."""
        self.lists: dict[str, list[Json]] = {}
        self._stale: list[str] = []
        self._deaf = True

    def keep(self, found: JsonObject) -> Mapping[str, list[Json]]:
        """The lists that were found; any other is none of the server's."""
        self.lists = {name: as_list(found[name]) for name in LIST_KEYS.values() if name in found}
        self._stale.clear()
        return self.lists

    def hear(self, event: Event) -> None:
        """A list that has changed is stale."""
        if isinstance(event, NotificationReceived) and event.method in LIST_METHODS:
            changed = LIST_METHODS[event.method]
            # MCP 2025-11-25, server/resources: there is no notification of its own for the templates.
            for method in (changed, TEMPLATES) if changed == "resources/list" else (changed,):
                if LIST_KEYS[method] in self.lists and method not in self._stale:
                    self._stale.append(method)

    def forget(self) -> None:
        """The connection is another one: nobody knows what has changed meanwhile."""
        self._deaf = True
        self._stale = [method for method, key in LIST_KEYS.items() if key in self.lists]

    def listening(self, server: Server | None) -> bool:
        """Whether a modern server is still to be asked to tell of changes; it is asked once."""
        if not self._deaf or server is None or server.era == "handshake" or not everything(server):
            return False
        self._deaf = False
        return True

    def next(self, server: Server | None) -> str | None:
        """The method that is to be carried out when nothing else is to be done."""
        if self.lists and self.listening(server):
            return LISTEN
        return self._stale.pop(0) if self._stale else None

    def fetched(self, method: str, result: JsonObject) -> None:
        """One list as it is now."""
        if method in LIST_KEYS:
            self.lists[LIST_KEYS[method]] = as_list(result.get(LIST_KEYS[method]))
