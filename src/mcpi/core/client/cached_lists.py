"""Cache of the server's lists, with a queue of the stale lists and resources to fetch again."""

from mcpi.core.client.client_events import (
    ClientEvent,
    PromptsChange,
    ResourcesChange,
    ResourceTemplatesChange,
    ToolsChange,
)
from mcpi.core.client.entries import Prompt, Resource, ResourceTemplate, Tool
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import JsonObject, as_list, as_object, as_text
from mcpi.core.plans.events import Event, NotificationReceived
from mcpi.core.plans.listening import all_list_changes
from mcpi.core.wire.notifications import LIST_KEYS, LIST_METHODS, LISTEN, PROMPTS, RESOURCES, TEMPLATES, TOOLS
from mcpi.core.wire.server_info import NegotiatedServer

UPDATED = "notifications/resources/updated"
READ, SUBSCRIBE = "resources/read", "resources/subscribe"


@frozen
class Refetch:
    """A request to send when idle."""

    method: str
    uri: str = ""


class CachedLists:
    """The server's lists; a list is cached once it has been fetched."""

    def __init__(self, *, refetch: bool = True, reread: bool = True) -> None:
        """Start empty; `refetch` enables fetching changed lists again, `reread` reading changed resources again."""
        self.tools: list[Tool] | None = None
        self.resources: list[Resource] | None = None
        self.templates: list[ResourceTemplate] | None = None
        self.prompts: list[Prompt] | None = None
        self.subscribed: set[str] = set()
        self._refetch = refetch
        self._reread = reread
        self._stale: list[Refetch] = []
        self._unsubscribed = True

    @property
    def fetched(self) -> tuple[str, ...]:
        """The list methods whose results are cached."""
        lists = (self.tools, self.resources, self.templates, self.prompts)
        return tuple(method for method, found in zip(LIST_KEYS, lists, strict=True) if found is not None)

    def on_event(self, event: Event) -> None:
        """Mark a list or a resource as stale if the event reports a change."""
        if not isinstance(event, NotificationReceived):
            return
        if event.method in LIST_METHODS and self._refetch:
            changed = LIST_METHODS[event.method]
            # MCP 2025-11-25, server/resources: resource templates have no notification of their own.
            for method in (changed, TEMPLATES.method) if changed == RESOURCES.method else (changed,):
                if method in self.fetched:
                    self._add(Refetch(method))
        elif event.method == UPDATED and self.rereads(updated_uri(event)):
            self._add(Refetch(READ, updated_uri(event)))

    def rereads(self, uri: str) -> bool:
        """Tell whether the resource is read again when it changes."""
        return self._reread and uri in self.subscribed

    def _add(self, one: Refetch) -> None:
        if one not in self._stale:
            self._stale.append(one)

    def invalidate(self) -> None:
        """Mark all lists as stale after a reconnect, as notifications may have been missed."""
        self._unsubscribed = True
        self._stale = [Refetch(SUBSCRIBE, uri) for uri in sorted(self.subscribed)]
        self._stale += [Refetch(method) for method in self.fetched] if self._refetch else []

    def clear(self) -> tuple[str, ...]:
        """Forget everything; return the list methods that were cached."""
        before = self.fetched
        self.tools = self.resources = self.templates = self.prompts = None
        self._stale.clear()
        self.subscribed.clear()
        self._unsubscribed = True
        return before

    def should_subscribe(self, server: NegotiatedServer | None) -> bool:
        """Return True once per connection if a modern server can send change notifications."""
        if not self._refetch or not self._unsubscribed or server is None:
            return False
        if server.era == "handshake" or not all_list_changes(server):
            return False
        self._unsubscribed = False
        return True

    def next_request(self, server: NegotiatedServer | None) -> Refetch | None:
        """Return the next request to send when idle, or None."""
        if self.fetched and self.should_subscribe(server):
            return Refetch(LISTEN)
        return self._stale.pop(0) if self._stale else None

    def update(self, method: str, result: JsonObject) -> ClientEvent | None:
        """Cache the result of a list method; return the event that reports it."""
        found = [as_object(one) for one in as_list(result.get(LIST_KEYS.get(method, "")))]
        match method:
            case TOOLS.method:
                self.tools = [Tool.of(one) for one in found]
            case RESOURCES.method:
                self.resources = [Resource.of(one) for one in found]
            case TEMPLATES.method:
                self.templates = [ResourceTemplate.of(one) for one in found]
            case PROMPTS.method:
                self.prompts = [Prompt.of(one) for one in found]
            case _:
                return None
        return self.change(method)

    def change(self, method: str) -> ClientEvent:
        """Return the event for the list as it is now."""
        match method:
            case TOOLS.method:
                return ToolsChange(tools=self.tools or [])
            case RESOURCES.method:
                return ResourcesChange(resources=self.resources or [])
            case TEMPLATES.method:
                return ResourceTemplatesChange(resource_templates=self.templates or [])
            case _:
                return PromptsChange(prompts=self.prompts or [])


def updated_uri(event: NotificationReceived) -> str:
    """Return the URI of the resource that changed."""
    return "" if event.params is None else as_text(as_object(event.params.value).get("uri"))
