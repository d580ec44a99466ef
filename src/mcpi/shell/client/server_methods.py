"""The methods of a server as typed Python functions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypedDict, Unpack

from mcpi.core.client.argument_types import check_argument
from mcpi.core.client.client_events import ProgressSeen
from mcpi.core.client.entries import (
    Completion,
    Prompt,
    PromptResult,
    Resource,
    ResourceContents,
    ResourceTemplate,
    ServerTask,
    Tool,
    ToolResult,
)
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.writing import dump
from mcpi.shell.client.errors import checked_json

Result: TypeAlias = Any
"""JSON from the server; its shape depends on the method."""
ON_PROGRESS: TypeAlias = Callable[[ProgressSeen], object]


OBJECT: Any = Mapping[str, Any]
"""The type of a JSON object, of which only the names are checked at first."""


class PerCall(TypedDict, total=False):
    """Options that every call accepts as keyword arguments."""

    timeout: float
    """Response timeout in seconds."""
    metadata: Mapping[str, Printable]
    """Additional members of `_meta`."""
    headers: Mapping[str, str]
    """Additional HTTP headers."""
    on_progress: ON_PROGRESS
    """Called with each progress notification."""


class ServerMethods(ABC):
    """The methods of a server as typed functions."""

    @abstractmethod
    async def call(self, method: str, /, **arguments: Any) -> Result:  # noqa: ANN401 - the arguments depend on the method
        """Call a method by name."""

    async def ping(self, **options: Unpack[PerCall]) -> None:
        """Send a ping, and wait for the response."""
        await self.call("ping", **options)

    async def list_tools(self, **options: Unpack[PerCall]) -> list[Tool]:
        """Fetch all tools."""
        return [Tool.of(one) for one in (await self.call("tools/list", **options))["tools"]]

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Printable] | None = None,
        *,
        convert: bool = False,
        **options: Unpack[PerCall],
    ) -> ToolResult:
        """Call a tool; a tool error is returned as a result with `is_error`.

        With `convert`, arguments that are strings are converted to the types in the tool's input schema.
        """
        check_argument("arguments", arguments, OBJECT | None)
        given = dict(arguments or {})
        texts = {key: value for key, value in given.items() if convert and isinstance(value, str)}
        rest = {key: value for key, value in given.items() if key not in texts}
        found = {"tool_arg": [f"{key}={value}" for key, value in texts.items()]} if texts else {}
        if rest or not texts:
            found["tool_args"] = rest  # type: ignore[assignment] # an object beside the list
        return ToolResult.of(await self.call("tools/call", tool_name=name, **found, **options))

    async def list_resources(self, **options: Unpack[PerCall]) -> list[Resource]:
        """Fetch all resources."""
        return [Resource.of(one) for one in (await self.call("resources/list", **options))["resources"]]

    async def list_resource_templates(self, **options: Unpack[PerCall]) -> list[ResourceTemplate]:
        """Fetch all resource templates."""
        found = await self.call("resources/templates/list", **options)
        return [ResourceTemplate.of(one) for one in found["resourceTemplates"]]

    async def read_resource(self, uri: str, **options: Unpack[PerCall]) -> ResourceContents:
        """Read a resource."""
        return ResourceContents.of(await self.call("resources/read", uri=uri, **options))

    async def subscribe(self, uri: str, **options: Unpack[PerCall]) -> None:
        """Subscribe to changes of a resource; with `reread_resources` (default), it is read again after each change."""
        await self.call("resources/subscribe", uri=uri, **options)

    async def unsubscribe(self, uri: str, **options: Unpack[PerCall]) -> None:
        """Unsubscribe from changes of a resource."""
        await self.call("resources/unsubscribe", uri=uri, **options)

    async def list_prompts(self, **options: Unpack[PerCall]) -> list[Prompt]:
        """Fetch all prompts."""
        return [Prompt.of(one) for one in (await self.call("prompts/list", **options))["prompts"]]

    async def get_prompt(
        self, name: str, arguments: Mapping[str, Printable] | None = None, **options: Unpack[PerCall]
    ) -> PromptResult:
        """Get a prompt; arguments that are not strings are sent as JSON text."""
        check_argument("arguments", arguments, OBJECT | None)
        given = checked_json("prompts/get", arguments or {})
        texts = {key: value if isinstance(value, str) else dump(value) for key, value in given.items()}
        return PromptResult.of(await self.call("prompts/get", prompt_name=name, prompt_args=texts, **options))

    async def complete(
        self,
        argument: str,
        value: str = "",
        *,
        prompt: str | None = None,
        resource: str | None = None,
        context: Mapping[str, str] | None = None,
        **options: Unpack[PerCall],
    ) -> Completion:
        """Suggest values for an argument of a prompt, or of a resource template."""
        if (prompt is None) == (resource is None):
            raise TypeError("complete() requires either prompt or resource")
        check_argument("context", context, Mapping[str, str] | None)
        ref = f"ref/prompt/{prompt}" if prompt is not None else f"ref/resource/{resource}"
        found = await self.call(
            "completion/complete",
            completion_ref=ref,
            argument_name=argument,
            argument_value=value,
            completion_context=[f"{key}={text}" for key, text in (context or {}).items()],
            **options,
        )
        return Completion.of(found["completion"])

    async def set_level(self, level: str, **options: Unpack[PerCall]) -> None:
        """Set the minimum level of the server's log messages."""
        await self.call("logging/setLevel", log_level=level, **options)

    @property
    def tasks(self) -> "ServerTasks":
        """The methods for the tasks of the server."""
        return ServerTasks(self)


# A method below has the name of the type.
_Tasks: TypeAlias = list[ServerTask]


class ServerTasks:
    """The methods for the tasks of a server, as typed functions."""

    def __init__(self, server: ServerMethods) -> None:
        """Set the server."""
        self._server = server

    async def list(self, **options: Unpack[PerCall]) -> _Tasks:
        """Fetch all tasks."""
        return [ServerTask.of(one) for one in (await self._server.call("tasks/list", **options))["tasks"]]

    async def get(self, task_id: str, **options: Unpack[PerCall]) -> ServerTask:
        """Fetch the state of a task."""
        return ServerTask.of(await self._server.call("tasks/get", task_id=task_id, **options))

    async def result(self, task_id: str, **options: Unpack[PerCall]) -> Result:
        """Wait for the result of a task."""
        return await self._server.call("tasks/result", task_id=task_id, **options)

    async def cancel(self, task_id: str, **options: Unpack[PerCall]) -> ServerTask:
        """Cancel a task."""
        return ServerTask.of(await self._server.call("tasks/cancel", task_id=task_id, **options))

    async def update(
        self, task_id: str, input_responses: Mapping[str, Printable], **options: Unpack[PerCall]
    ) -> Result:
        """Send the input that a task requires."""
        check_argument("input_responses", input_responses, OBJECT)
        return await self._server.call(
            "tasks/update", task_id=task_id, input_responses=dict(input_responses), **options
        )
