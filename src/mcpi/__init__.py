"""Test and debug MCP servers from the command line, with JSON output."""

from typing import TYPE_CHECKING

from mcpi.core.version import __version__

if TYPE_CHECKING:
    from mcpi.core.client.client_events import (
        CapabilitiesChange,
        ClientEvent,
        ErrorSeen,
        EventsDropped,
        EventType,
        InstructionsChange,
        LogSeen,
        MessageSeen,
        NotificationSeen,
        PendingChange,
        ProgressSeen,
        PromptsChange,
        QueueChange,
        ResourcesChange,
        ResourceTemplatesChange,
        ResourceUpdate,
        ServerInfoChange,
        ServerRequestSeen,
        SessionChange,
        StatusChange,
        StderrSeen,
        ToolsChange,
        ViolationFound,
    )
    from mcpi.core.client.entries import (
        BreakpointHit,
        Completion,
        ErrorInfo,
        Implementation,
        MessageEntry,
        PendingRequest,
        Prompt,
        PromptResult,
        QueueEntry,
        QueueStatus,
        Resource,
        ResourceContents,
        ResourceTemplate,
        ServerConfig,
        ServerDescription,
        ServerTask,
        StderrEntry,
        Tool,
        ToolResult,
    )
    from mcpi.core.client.records import Record
    from mcpi.core.jsontext.exact import Exact
    from mcpi.shell.client.breakpoints import BreakpointHits
    from mcpi.shell.client.errors import McpiError
    from mcpi.shell.client.inspector import Inspector
    from mcpi.shell.client.inspector_options import InspectorOptions, OAuth
    from mcpi.shell.client.observation.listeners import Subscription
    from mcpi.shell.client.pending_requests import HandlerOptions, RequestHandler, leave_pending
    from mcpi.shell.client.server_methods import PerCall, ServerTasks
    from mcpi.shell.client.target_words import TargetLike, load_servers

__all__ = [
    "BreakpointHit",
    "BreakpointHits",
    "CapabilitiesChange",
    "ClientEvent",
    "Completion",
    "ErrorInfo",
    "ErrorSeen",
    "EventType",
    "EventsDropped",
    "Exact",
    "HandlerOptions",
    "Implementation",
    "Inspector",
    "InspectorOptions",
    "InstructionsChange",
    "LogSeen",
    "McpiError",
    "MessageEntry",
    "MessageSeen",
    "NotificationSeen",
    "OAuth",
    "PendingChange",
    "PendingRequest",
    "PerCall",
    "ProgressSeen",
    "Prompt",
    "PromptResult",
    "PromptsChange",
    "QueueChange",
    "QueueEntry",
    "QueueStatus",
    "Record",
    "RequestHandler",
    "Resource",
    "ResourceContents",
    "ResourceTemplate",
    "ResourceTemplatesChange",
    "ResourceUpdate",
    "ResourcesChange",
    "ServerConfig",
    "ServerDescription",
    "ServerInfoChange",
    "ServerRequestSeen",
    "ServerTask",
    "ServerTasks",
    "SessionChange",
    "StatusChange",
    "StderrEntry",
    "StderrSeen",
    "Subscription",
    "TargetLike",
    "Tool",
    "ToolResult",
    "ToolsChange",
    "ViolationFound",
    "__version__",
    "leave_pending",
    "load_servers",
]

_EVENTS = (
    *("CapabilitiesChange", "ClientEvent", "ErrorSeen", "EventsDropped", "EventType", "InstructionsChange", "LogSeen"),
    *("MessageSeen", "NotificationSeen", "PendingChange", "ProgressSeen", "PromptsChange", "QueueChange"),
    *("ResourcesChange", "ResourceTemplatesChange", "ResourceUpdate", "ServerInfoChange", "ServerRequestSeen"),
    *("SessionChange", "StatusChange", "StderrSeen", "ToolsChange", "ViolationFound"),
)
_ENTRIES = (
    *(
        "BreakpointHit",
        "Completion",
        "ErrorInfo",
        "Implementation",
        "MessageEntry",
        "PendingRequest",
        "Prompt",
        "PromptResult",
    ),
    *(
        "QueueEntry",
        "QueueStatus",
        "Resource",
        "ResourceContents",
        "ResourceTemplate",
        "ServerConfig",
        "ServerDescription",
    ),
    *("ServerTask", "StderrEntry", "Tool", "ToolResult"),
)
_MODULES = {
    **dict.fromkeys(_EVENTS, "mcpi.core.client.client_events"),
    **dict.fromkeys(_ENTRIES, "mcpi.core.client.entries"),
    "BreakpointHits": "mcpi.shell.client.breakpoints",
    "Exact": "mcpi.core.jsontext.exact",
    "HandlerOptions": "mcpi.shell.client.pending_requests",
    "Inspector": "mcpi.shell.client.inspector",
    "InspectorOptions": "mcpi.shell.client.inspector_options",
    "McpiError": "mcpi.shell.client.errors",
    "OAuth": "mcpi.shell.client.inspector_options",
    "PerCall": "mcpi.shell.client.server_methods",
    "Record": "mcpi.core.client.records",
    "RequestHandler": "mcpi.shell.client.pending_requests",
    "ServerTasks": "mcpi.shell.client.server_methods",
    "Subscription": "mcpi.shell.client.observation.listeners",
    "TargetLike": "mcpi.shell.client.target_words",
    "load_servers": "mcpi.shell.client.target_words",
    "leave_pending": "mcpi.shell.client.pending_requests",
}


def __getattr__(name: str) -> object:
    """Load a public name on first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'mcpi' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - keep `import mcpi` cheap

    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return [*__all__]
