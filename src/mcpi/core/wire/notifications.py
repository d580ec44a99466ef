"""Check a server's notifications against the negotiated capabilities and the client's requests."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

from mcpi.core.jsontext.values import Json, as_object
from mcpi.core.jsontext.writing import dump
from mcpi.core.wire.jsonrpc import Id, Notification
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.violations import Violation, quote

_REQUIRED_CAPABILITIES: Mapping[str, str] = {
    "notifications/message": "logging",
    "notifications/resources/updated": "resources.subscribe",
    "notifications/resources/list_changed": "resources.listChanged",
    "notifications/tools/list_changed": "tools.listChanged",
    "notifications/prompts/list_changed": "prompts.listChanged",
}
"""The capability that each notification requires, in both eras."""


PROGRESS = "notifications/progress"
MAX_TOKENS = 10_000
"""Maximum number of progress tokens that are remembered; the oldest are forgotten first."""
LISTEN, ACKNOWLEDGED = "subscriptions/listen", "notifications/subscriptions/acknowledged"


SERVER_NOTIFICATIONS = (
    *_REQUIRED_CAPABILITIES,
    PROGRESS,
    ACKNOWLEDGED,
    "notifications/cancelled",
    "notifications/elicitation/complete",
    "notifications/tasks/status",
)
"""The notifications that servers send in any version of the protocol."""


class ServerList(NamedTuple):
    """One kind of list."""

    key: str
    """The member of the result that holds the elements."""
    method: str
    capability: str
    noun: str
    label: str
    """The heading in the summary."""
    identifier: str
    """The member of an element that names it."""


TOOLS = ServerList("tools", "tools/list", "tools", "tool", "tools", "name")
RESOURCES = ServerList("resources", "resources/list", "resources", "resource", "resources", "uri")
TEMPLATES = ServerList(
    "resourceTemplates", "resources/templates/list", "resources", "resource template", "templates", "uriTemplate"
)
PROMPTS = ServerList("prompts", "prompts/list", "prompts", "prompt", "prompts", "name")
SERVER_LISTS = (TOOLS, RESOURCES, TEMPLATES, PROMPTS)

LIST_KEYS: Mapping[str, str] = {one.method: one.key for one in SERVER_LISTS}
"""The member of each list result that holds the elements."""
# MCP 2025-11-25, server/resources: templates have no notification of their own.
LIST_CHANGED_KINDS = (TOOLS.capability, PROMPTS.capability, RESOURCES.capability)
LIST_METHODS: Mapping[str, str] = {
    f"notifications/{one.capability}/list_changed": one.method for one in (TOOLS, PROMPTS, RESOURCES)
}
"""The list to request again after each list_changed notification."""


def progress_token(message: Notification) -> Id:
    """Return the progress token of a progress notification."""
    token = as_object(message.params.value).get("progressToken") if message.params is not None else None
    return token if isinstance(token, int | str) and not isinstance(token, bool) else None


def check_notification(
    message: Notification, server: NegotiatedServer | None, *, log_asked: bool
) -> tuple[Violation, ...]:
    """Report the violations of a notification that do not depend on earlier messages."""
    if server is None:
        return ()
    needs = _REQUIRED_CAPABILITIES.get(message.method)
    if needs is not None and server.was_asked_for_capabilities and not server.declares(needs):
        problem = f"{message.method} was sent, but the capability {needs} was not declared"
        return (Violation("undeclared-capability", problem, message.quoted),)
    if server.era == "modern" and message.method == "notifications/message" and not log_asked:
        # MCP 2026-07-28, logging: without a log level in the request "the server MUST NOT send" log messages.
        return (Violation("unasked-log", "a log message was sent, but no level was requested", message.quoted),)
    return ()


class NotificationChecker:
    """The state for checking notifications: known progress tokens and open streams."""

    def __init__(self) -> None:
        """Start without any requests."""
        self._tokens: OrderedDict[Id, Id] = OrderedDict()
        self._streams: set[str] = set()
        """The requested streams that are not yet acknowledged."""
        self._valid: set[str] = set()
        """The notification methods that were found valid."""

    def request_sent(self, number: Id, method: str, token: Id) -> None:
        """Record a request that is sent."""
        if token is not None:
            self._tokens[token] = number
            if len(self._tokens) > MAX_TOKENS:
                self._tokens.popitem(last=False)
        if method == LISTEN:
            self._streams.add(str(number))

    def is_known_valid(self, method: str) -> bool:
        """Tell whether such notifications need no further check; there may be many of them."""
        return method in self._valid and not self._streams

    def request_of(self, message: Notification) -> Id:
        """Return the id of the request that a progress notification belongs to."""
        return self._tokens.get(progress_token(message)) if message.method == PROGRESS else None

    def check(
        self, message: Notification, server: NegotiatedServer | None, *, log_asked: bool
    ) -> tuple[Violation, ...]:
        """Report the violations of the notification."""
        found: tuple[Violation, ...] = ()
        if self._streams:
            found += self._unacknowledged(message)
        if message.method in self._valid:
            return found
        found += check_notification(message, server, log_asked=log_asked)
        if message.method == PROGRESS and progress_token(message) not in self._tokens:
            # MCP 2025-11-25, progress: notifications "MUST only reference tokens that were provided in a request".
            quoted = quote(dump(progress_token(message)))
            found += (Violation("progress-token", f"no request has the progress token {quoted}", message.quoted),)
        if server is not None and not found and message.method != PROGRESS:
            self._valid.add(message.method)
        return found

    def _unacknowledged(self, message: Notification) -> tuple[Violation, ...]:
        number = str(subscription_id(message))
        if message.method == ACKNOWLEDGED:
            self._streams.discard(number)
        elif number in self._streams:
            problem = f"{message.method} was sent on a stream before its acknowledgement"
            return (Violation("unacknowledged-stream", problem, message.quoted),)
        return ()


def subscription_id(message: Notification) -> Json:
    """Return the subscription id of a modern notification."""
    params = as_object(message.params.value) if message.params is not None else {}
    return as_object(params.get("_meta")).get("io.modelcontextprotocol/subscriptionId")
