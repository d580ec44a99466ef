"""The arguments, descriptions and effects of the tools that mcpi-serve offers."""

from collections.abc import Mapping
from typing import Literal

from attrs import field

from mcpi.core.client.agent_tools import Count, Seconds, WatchSeconds
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Exact
from mcpi.shell.serve.connections import OnConnection, WithBreakpoint

LISTS: Mapping[str, str] = {
    "all": "discover",
    "tools": "tools/list",
    "resources": "resources/list",
    "templates": "resources/templates/list",
    "prompts": "prompts/list",
    "tasks": "tasks/list",
    "skills": "skills/list",
}
"""The method of each list."""


@frozen(kw_only=True)
class WithTimeout:
    """The arguments of a tool that waits for responses."""

    timeout_seconds: Seconds | None = None
    """Response timeout of this call."""


@frozen(kw_only=True)
class ListArguments(OnConnection):
    """The arguments of list."""

    kind: Literal["all", "tools", "resources", "templates", "prompts", "tasks", "skills"] = "all"
    cursor: str | None = None
    """Cursor to start at: nextCursor of an earlier answer."""


@frozen(kw_only=True)
class MethodArguments(OnConnection):
    """The arguments of call_method."""

    method: str
    """One of {methods}; or, with params, any other method."""
    arguments: Mapping[str, Exact] = field(factory=dict)
    """Arguments of the method, as listed in parentheses."""
    params: Mapping[str, Exact] | None = None
    """Instead of arguments: params of the request, sent unchanged."""


@frozen(kw_only=True)
class MessagesArguments(OnConnection):
    """The arguments of messages."""

    limit: Count = 20
    """Number of messages (default 20)."""


@frozen(kw_only=True)
class ScriptArguments(OnConnection):
    """The arguments of run_script."""

    steps: list[Mapping[str, Exact]]
    """[{"method": "tools/call", "toolName": "add", "toolArgs": {"a": 1}, "expect": {"/isError": false}}, ...]"""
    vars: Mapping[str, str] = field(factory=dict)
    """Values of ${name} in the steps."""


@frozen(kw_only=True)
class WatchArguments(OnConnection):
    """The arguments of watch."""

    seconds: WatchSeconds
    """Seconds to wait, at most 60."""


@frozen(kw_only=True)
class MoreArguments:
    """The arguments of read_more."""

    answer: str
    """Name of the truncated answer."""
    offset: int = 0
    """Offset of the part to return: nextOffset of the previous part."""


@frozen
class ToolEffect:
    """The side effects of a tool, for its annotations."""

    read_only: bool = True
    destructive: bool = False
    open_world: bool = True


READS, CHANGES, ANYTHING = ToolEffect(), ToolEffect(read_only=False), ToolEffect(read_only=False, destructive=True)
LOCAL = ToolEffect(open_world=False)


@frozen
class MethodTool:
    """A method that has a separate tool."""

    method: str
    description: str
    effect: ToolEffect
    names: tuple[str, ...]
    """The fields of the method's arguments that are offered."""
    more: tuple[type, ...] = (OnConnection,)
    preset: Mapping[str, str] = field(factory=dict)
    """Arguments that the tool always has."""


FINDINGS = {"failOn": "never"}
"""Preset arguments of methods whose findings are the result, not a failure."""
METHOD_TOOLS = (
    MethodTool(
        "tools/call",
        "Call a tool of the server; the answer includes the server's log messages and requests.",
        ANYTHING,
        ("tool_name", "tool_args", "output_schema_validate", "run_as_task", "poll"),
        (OnConnection, WithTimeout, WithBreakpoint),
    ),
    MethodTool("resources/read", "Read a resource from the server.", READS, ("uri",)),
    MethodTool("prompts/get", "Get a prompt from the server.", READS, ("prompt_name", "prompt_args")),
    MethodTool(
        "lint",
        "Find tool definitions that clients reject, and other problems in the server's lists.",
        READS,
        ("for_", "ignore", "pedantic"),
        preset=FINDINGS,
    ),
    MethodTool(
        "diff",
        "Compare two servers or lock files, and report which changes break clients.",
        READS,
        ("old", "new"),
        preset=FINDINGS,
    ),
    MethodTool(
        "debug/script",
        "Run a Node.js program, and return the value of an expression at each hit of a breakpoint.",
        ANYTHING,
        ("debug_command", "attach", "breakpoint", "expression", "stop_after", "stack"),
        (WithTimeout,),
    ),
)
ANSWERED = frozenset({"tools/call"})
"""Methods that take answers to the server's requests."""
OBJECTS = ("toolArgs", "promptArgs")
"""Arguments that are JSON objects with any members."""
TEXTS = {
    "tool_args": "Arguments of the tool.",
    "prompt_args": "Arguments of the prompt.",
    "handle_sampling": "Responses to sampling requests, in order: auto, reject (default), or a result.",
    "handle_elicitation": "Responses to elicitation requests, in order: auto, decline (default), cancel, or content.",
    "roots": "Roots to declare: file:///path or file:///path=Name.",
    "run_as_task": "Run the call as a task.",
    "poll": "With runAsTask, wait until the task ends and return its result.",
    "output_schema_validate": "Validate the result against the tool's outputSchema.",
}
"""Descriptions for agents, where the flag's own does not fit."""
