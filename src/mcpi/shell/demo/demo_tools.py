"""The tools of the demo server, one for each protocol feature that a tool can use."""

import math
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeAlias, get_args

import anyio
import mcp_types as types
from mcp.server.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError
from pydantic import Field, FiniteFloat, ValidationError, WithJsonSchema

from mcpi.core.frozen import frozen
from mcpi.shell.demo.call import (
    COUNTER,
    Arguments,
    Context,
    Reply,
    ToolCall,
    ToolError,
    error_result,
    is_modern,
    text_result,
)
from mcpi.shell.demo.questions import AskModelArguments, ask_model, ask_user

# The log levels from debug to emergency.
LEVELS: tuple[types.LoggingLevel, ...] = get_args(types.LoggingLevel)

# The union keeps integers exact; float alone would round integers beyond 2^53.
Number: TypeAlias = Annotated[int | FiniteFloat, WithJsonSchema({"type": "number"})]


class EchoArguments(Arguments):
    """The arguments of `echo`."""

    text: str = Field(description="The text to return.")


class AddArguments(Arguments):
    """The arguments of `add`."""

    a: Number = Field(description="The first number.")
    b: Number = Field(description="The second number.")


class SlowArguments(Arguments):
    """The arguments of `slow`."""

    steps: int = Field(default=5, ge=1, le=1000, description="Number of steps.")
    delay: int = Field(default=100, ge=0, le=60_000, alias="delayMs", description="Duration of a step in milliseconds.")


async def echo(call: ToolCall[EchoArguments]) -> Reply:
    """Return the text unchanged."""
    return text_result(call.arguments.text)


async def add(call: ToolCall[AddArguments]) -> Reply:
    """Return the sum as text and as structured content."""
    try:
        total = call.arguments.a + call.arguments.b
    except OverflowError:
        total = math.inf
    if isinstance(total, float) and math.isinf(total):
        message = "The sum is too large for a double."
        raise ToolError(message)
    return text_result(str(total), {"sum": total})


async def slow(call: ToolCall[SlowArguments]) -> Reply:
    """Return a text after several steps, with a progress notification for each."""
    steps = call.arguments.steps
    for step in range(1, steps + 1):
        await anyio.sleep(call.arguments.delay / 1000)
        await call.ctx.session.report_progress(step, steps, f"Step {step} of {steps}.")
    return text_result(f"Done after {steps} steps." if steps > 1 else "Done after 1 step.")


async def fail(_call: ToolCall[Arguments]) -> Reply:
    """Return an error result."""
    return error_result("This tool always fails, to show what a failed call looks like.")


async def log(call: ToolCall[Arguments]) -> Reply:
    """Send a log message of each enabled level; return their number."""
    # MCP 2026-07-28, server/utilities/logging: no message may be sent for a request that names no level.
    meta: dict[str, Any] = {**(call.ctx.meta or {})}
    lowest = meta.get(types.LOG_LEVEL_META_KEY) if is_modern(call.ctx) else call.state.level
    wanted = LEVELS[LEVELS.index(lowest) :] if lowest else ()
    for level in wanted:
        params = types.LoggingMessageNotificationParams(level=level, logger="demo", data=f"A message at level {level}.")
        message = types.LoggingMessageNotification(params=params)
        await call.ctx.session.send_notification(message, related_request_id=call.ctx.request_id)
    return text_result(f"Sent {len(wanted)} of {len(LEVELS)} log messages.")


async def touch(call: ToolCall[Arguments]) -> Reply:
    """Increment the counter, notify its subscribers, and return the new value."""
    call.state.counter += 1
    # A client gets at most one of them: the first is for the handshake era, the second for the modern era.
    if COUNTER in call.state.subscribed:
        await call.ctx.session.send_resource_updated(COUNTER)
    await call.state.bus.publish(ResourceUpdated(uri=COUNTER))
    return text_result(f"{COUNTER} is now {call.state.counter}.")


@frozen
class DemoTool:
    """A tool: its function and its definition."""

    run: Callable[[ToolCall[Any]], Awaitable[Reply]]
    arguments: type[Arguments]
    description: str
    output_schema: dict[str, Any] | None = None

    def definition(self, name: str) -> types.Tool:
        """Return the definition for `tools/list`."""
        schema = self.arguments.model_json_schema()
        return types.Tool(
            name=name, description=self.description, input_schema=schema, output_schema=self.output_schema
        )


SUM: dict[str, Any] = {
    "type": "object",
    "properties": {"sum": {"type": "number", "description": "The sum of a and b."}},
    "required": ["sum"],
}

TOOLS: dict[str, DemoTool] = {
    "echo": DemoTool(echo, EchoArguments, "Return the text unchanged."),
    "add": DemoTool(add, AddArguments, "Add two numbers; the result includes structured content.", SUM),
    "slow": DemoTool(slow, SlowArguments, "Run several steps with progress notifications."),
    "fail": DemoTool(fail, Arguments, "Always fail with an error result."),
    "ask-model": DemoTool(ask_model, AskModelArguments, "Request a completion from the client's model (sampling)."),
    "ask-user": DemoTool(ask_user, Arguments, "Request input from the user with a form (elicitation)."),
    "log": DemoTool(log, Arguments, "Send a log message at each level."),
    "touch": DemoTool(touch, Arguments, "Increment demo://counter and notify its subscribers."),
}


async def list_tools(_ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """Return all tools, in the order of the table."""
    return types.ListToolsResult(tools=[tool.definition(name) for name, tool in TOOLS.items()])


async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Reply:
    """Call a tool; return its result or an error result."""
    tool = TOOLS.get(params.name)
    if tool is None:
        message = f"Unknown tool: {params.name}"
        raise MCPError(types.INVALID_PARAMS, message)
    try:
        arguments = tool.arguments.model_validate(params.arguments or {})
    except ValidationError as error:
        # MCP 2025-11-25, server/tools: input validation errors are reported as tool execution errors.
        faults = {fault["loc"][0]: fault["msg"] for fault in error.errors()}
        reasons = "; ".join(f"{name}: {fault}" for name, fault in faults.items())
        return error_result(f"{params.name}: invalid arguments: {reasons}")
    try:
        return await tool.run(ToolCall(ctx, params, arguments))
    except ToolError as refusal:
        return error_result(str(refusal))
