"""The small HTTP client sends and reads the same bytes as the HTTP library."""

import asyncio
import gc
import gzip
import warnings
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from attrs import define, field, frozen

from mcpi.shell.transports.http_clients.cookie_store import CookieStore
from mcpi.shell.transports.http_clients.http_errors import HttpConnectError, HttpError, OtherProtocolError
from mcpi.shell.transports.http_clients.http_message_parts import HttpRequest, RawHeaders
from mcpi.shell.transports.http_clients.library_client import LibraryClient
from mcpi.shell.transports.http_clients.plain_client import PlainClient
from mcpi.shell.transports.http_clients.plain_connection import MAX_BUFFERED, connect
from mcpi.shell.transports.http_clients.plain_urls import parse_plain
from mcpi.shell.transports.http_clients.routing_client import RoutingClient, host_of, resolve_url

OK = b"HTTP/1.1 200 OK\r\n"
EMPTY = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
TEXT = b"what is said twice is said twice " * 50
BOMB = b"\0" * (5 << 20)
OWN = ((b"user-agent", b"mcpi/1"), (b"X-Own", b"1"), (b"x-own", b"2"))
RAW_DEFLATE = zlib.compressobj(wbits=-zlib.MAX_WBITS)
RESPONSES: Mapping[str, bytes] = {
    "length": OK + b"Content-Length: 5\r\nX-A: 1\r\nx-a: 2\r\n\r\nhello",
    "until the end": OK + b"\r\nhello",
    "chunked": OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\nTrailer: x\r\n\r\n",
    "no reason": b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
    "old version": b"HTTP/1.0 200 Fine\r\n\r\nhello",
    "hints first": b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\nok",
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "latin-1": OK + b"X-Name: caf\xe9\r\nContent-Length: 0\r\n\r\n",
    "utf-8": OK + "X-Name: café\r\nContent-Length: 0\r\n\r\n".encode(),
    "gzip": OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(TEXT),
    "gzip bomb": OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(BOMB),
    "deflate": OK + b"Content-Encoding: deflate\r\n\r\n" + zlib.compress(TEXT),
    "raw deflate": OK + b"Content-Encoding: deflate\r\n\r\n" + RAW_DEFLATE.compress(TEXT) + RAW_DEFLATE.flush(),
    "twice": OK + b"Content-Encoding: deflate, gzip\r\n\r\n" + gzip.compress(zlib.compress(TEXT)),
    "identity": OK + b"Content-Encoding: identity\r\n\r\nhello",
    "unknown encoding": OK + b"Content-Encoding: brr\r\n\r\nhello",
    "not gzip": OK + b"Content-Encoding: gzip\r\n\r\nhello",
    "not deflate": OK + b"Content-Encoding: deflate\r\n\r\nhello",
    "half of gzip": OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(TEXT)[:-12],
    "cut": OK + b"Content-Length: 50\r\n\r\nhello",
    "cut chunk": OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
    "bad chunk": OK + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "nothing": b"",
    "no status": b"hello\r\n\r\n",
    "half a head": OK + b"X-A: 1",
    "long header": OK + b"X-A: " + b"a" * 200_000 + b"\r\n\r\n",
    "two lengths": OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "large": OK + b"Content-Length: %d\r\n\r\n" % (4 * MAX_BUFFERED) + b"x" * (4 * MAX_BUFFERED),
}
REQUESTS: Mapping[str, tuple[str, str, dict[bytes, bytes], bytes | None]] = {
    "get": ("GET", "/mcp", {b"accept": b"text/event-stream"}, None),
    "post": ("POST", "/mcp?x=%20y", {b"Content-Type": b"application/json"}, b"{}"),
    "post of nothing": ("POST", "/", {}, None),
    "delete": ("DELETE", "/mcp", {b"mcp-session-id": b"x"}, None),
    "own host": ("POST", "/mcp", {b"Host": b"elsewhere"}, b"{}"),
    "own length": ("POST", "/mcp", {b"content-length": b"2"}, b"{}"),
    "wrong length": ("POST", "/mcp", {b"accept": b"a\nb"}, b"{}"),
    "own agent": ("GET", "/mcp", {b"User-Agent": b"other", b"x-own": b"3"}, None),
    "large body": ("POST", "/mcp", {}, b"x" * 3_000_000),
}


