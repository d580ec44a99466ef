"""The client over HTTP: headers, the session, and tokens."""

import asyncio
import json
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mcpi

SERVERS = Path(__file__).parents[2] / "fixtures" / "servers"
Serve = Callable[..., str]


def run(work: Any) -> Any:
    """Run the coroutine with a one-minute timeout."""
    return asyncio.run(asyncio.wait_for(work, 60))


@pytest.fixture
def guarded(served: Serve) -> str:
    """A server that requires a token."""
    return served(sys.executable, str(SERVERS / "authorized.py"), "PORT")


def seen(url: str) -> list[str]:
    """The requests the server received."""
    with urllib.request.urlopen(url.replace("/mcp", "/seen"), timeout=10) as answer:  # noqa: S310 - an http URL
        found: list[str] = json.loads(answer.read())
        return found


def follow(url: str) -> None:
    """Open a URL as a browser would."""
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - an http URL
        answer.read()


def test_token_is_obtained_through_the_show_url_callback(guarded: str, tmp_path: Path) -> None:
    shown: list[str] = []

    async def show(url: str) -> None:
        shown.append(url)
        await asyncio.to_thread(follow, url)

    async def work() -> Any:
        options = mcpi.InspectorOptions(auth=mcpi.OAuth(show_url=show, store=str(tmp_path / "tokens.json")))
        found: list[object] = []
        for _ in range(2):
            async with mcpi.Inspector(guarded, options=options) as client:
                await client.list_tools()
                found.append(len(shown))
                # This tool needs another scope (step-up).
                found.append((await client.call_tool("whoami")).text)
        return found

    assert run(work()) == [1, "read write", 2, "read write"]
    # The second connection used the stored token.
    assert len(shown) == 2
    assert "/authorize" in shown[0]


def test_no_token_is_requested_without_the_auth_option(guarded: str) -> None:
    with pytest.raises(mcpi.McpiError) as raised:
        run(mcpi.Inspector(guarded).connect())

    assert raised.value.code == "AUTHENTICATION_FAILED"
    assert not any("/token" in one for one in seen(guarded))


def test_show_url_callback_error_is_reported(guarded: str) -> None:
    def show(_: str) -> None:
        raise OSError("no display")

    options = mcpi.InspectorOptions(auth=mcpi.OAuth(show_url=show), retries=0)
    with pytest.raises(mcpi.McpiError, match="the function that shows the URL raised OSError: no display"):
        run(mcpi.Inspector(guarded, options=options).connect())


def test_session_id_and_headers_can_be_read_and_set(served: Serve) -> None:
    url = served(sys.executable, str(SERVERS / "sdk.py"), "http", "PORT")

    async def work() -> Any:
        options = mcpi.InspectorOptions(era="handshake", headers={"x-first": "1"})
        async with mcpi.Inspector(url, options=options) as client:
            changes = client.events(mcpi.SessionChange)
            await client.ping()
            client.set_headers({"mcp-protocol-version": "1999-01-01"})
            with pytest.raises(mcpi.McpiError) as raised:
                await client.ping()
            client.set_headers({})
            await client.ping()
            headers = client.response_headers
            with pytest.raises(mcpi.McpiError):
                await client.ping(headers={"mcp-protocol-version": "1999-01-01"})
            described = client.server
        change = await anext(changes)
        return described, headers, raised.value.code, change, client.session_id

    described, headers, code, change, after = run(work())
    assert len(described.session_id) > 10
    assert headers["mcp-session-id"] == described.session_id
    assert (code, change.session_id, after) == ("JSON_RPC_ERROR", None, None)
