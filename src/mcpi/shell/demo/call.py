"""The calls of the demo server's tools: state, arguments, and results."""

from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import mcp_types as types
from attrs import Factory, define
from mcp.server import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, SubscriptionBus
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ConfigDict

from mcpi.core.frozen import frozen

COUNTER = "demo://counter"


@define
class DemoState:
    """The state of one connection to the demo server."""

    counter: int = 0
    level: types.LoggingLevel = "debug"
    subscribed: set[str] = Factory(set)
    bus: SubscriptionBus = Factory(InMemorySubscriptionBus)


Context: TypeAlias = ServerRequestContext[DemoState]
Reply: TypeAlias = types.CallToolResult | types.InputRequiredResult


class ToolError(Exception):
    """A tool execution error, with a message that a model can act on."""


def strip_titles(schema: dict[str, Any]) -> None:
    """Remove what pydantic adds to a schema: titles, and the docstring of the class."""
    schema.pop("title", None)
    schema.pop("description", None)
    for argument in schema["properties"].values():
        argument.pop("title", None)


class Arguments(BaseModel):
    """The arguments of a tool that takes none; unknown arguments are rejected."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True, json_schema_extra=strip_titles)


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


@frozen
class ToolCall(Generic[ArgumentsT]):
    """One call of a tool, with validated arguments."""

    ctx: Context
    params: types.CallToolRequestParams
    arguments: ArgumentsT

    @property
    def state(self) -> DemoState:
        """The state of the connection."""
        return self.ctx.lifespan_context


def is_modern(ctx: Context) -> bool:
    """Tell whether the request is of the modern era, which has no handshake."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def text_result(text: str, structured: dict[str, Any] | None = None) -> types.CallToolResult:
    """Return a successful result with one text."""
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=structured)


def error_result(text: str) -> types.CallToolResult:
    """Return an error result with the reason."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