@define
class Server:
    """A server that returns canned responses to any request."""

    responses: list[bytes]
    closes: bool = True
    received: list[bytes] = field(factory=list)
    tasks: list[asyncio.Task[None]] = field(factory=list)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        task = asyncio.current_task()
        assert task is not None
        self.tasks.append(task)
        while self.responses:
            head = b""
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (int(line[15:]) for line in head.splitlines() if line.lower().startswith(b"content-length:")), 0
                )
                self.received.append(head + await reader.readexactly(length))
            except (asyncio.IncompleteReadError, ConnectionError):
                break
            writer.write(self.responses.pop(0))
            await writer.drain()
            if self.closes:
                break
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    @property
    def connections(self) -> int:
        """The number of connections accepted."""
        return len(self.tasks)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        """Listen on a port, and wait for all connections to end afterwards."""
        listening = await asyncio.start_server(self, "127.0.0.1", 0)
        yield listening.sockets[0].getsockname()[1]
        listening.close()
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=5)


@frozen
class Exchange:
    """The bytes sent, and the outcome of the exchange."""

    sent: list[bytes]
    logged: list[Any]
    outcome: Any


Send = Callable[[HttpRequest, Callable[[RawHeaders], None]], Any]


def exchanged(make: Callable[[], Any], name: str, response: bytes, *, plain: bool, closes: bool = True) -> Exchange:
    """Run one exchange with either client."""
    verb, target, headers, content = REQUESTS[name]
    server = Server([response, EMPTY], closes)

    async def run(port: int) -> Exchange:
        client, logged = make(), list[Any]()
        url = f"http://127.0.0.1:{port}{target}"
        request, parsed = HttpRequest(verb, url, headers, content), parse_plain(url)
        assert parsed is not None
        try:
            got = await (client.send(request, parsed, logged.append) if plain else client.send(request, logged.append))
            head = (got.version, got.status, got.reason, list(got.raw_headers), dict(got.headers))
            outcome: Any = (head, await body(got.chunks))
            await got.close()
        except HttpError as error:
            outcome = (type(error), str(error))
        closing = client.close()
        if closing is not None:
            await closing
        stamp = str(port).encode()
        # With Python 3.14, the library also accepts zstd.
        sent = [one.replace(stamp, b"PORT").replace(b"deflate, zstd", b"deflate") for one in server.received]
        return Exchange(
            sent,
            [[(name, value.replace(stamp, b"PORT").replace(b", zstd", b"")) for name, value in one] for one in logged],
            outcome,
        )

    async def listening() -> Exchange:
        async with server.listening() as port:
            return await run(port)

    return asyncio.run(listening())


async def body(chunks: Any) -> Any:
    """The joined chunks, or the error that follows them."""
    parts: list[bytes] = []
    try:
        async for chunk in chunks:
            parts.append(chunk)  # noqa: PERF401 - the chunks before the error are kept
    except HttpError as error:
        return b"".join(parts), type(error), str(error)
    return b"".join(parts)


def both(request: str, response: bytes, *, closes: bool = True) -> tuple[Exchange, Exchange]:
    """Run the same exchange with each client."""
    plain = exchanged(lambda: PlainClient(OWN, CookieStore()), request, response, plain=True, closes=closes)
    library = LibraryClient(OWN, CookieStore(), secure=False)
    return plain, exchanged(lambda: library, request, response, plain=False, closes=closes)


@pytest.mark.parametrize("name", RESPONSES)
def test_responses_are_parsed_like_the_library(name: str) -> None:
    plain, library = both("post", RESPONSES[name])

    assert plain.outcome == library.outcome


@pytest.mark.parametrize("name", REQUESTS)
def test_requests_are_serialized_like_the_library(name: str) -> None:
    plain, library = both(name, RESPONSES["length"])

    assert [one.split(b"\r\n") for one in plain.sent] == [one.split(b"\r\n") for one in library.sent]
    assert plain.logged == library.logged
    assert plain.outcome == library.outcome


def run_all(server: Server, *requests: tuple[str, str]) -> list[int]:
    """The statuses of consecutive requests by one client."""

    async def run() -> list[int]:
        async with server.listening() as port:
            client, statuses = RoutingClient(OWN, {}, secure=False), list[int]()
            for verb, path in requests:
                got = await client.send(HttpRequest(verb, f"http://127.0.0.1:{port}{path}", {}), lambda _: None)
                statuses.append(got.status)
                await got.close()
            await client.close()
            return statuses

    return asyncio.run(run())


def test_connection_is_reused() -> None:
    server = Server([EMPTY, RESPONSES["length"], EMPTY], closes=False)

    assert run_all(server, ("POST", "/"), ("POST", "/"), ("DELETE", "/")) == [202, 200, 202]
    assert server.connections == 1


def test_closed_connection_is_not_reused() -> None:
    server = Server([EMPTY, EMPTY])

    assert run_all(server, ("POST", "/"), ("POST", "/")) == [202, 202]
    assert server.connections == 2


def test_connection_with_data_after_the_body_is_not_reused() -> None:
    server = Server([RESPONSES["length"] + b"\r\n", EMPTY, EMPTY], closes=False)

    assert run_all(server, ("POST", "/"), ("POST", "/"), ("POST", "/")) == [200, 202, 202]
    assert server.connections == 2


