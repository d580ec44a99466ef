"""The records of a client: the server's offers, results, messages, requests and errors."""

from typing import Any, Literal, TypeAlias

from mcpi.core.client.records import Record, empty
from mcpi.core.wire.urls import Transport

Stage: TypeAlias = Literal["pending", "in_progress", "completed", "cancelled", "error"]
Content: TypeAlias = dict[str, Any]
"""One block of content: text, an image, audio, a resource, or a link."""


class Implementation(Record):
    """The name and version of a server."""

    name: str = ""
    version: str = ""
    title: str | None = None


class Tool(Record):
    """A tool of the server."""

    name: str
    title: str | None = None
    description: str | None = None
    input_schema: dict[str, Any] = empty(factory=dict)
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] | None = None


class Resource(Record):
    """A resource of the server."""

    uri: str
    name: str = ""
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None


class ResourceTemplate(Record):
    """A template for URIs of resources."""

    uri_template: str
    name: str = ""
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None


class Prompt(Record):
    """A prompt of the server."""

    name: str
    title: str | None = None
    description: str | None = None
    arguments: list[dict[str, Any]] = empty(factory=list)


class ToolResult(Record):
    """The result of a tool call; `is_error` is true if the tool failed."""

    content: list[Content] = empty(factory=list)
    structured_content: Any = None
    is_error: bool = False

    @property
    def text(self) -> str:
        """The text blocks of the content, joined by newlines."""
        return "\n".join(str(block["text"]) for block in self.content if "text" in block)


class ResourceContents(Record):
    """The result of reading a resource."""

    contents: list[dict[str, Any]] = empty(factory=list)


class PromptResult(Record):
    """The result of getting a prompt."""

    messages: list[dict[str, Any]] = empty(factory=list)
    description: str | None = None


class Completion(Record):
    """Suggested values for an argument."""

    total: int | None = None
    has_more: bool = False

    @property
    def suggestions(self) -> list[str]:
        """The suggested values; the member is `values`."""
        return [*self.get("values", ())]


class ServerTask(Record):
    """A task that the server runs."""

    task_id: str
    status: str = ""
    status_message: str | None = None


class ServerDescription(Record):
    """The negotiated protocol, and the server's description of itself."""

    era: Literal["handshake", "modern"]
    protocol_version: str
    server_info: Implementation
    capabilities: dict[str, Any]
    instructions: str | None = None
    transport: str = "stdio"
    session_id: str | None = None


class ServerConfig(Record):
    """A server in a config file; secrets are masked. It can be the target of an Inspector."""

    name: str
    config: str
    """Path of the file."""
    kind: Transport | None = None
    command: list[str] | None = None
    url: str | None = None
    problem: str | None = None
    """The reason why the server cannot be used."""


class MessageEntry(Record):
    """One JSON-RPC message, or a line from the server that is not a message."""

    time: str
    """Wall-clock time in ISO 8601."""
    direction: Literal["sent", "received"]
    kind: Literal["request", "response", "notification", "batch", "invalid"]
    id: str | int | None = None
    method: str | None = None
    """The method; for a response, that of its request."""
    message: Any = None
    """The message as JSON; for an invalid message, its text."""
    duration_ms: float | None = None
    """Time from the request to this response."""
    headers: dict[str, str] | None = None
    violations: list[dict[str, Any]] | None = None


class BreakpointHit(Record):
    """The value of an expression at one hit of a breakpoint; docs/debug-script.md describes the values."""

    type: str
    value: Any = None
    subtype: str | None = None
    truncated: bool | None = None
    breakpoint: str | None = None
    """FILE:LINE, if there are several breakpoints."""
    stack: list[dict[str, Any]] | None = None
    scopes: dict[str, list[str]] | None = None


class StderrEntry(Record):
    """A line that the server wrote to stderr."""

    time: str
    text: str


class ErrorInfo(Record):
    """A failure as JSON; see docs/errors.md."""

    code: str
    category: str
    message: str
    retryable: bool
    help_url: str
    details: dict[str, Any]


class QueueStatus(Record):
    """The number of requests in each stage."""

    pending: int
    in_progress: int
    completed: int
    failed: int
    cancelled: int
    waiting: list[int]
    """Numbers of the pending requests, in order."""
    running: list[int]
    """Numbers of the requests in progress."""


class QueueEntry(Record):
    """A request in the queue or in the history; all times are wall-clock times in ISO 8601."""

    id: int
    method: str
    params: Any = None
    """The arguments of the call."""
    status: Stage
    created_at: str
    started_at: str | None = None
    completed_at: str | None = None
    message_ids: list[str | int] = empty(factory=list)
    """JSON-RPC ids of the requests that were sent."""
    wire_params: Any = None
    """Params of the last request that was sent."""
    result: Any = None
    error: ErrorInfo | None = None


class PendingRequest(Record):
    """A request from the server that has not been answered yet."""

    id: str
    kind: Literal["sampling", "elicitation", "roots", "request"]
    method: str
    params: dict[str, Any]
    created_at: str
