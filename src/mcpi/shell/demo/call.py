"""A call of one of the demo server's tools: what it is given, and how it may answer."""

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
    """What a connection can change about the server."""

    counter: int = 0
    level: types.LoggingLevel = "debug"
    subscribed: set[str] = Factory(set)
    bus: SubscriptionBus = Factory(InMemorySubscriptionBus)


Context: TypeAlias = ServerRequestContext[DemoState]
Reply: TypeAlias = types.CallToolResult | types.InputRequiredResult


class RefusedError(Exception):
    """The call fails as a tool fails: with a sentence that a model can act on."""


def untitled(schema: dict[str, Any]) -> None:
    """Leave out what pydantic adds: titles, and the docstring of the class."""
    schema.pop("title", None)
    schema.pop("description", None)
    for argument in schema["properties"].values():
        argument.pop("title", None)


class Arguments(BaseModel):
    """No arguments, and no others tolerated."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True, json_schema_extra=untitled)


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


@frozen
class ToolCall(Generic[ArgumentsT]):
    """One call of a tool, with its arguments checked."""

    ctx: Context
    params: types.CallToolRequestParams
    arguments: ArgumentsT

    @property
    def state(self) -> DemoState:
        """What the server remembers between calls."""
        return self.ctx.lifespan_context


def is_modern(ctx: Context) -> bool:
    """Whether the request came in its own envelope, without a handshake before it."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def text_result(text: str, structured: dict[str, Any] | None = None) -> types.CallToolResult:
    """A call that ended well, with one text."""
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=structured)


def error_result(text: str) -> types.CallToolResult:
    """A call that ended badly, with the reason."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