def test_cookies_are_sent_to_their_path() -> None:
    cookie = b"HTTP/1.1 202 Accepted\r\nSet-Cookie: a=1; Path=/in\r\nContent-Length: 0\r\n\r\n"
    server = Server([cookie, EMPTY, EMPTY], closes=False)

    run_all(server, ("GET", "/in"), ("GET", "/in/x"), ("GET", "/out"))

    assert [b"Cookie: a=1" in one for one in server.received] == [False, True, False]


def test_cookies_are_shared_with_the_library_client() -> None:
    cookie = b"HTTP/1.1 202 Accepted\r\nSet-Cookie: a=1; Path=/\r\nContent-Length: 0\r\n\r\n"
    server = Server([cookie, EMPTY])

    run_all(server, ("GET", "/"), ("GET", "/a|b"))

    assert [b"cookie: a=1" in one.lower() for one in server.received] == [False, True]


@pytest.mark.parametrize("max_age", ["Max-Age", "max-age =", "Max-Age=soon", 'Max-Age="9"', "Max-Age; Path=/"])
@pytest.mark.parametrize("path", ["/plain", "/a|b"], ids=["plain client", "library client"])
def test_invalid_max_age_is_ignored_and_no_cookie_is_lost(max_age: str, path: str) -> None:
    cookies = f"Set-Cookie: a=1; {max_age}\r\nSet-Cookie: b=2; Max-Age=-1\r\nSet-Cookie: c=3; Max-Age=60\r\n"
    server = Server([f"HTTP/1.1 202 Accepted\r\n{cookies}Content-Length: 0\r\n\r\n".encode(), EMPTY])

    run_all(server, ("GET", path), ("GET", path))

    assert [b"cookie: a=1; c=3\r\n" in one.lower() for one in server.received] == [False, True]


def test_both_clients_report_when_the_request_is_written() -> None:
    async def run(server: Server, path: str) -> list[int]:
        async with server.listening() as port:
            client, found = RoutingClient(OWN, {}, secure=False), list[int]()
            request = HttpRequest("POST", f"http://127.0.0.1:{port}{path}", {}, b"{}", lambda: found.append(port))
            await (await client.send(request, lambda _: None)).close()
            await client.close()
            return [*found, port]

    for path in ("/plain", "/a|b"):
        found, port = asyncio.run(run(Server([EMPTY]), path))
        assert found == port


@pytest.mark.parametrize("sent", [b"220 smtp ready\r\n", b"SSH-2.0-OpenSSH_9.6\r\n", b"\0\1"])
def test_other_protocol_is_recognized_while_the_connection_is_open(sent: bytes) -> None:
    plain, library = both("post", sent, closes=False)

    assert plain.outcome == library.outcome == (OtherProtocolError, repr(sent.decode().strip()))


def test_refused_connection_raises_connect_error(refusing_port: int) -> None:
    async def run() -> None:
        with pytest.raises(HttpConnectError):
            await RoutingClient(OWN, {}, secure=False).send(
                HttpRequest("GET", f"http://127.0.0.1:{refusing_port}/", {}), lambda _: None
            )

    asyncio.run(run())


def test_proxy_encoding_and_tls_use_the_library_client() -> None:
    assert RoutingClient(OWN, {}, secure=False).is_plain
    assert not RoutingClient(OWN, {"HTTP_PROXY": "http://proxy:1"}, secure=False).is_plain
    assert not RoutingClient([(b"Accept-Encoding", b"br")], {}, secure=False).is_plain
    assert not RoutingClient(OWN, {}, secure=True).is_plain


def test_plain_and_other_urls_are_resolved_and_their_host_returned() -> None:
    assert resolve_url("http://a/b", "/c") == "http://a/c"
    assert resolve_url("http://a/b", "c d") == "http://a/c%20d"
    assert (host_of("http://a/b"), host_of("http://xn--4ca.test/")) == ("a", "ä.test")


def test_cancelled_connection_closes_its_socket() -> None:
    async def cancel_after(passes: int, port: int) -> None:
        url = parse_plain(f"http://127.0.0.1:{port}/")
        assert url is not None
        connecting = asyncio.create_task(connect(url))
        for _ in range(passes):
            await asyncio.sleep(0)
        connecting.cancel()
        with suppress(asyncio.CancelledError):
            (await connecting).close()

    async def cancel_at_each_pass() -> None:
        async with Server([]).listening() as port:
            for passes in range(12):
                await cancel_after(passes, port)
            await asyncio.sleep(0)

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        asyncio.run(cancel_at_each_pass())
        gc.collect()
    assert [str(warning.message) for warning in seen] == []
