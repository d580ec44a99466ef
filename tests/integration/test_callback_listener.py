"""The callback listener accepts one response, and only the one that matches the login."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from mcpi.shell.auth.loopback import MAX_CONNECTIONS, CallbackListener

T = TypeVar("T")
STATE = "the-state"
GOOD = f"/callback?code=1&state={STATE}"


def listening(work: "Callable[[CallbackListener, int], Awaitable[T]]") -> T:
    """Run the coroutine with a listener and its port, and return its result."""

    async def run() -> T:
        listener = CallbackListener()
        port = int((await listener.start("")).unwrap().partition("//127.0.0.1:")[2].partition("/")[0])
        try:
            return await work(listener, port)
        finally:
            listener.close()

    return asyncio.run(run())


async def status_of(port: int, target: str, verb: str = "GET") -> int:
    """The HTTP status of one request to the listener."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{verb} {target} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return int(answer.split()[1])


@pytest.mark.parametrize(
    ("verb", "target", "status"),
    [
        ("POST", GOOD, 405),
        ("HEAD", GOOD, 405),
        ("GET", GOOD.replace("callback", "callback/"), 404),
        ("GET", GOOD.replace("callback", "x/../callback"), 404),
        ("GET", GOOD.replace("callback", "%63allback"), 404),
        ("GET", f"http://127.0.0.1{GOOD}", 404),
        ("GET", "/", 404),
        ("GET", "/callback?code=1&state=wrong", 400),
        ("GET", "/callback?code=1&state=", 400),
        ("GET", "/callback?code=1", 400),
        ("GET", "/callback?error=access_denied&state=wrong", 400),
        ("GET", f"{GOOD}&state=wrong", 400),
        ("GET", f"{GOOD}{STATE}", 400),
        ("GET", "/callback?code=1&state=%C3%A9", 400),
    ],
)
def test_invalid_request_gets_an_error_page_and_login_continues(verb: str, target: str, status: int) -> None:
    async def work(listener: CallbackListener, port: int) -> tuple[int, bool, int, str]:
        redirected = listener.next_redirect(STATE)
        first = await status_of(port, target, verb)
        waiting = not redirected.done()
        return first, waiting, await status_of(port, GOOD), await redirected

    first, waiting, last, url = listening(work)
    assert (first, waiting, last) == (status, True, 200)
    assert url.endswith(GOOD)


def test_only_the_first_response_is_accepted() -> None:
    async def work(listener: CallbackListener, port: int) -> tuple[list[int], str]:
        redirected = listener.next_redirect(STATE)
        both = await asyncio.gather(*(status_of(port, f"{GOOD}&n={number}") for number in range(3)))
        return sorted(both), await redirected

    statuses, url = listening(work)
    assert statuses == [200, 409, 409]
    assert f"{GOOD}&n=" in url


def test_authorization_server_error_ends_the_login() -> None:
    async def work(listener: CallbackListener, port: int) -> tuple[int, str]:
        redirected = listener.next_redirect(STATE)
        return await status_of(port, f"/callback?error=access_denied&state={STATE}"), await redirected

    status, url = listening(work)
    assert (status, "error=access_denied" in url) == (200, True)


def test_requests_before_and_after_a_login_are_rejected() -> None:
    async def work(listener: CallbackListener, port: int) -> tuple[int, int]:
        before = await status_of(port, GOOD)
        listener.next_redirect(STATE).cancel()
        return before, await status_of(port, GOOD)

    assert listening(work) == (409, 409)


def test_connections_over_the_limit_are_closed_immediately() -> None:
    async def work(listener: CallbackListener, port: int) -> tuple[bytes, int, bool]:
        redirected = listener.next_redirect(STATE)
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MAX_CONNECTIONS)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        refused = await reader.read()
        for _, one in (*idle, (reader, writer)):
            one.close()
        await asyncio.sleep(0.1)
        return refused, await status_of(port, GOOD), (await redirected).endswith(GOOD)

    assert listening(work) == (b"", 200, True)


def test_unterminated_request_is_closed() -> None:
    async def work(listener: CallbackListener, port: int) -> tuple[bytes, int, bool]:
        redirected = listener.next_redirect(STATE)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /callback?" + b"x" * (1 << 18))
        try:
            cut = await reader.read()
        except ConnectionError:
            cut = b""
        writer.close()
        return cut, await status_of(port, GOOD), (await redirected).endswith(GOOD)

    assert listening(work) == (b"", 200, True)
