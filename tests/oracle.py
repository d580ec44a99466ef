"""The SDK client as the test oracle: its view of a server's responses."""

import json
import warnings
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import mcp.client.session
import mcp_types as types
import pytest
from attrs import frozen
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import ValidationError

Ask = Callable[["Oracle"], Awaitable[Any]]
MODERN = "2026-07-28"
OWN = ("progressToken",)
"""Members that each client sets itself."""
DOUBLES = ("progress", "total")


@frozen
class Conversation:
    """The messages and results seen by one client."""

    about: Any
    outcomes: list[Any]
    notifications: list[str]


@frozen
class Answers:
    """The responses to server requests."""

    sampling: Any
    forms: dict[str, Any]
    """The contents of the forms, by their messages."""
    roots: list[Any]


def comparable(method: str, params: Any) -> str:
    """A notification as text for comparison."""
    # The SDK parses progress values as floats.
    kept = {
        name: float(value) if name in DOUBLES else value for name, value in (params or {}).items() if name not in OWN
    }
    return json.dumps([method, kept], sort_keys=True)


class Oracle:
    """The SDK client, and the notifications it received."""

    client: Any
    """Any, because the real type marks methods that are deprecated but supported."""

    def __init__(self) -> None:
        """Start without notifications."""
        self.heard: list[str] = []
        self.news = anyio.Event()

    async def has_heard(self, count: int) -> None:
        """Wait until this many notifications have been received."""
        while len(self.heard) < count:
            self.news = anyio.Event()
            await self.news.wait()

    async def progress(self, _: float, __: float | None, ___: str | None) -> None:
        """Accept progress; the SDK sends a progress token only with a callback."""

    async def hear(self, message: Any) -> None:
        """Record one notification."""
        if isinstance(message, Exception):
            raise message
        found = plain(message)
        if "method" in found:
            self.heard.append(comparable(found["method"], found.get("params")))
            self.news.set()


def plain(result: Any) -> Any:
    """The SDK result as JSON, with its original member names."""
    return result.model_dump(by_alias=True, mode="json", exclude_unset=True)


def transport(target: Sequence[str]) -> AbstractAsyncContextManager[Any]:
    """The SDK's transport for the target."""
    if "://" not in target[0]:
        return stdio_client(StdioServerParameters(command=target[0], args=list(target[1:])))
    return sse_client(target[0]) if target[0].endswith("/sse") else streamable_http_client(target[0])


def client(target: Sequence[str], version: str, answers: Answers, hear: Any) -> Client:
    """The SDK client with these responses to server requests."""

    async def sample(context: Any, params: Any) -> Any:  # noqa: ARG001 - passed by keyword
        return types.CreateMessageResult.model_validate(answers.sampling, by_name=False)

    async def fill_in(context: Any, params: Any) -> Any:  # noqa: ARG001 - see above
        return types.ElicitResult(action="accept", content=answers.forms[params.message])

    async def list_roots(context: Any) -> Any:  # noqa: ARG001 - see above
        return types.ListRootsResult.model_validate({"roots": answers.roots}, by_name=False)

    return Client(
        transport(target),
        mode="auto" if version == MODERN else "legacy",
        cache=None,
        log_level="debug",
        sampling_callback=sample,
        elicitation_callback=fill_in,
        list_roots_callback=list_roots,
        message_handler=hear,
    )


async def converse(target: Sequence[str], version: str, answers: Answers, requests: Sequence[Ask], enough: int) -> Any:
    """Run the requests with the SDK client, and wait for this many notifications."""
    oracle = Oracle()
    outcomes: list[Any] = []
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        if version != MODERN:
            # It always offers its latest version, and has no parameter for another.
            patch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", version)
        async with client(target, version, answers, oracle.hear) as sdk:
            oracle.client = sdk
            for ask in requests:
                try:
                    outcomes.append({"result": plain(await ask(oracle))})
                except MCPError as error:
                    outcomes.append({"error": plain(error.error)})
                except ValidationError as error:
                    outcomes.append(type(error).__name__)
            with anyio.move_on_after(10):
                await oracle.has_heard(enough)
            about = [sdk.protocol_version, plain(sdk.server_info), plain(sdk.server_capabilities), sdk.instructions]
    return Conversation(about, outcomes, sorted(oracle.heard))
