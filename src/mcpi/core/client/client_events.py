"""The events of a client, each delivered after the state that it reports."""

from typing import Any, Literal, TypeAlias

from mcpi.core.client.entries import (
    ErrorInfo,
    Implementation,
    MessageEntry,
    PendingRequest,
    Prompt,
    QueueStatus,
    Resource,
    ResourceTemplate,
    StderrEntry,
    Tool,
)
from mcpi.core.client.records import Record
from mcpi.core.session.lifecycle import State


class StatusChange(Record):
    """The status of the connection changed; `error` is the failure that caused it."""

    type: Literal["status"] = "status"
    status: State
    error: ErrorInfo | None = None


class ToolsChange(Record):
    """The tools were fetched, or were cleared when the client disconnected."""

    type: Literal["tools"] = "tools"
    tools: list[Tool]


class ResourcesChange(Record):
    """The resources were fetched, or were cleared when the client disconnected."""

    type: Literal["resources"] = "resources"
    resources: list[Resource]


class ResourceTemplatesChange(Record):
    """The resource templates were fetched, or were cleared when the client disconnected."""

    type: Literal["resourceTemplates"] = "resourceTemplates"
    resource_templates: list[ResourceTemplate]


class PromptsChange(Record):
    """The prompts were fetched, or were cleared when the client disconnected."""

    type: Literal["prompts"] = "prompts"
    prompts: list[Prompt]


class ResourceUpdate(Record):
    """A subscribed resource changed; `contents` is None if it was not read again."""

    type: Literal["resourceUpdated"] = "resourceUpdated"
    uri: str
    contents: list[dict[str, Any]] | None = None


class CapabilitiesChange(Record):
    """The capabilities of the server were received, or were cleared when the client disconnected."""

    type: Literal["capabilities"] = "capabilities"
    capabilities: dict[str, Any] | None


class ServerInfoChange(Record):
    """The name and version of the server were received, or were cleared when the client disconnected."""

    type: Literal["serverInfo"] = "serverInfo"
    server_info: Implementation | None


class InstructionsChange(Record):
    """The instructions of the server were received, or were cleared when the client disconnected."""

    type: Literal["instructions"] = "instructions"
    instructions: str | None


class SessionChange(Record):
    """The session id or the protocol version changed."""

    type: Literal["session"] = "session"
    session_id: str | None
    protocol_version: str | None


class MessageSeen(Record):
    """A message was sent or received."""

    type: Literal["message"] = "message"
    entry: MessageEntry


class StderrSeen(Record):
    """The server wrote a line to stderr."""

    type: Literal["stderr"] = "stderr"
    entry: StderrEntry


class QueueChange(Record):
    """A request was queued, was started, has finished or was cancelled."""

    type: Literal["queue"] = "queue"
    queue: QueueStatus


class PendingChange(Record):
    """The list of the server's pending requests changed."""

    type: Literal["pending"] = "pending"
    pending: list[PendingRequest]


class ProgressSeen(Record):
    """The server reported progress; `request` is the number of the request in the queue, if known."""

    type: Literal["progress"] = "progress"
    request: int | None
    progress: float
    total: float | None = None
    message: str | None = None


class LogSeen(Record):
    """The server sent a log message."""

    type: Literal["log"] = "log"
    level: str
    logger: str | None = None
    data: Any = None


class NotificationSeen(Record):
    """The server sent a notification."""

    type: Literal["notification"] = "notification"
    method: str
    params: dict[str, Any] | None = None


class ServerRequestSeen(Record):
    """The server sent a request, and the client answered it with `response`."""

    type: Literal["serverRequest"] = "serverRequest"
    method: str
    params: dict[str, Any] | None = None
    response: Any = None


class ViolationFound(Record):
    """The server violated the protocol."""

    type: Literal["violation"] = "violation"
    rule: str
    detail: str
    evidence: str | None = None


class ErrorSeen(Record):
    """Connecting failed, the connection was lost, or a request in the background failed."""

    type: Literal["error"] = "error"
    error: ErrorInfo


class EventsDropped(Record):
    """Events were dropped because the listener was too slow."""

    type: Literal["dropped"] = "dropped"
    count: int


ClientEvent: TypeAlias = (
    StatusChange
    | ToolsChange
    | ResourcesChange
    | ResourceTemplatesChange
    | PromptsChange
    | ResourceUpdate
    | CapabilitiesChange
    | ServerInfoChange
    | InstructionsChange
    | SessionChange
    | MessageSeen
    | StderrSeen
    | QueueChange
    | PendingChange
    | ProgressSeen
    | LogSeen
    | NotificationSeen
    | ServerRequestSeen
    | ViolationFound
    | ErrorSeen
    | EventsDropped
)
"""Any event; `type` is its name."""
EventType: TypeAlias = Literal[
    "status",
    "tools",
    "resources",
    "resourceTemplates",
    "prompts",
    "resourceUpdated",
    "capabilities",
    "serverInfo",
    "instructions",
    "session",
    "message",
    "stderr",
    "queue",
    "pending",
    "progress",
    "log",
    "notification",
    "serverRequest",
    "violation",
    "error",
    "dropped",
]
