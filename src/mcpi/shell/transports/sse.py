"""The older HTTP transport: one stream of events to us, and an address to POST to."""

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager

import httpx2

from mcpi.core.outcome.faults import Fault, InvalidResponse, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.session.effects import ConnectionLost, RequestFailed, SendMessage
from mcpi.core.targets.target import Sse
from mcpi.core.wire import http_headers
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.sse_parser import SseEvent
from mcpi.core.wire.urls import origin
from mcpi.core.wire.violations import Violation, quote
from mcpi.shell.transports import http_client
from mcpi.shell.transports.event_stream import EventStream
from mcpi.shell.transports.http_client import HttpSettings
from mcpi.shell.transports.inbox import Inbox

ORDER = 1.0
"""Seconds that a message waits until the notification before it is accepted."""


class SseTransport:
    """Messages as POST requests, everything else on one stream."""

    def __init__(self, target: Sse, inbox: Inbox, settings: HttpSettings) -> None:
        """Nothing is connected."""
        self.url: str = target.url
        self.opening: str = f"the request for the stream of events at {target.url}"
        self._target = target
        self._inbox = inbox
        self._settings = settings
        self._tap = settings.tap
        self._limit = settings.limit
        self._credentials = settings.credentials
        self._stream = EventStream(inbox, settings.tap, settings.limit, {"endpoint": self._directed})
        self._tasks: set[asyncio.Task[None]] = set()
        self._before: asyncio.Task[None] | None = None
        self._client: httpx2.AsyncClient | None = None

    async def open(self) -> Result[float]:
        """The stream is open and has named the address to POST to."""
        match http_client.make_client(self._target, self._settings.environment):
            case Success(client):
                self._client = client
            case Failure() as failed:
                return failed
        self._endpoint: asyncio.Future[Result[str]] = asyncio.get_running_loop().create_future()
        self._reading = self._start(self._read())
        match await self._endpoint:
            case Success(url):
                self._post_url = url
                return Success(self._inbox.now())
            case Failure() as failed:
                return failed

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._settled)
        return task

    def _settled(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        fault = http_client.crash(task, self.url)
        if fault is not None:
            self._lose(fault)

    def _ask(self, asked: http_client.HttpRequest) -> AbstractAsyncContextManager[httpx2.Response]:
        assert self._client is not None
        return http_client.answer(
            self._client, asked, lambda line: self._tap.info(line, self._inbox.now()), self._credentials
        )

    async def _read(self) -> None:
        try:
            fault = await self._listened()
        except http_client.BodyTooLong:
            fault = http_client.too_long(self.url, self._limit)
        except http_client.ERRORS as error:
            fault = http_client.fault_of(error, self.url, "the stream of events")
        self._lose(fault)

    def _lose(self, fault: Fault) -> None:
        if self._endpoint.done():
            self._inbox.put(ConnectionLost(fault, self._inbox.now()))
        else:
            self._endpoint.set_result(Failure(fault))

    async def _listened(self) -> Fault:
        headers = http_client.dressed(self._target, {"accept": "text/event-stream", "cache-control": "no-store"})
        async with self._ask(http_client.HttpRequest("GET", self.url, headers)) as response:
            if not response.is_success:
                body = await http_client.excerpt(response)
                return http_headers.http_failure(response.status_code, self.url, response.headers, body, "GET")
            no_stream = http_client.no_stream(response)
            if no_stream:
                problem = f"{self.url} answered with {no_stream}, not with a stream of events"
                return InvalidResponse("INVALID_RESPONSE", problem, (await http_client.excerpt(response),))
            self.opening = f"the stream of events at {self.url}, which has not named an endpoint,"
            await self._stream.read(response)
        return Unreachable("CONNECTION_LOST", f"{self.url} closed the stream of events", self._stream.end)

    def _directed(self, event: SseEvent) -> None:
        """The server names the address to POST to."""
        place = event.data.decode(errors="replace")
        try:
            url = str(httpx2.URL(self.url).join(place))
        except httpx2.InvalidURL:
            self._lose(
                InvalidResponse("INVALID_RESPONSE", f"{self.url} wants messages sent to what is no URL: {place!r}")
            )
            return
        if origin(url) != origin(self.url):
            self._lose(InvalidResponse("INVALID_RESPONSE", f"{self.url} wants messages sent to another origin: {url}"))
        elif not self._endpoint.done():
            self._endpoint.set_result(Success(url))

    def send(self, outgoing: SendMessage) -> bool:
        """The message goes out, after the notifications before it."""
        task = self._start(self._post(outgoing, self._before))
        if outgoing.kind != "request":
            self._before = task
        return True

    async def _post(self, outgoing: SendMessage, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before], timeout=ORDER)
        number: Id = outgoing.request_id if outgoing.kind == "request" else None
        try:
            fault = await self._accepted(outgoing, number)
        except (http_client.BodyTooLong, http_client.BodyCut):
            fault = None  # it was accepted; the answer comes elsewhere
        except http_client.ERRORS as error:
            fault = http_client.fault_of(error, self._post_url, outgoing.method)
        if fault is not None and number is not None:
            self._inbox.put(RequestFailed(number, fault, self._inbox.now()))

    async def _accepted(self, outgoing: SendMessage, number: Id) -> Fault | None:
        headers = http_client.dressed(self._target, {"content-type": "application/json", **outgoing.headers})
        asked = http_client.HttpRequest("POST", self._post_url, headers, outgoing.data)
        async with self._ask(asked) as response:
            if not response.is_success:
                body = await http_client.excerpt(response)
                return http_headers.http_failure(
                    response.status_code, self._post_url, response.headers, body, outgoing.method
                )
            if number is not None and http_client.kind_of(response) == "application/json":
                await self._answered_at_once(response)
        return None

    async def _answered_at_once(self, response: httpx2.Response) -> None:
        """An answer in the wrong place counts as one."""
        body = await http_client.whole(response, self._limit)
        if b'"jsonrpc"' in body:
            problem = "the answer came as the body of the POST, not as an event"
            self._inbox.take_in(body, Violation("sse", problem, quote(body.decode(errors="replace"))))

    def listen(self) -> None:
        """The one stream is open already."""

    def resume(self) -> None:
        """The stream may go on."""
        self._inbox.make_room()

    def glance(self) -> None:
        """Only the loop hears of what comes."""

    def finish(self) -> None:
        """An event whose end has not come is told of."""
        self._stream.finish()

    async def close(self, *, stay: bool) -> None:  # noqa: ARG002 - there is no process to wait for
        """The stream is closed, and the session with it."""
        await http_client.let_go(self._tasks, self._before)
        if self._client is not None:
            await self._client.aclose()
