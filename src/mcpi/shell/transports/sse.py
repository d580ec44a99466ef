"""The older HTTP transport: one stream of events to us, and an address to POST to."""

import asyncio
from collections.abc import Coroutine

import httpx2

from mcpi.core.acts import Gone, Refused, Transmit
from mcpi.core.faults import Broken, Fault, Unreachable
from mcpi.core.outcome import Failure, Outcome, Success
from mcpi.core.target import Sse, origin
from mcpi.core.wire import http
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.lines import TooLongError
from mcpi.core.wire.sse import SseDecoder, SseEvent
from mcpi.shell.drive import Inbox, now
from mcpi.shell.tap import Tap
from mcpi.shell.transports import web


class SseTransport:
    """Messages as POST requests, everything else on one stream."""

    def __init__(self, target: Sse, inbox: Inbox, tap: Tap, limit: int) -> None:
        """Nothing is connected."""
        self.url = target.url
        self._target = target
        self._inbox = inbox
        self._tap = tap
        self._limit = limit
        self._tasks: set[asyncio.Task[None]] = set()
        self._before: asyncio.Task[None] | None = None

    async def open(self) -> Outcome[float]:
        """The stream is open and has named the address to POST to."""
        self._client = web.client(self._target)
        self._endpoint: asyncio.Future[Outcome[str]] = asyncio.get_running_loop().create_future()
        self._reading = self._start(self._read())
        match await self._endpoint:
            case Success(url):
                self._post_url = url
                return Success(now())
            case Failure() as failed:
                return failed

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _read(self) -> None:
        try:
            fault = await self._stream()
        except TooLongError:
            fault = web.too_long(self.url, self._limit)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            fault = web.fault_of(error, self.url, "the stream of events")
        if self._endpoint.done():
            self._inbox.put(Gone(fault, now()))
        else:
            self._endpoint.set_result(Failure(fault))

    async def _stream(self) -> Fault:
        decoder = SseDecoder(self._limit)
        headers = {"accept": "text/event-stream", "cache-control": "no-store"}
        async with self._client.stream("GET", self.url, headers=headers) as response:
            self._tap.info(f"GET {self.url}: HTTP {response.status_code}", now())
            if not response.is_success:
                body = await web.excerpt(response)
                return http.failure(response.status_code, self.url, response.headers, body, "GET")
            kind = response.headers.get("content-type", "none")
            if not kind.startswith("text/event-stream"):
                problem = f"{self.url} answered with content type {kind}, not with a stream of events"
                return Broken("INVALID_RESPONSE", problem, (await web.excerpt(response),))
            async for chunk in response.aiter_bytes():
                for event in decoder.feed(chunk):
                    fault = self._heard(event)
                    if fault is not None:
                        return fault
                await self._inbox.room()
        return Unreachable("CONNECTION_LOST", f"{self.url} closed the stream of events")

    def _heard(self, event: SseEvent) -> Fault | None:
        if event.event != "endpoint":
            self._inbox.take_in(event.data)
            return None
        url = str(httpx2.URL(self.url).join(event.data.decode(errors="replace")))
        if origin(url) != origin(self.url):
            return Broken("INVALID_RESPONSE", f"{self.url} wants messages sent to another origin: {url}")
        if not self._endpoint.done():
            self._endpoint.set_result(Success(url))
        return None

    def send(self, outgoing: Transmit) -> None:
        """The message goes out, after the notifications before it."""
        task = self._start(self._post(outgoing, self._before))
        if outgoing.kind != "request":
            self._before = task

    async def _post(self, outgoing: Transmit, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        number: Id = outgoing.number if outgoing.kind == "request" else None
        fault: Fault | None = None
        headers = {"content-type": "application/json", **outgoing.headers}
        try:
            async with self._client.stream("POST", self._post_url, content=outgoing.data, headers=headers) as response:
                self._tap.info(f"POST {self._post_url}: HTTP {response.status_code}", now())
                if not response.is_success:
                    body = await web.excerpt(response)
                    status, doing = response.status_code, outgoing.method
                    fault = http.failure(status, self._post_url, response.headers, body, doing)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            fault = web.fault_of(error, self._post_url, outgoing.method)
        if fault is not None and number is not None:
            self._inbox.put(Refused(number, fault, now()))

    def listen(self, version: str) -> None:
        """The one stream is open already."""

    def resume(self) -> None:
        """The stream may go on."""
        self._inbox.make_room()

    def finish(self) -> None:
        """An event or a body without its end is nothing."""

    async def close(self, *, stay: bool) -> None:  # noqa: ARG002 - there is no process to wait for
        """The stream is closed, and the session with it."""
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=0.5)
        await self._client.aclose()
