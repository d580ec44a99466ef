"""Streamable HTTP: each message is a POST, each answer a body or a stream of events."""

import asyncio
from collections.abc import Coroutine, Mapping

import httpx2

from mcpi.core.acts import Happened, Refused, Transmit
from mcpi.core.faults import Broken, Fault, Unreachable
from mcpi.core.outcome import Outcome, Success
from mcpi.core.target import Http
from mcpi.core.wire import http
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.lines import TooLongError
from mcpi.core.wire.sse import SseDecoder
from mcpi.shell.drive import Inbox, now
from mcpi.shell.tap import Tap
from mcpi.shell.transports import web

FAREWELL = 0.5
"""Seconds that the end of a session may take."""
RETRY = 1.0
"""Seconds before a stream is opened again, unless the server says otherwise."""
RESUMES = 10
"""How often one answer's stream is opened again."""


class HttpTransport:
    """Messages as POST requests, within one session if the server wants one."""

    def __init__(self, target: Http, inbox: Inbox, tap: Tap, limit: int) -> None:
        """Nothing is connected before the first message."""
        self.url = target.url
        self._target = target
        self._inbox = inbox
        self._tap = tap
        self._limit = limit
        self._session: str | None = None
        self._version = ""
        self._tasks: dict[asyncio.Task[None], Id] = {}
        self._before: asyncio.Task[None] | None = None

    async def open(self) -> Outcome[float]:
        """There is nothing to open but the client."""
        self._client = web.client(self._target)
        return Success(now())

    def send(self, outgoing: Transmit) -> None:
        """The message goes out, after the notifications before it."""
        if outgoing.cancels is not None and "mcp-method" in outgoing.headers:
            # MCP 2026-07-28, transports: over HTTP "closing the response stream" is the cancellation.
            for task in [task for task, number in self._tasks.items() if number == outgoing.cancels]:
                task.cancel()
            return
        before, number = self._before, outgoing.number if outgoing.kind == "request" else None
        task = self._start(self._post(outgoing, before), number)
        if outgoing.kind != "request":
            self._before = task

    def _start(self, work: Coroutine[None, None, None], number: Id = None) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[task] = number
        task.add_done_callback(self._tasks.pop)
        return task

    async def _post(self, outgoing: Transmit, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        number = outgoing.number if outgoing.kind == "request" else None
        doing = f"{outgoing.method or outgoing.kind}"
        fault = await self._guarded(self._exchange(outgoing, number, doing), doing)
        if fault is None and number is not None and self._inbox.expects(number):
            fault = Unreachable("CONNECTION_LOST", f"{self.url} ended its answer to {doing} without a result")
        if fault is not None:
            self._refuse(number, fault, doing)

    def _refuse(self, number: Id, fault: Fault, doing: str) -> None:
        if number is not None:
            self._inbox.put(Refused(number, fault, now()))
        else:
            self._tap.info(f"{doing} was not accepted: {fault}", now())

    async def _guarded(self, work: Coroutine[None, None, Fault | None], doing: str) -> Fault | None:
        try:
            return await work
        except (web.BodyTooLong, TooLongError):
            return web.too_long(self.url, self._limit)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return web.fault_of(error, self.url, doing)

    def _headers(self, more: Mapping[str, str]) -> dict[str, str]:
        headers = {"accept": http.ACCEPT, "content-type": "application/json", **more}
        if self._session is not None:
            headers[http.SESSION] = self._session
        return headers

    async def _exchange(self, outgoing: Transmit, number: Id, doing: str) -> Fault | None:
        url = self.url
        for _ in range(web.REDIRECTS):
            headers = self._headers(outgoing.headers)
            self._tap.info(f"POST {url}", now())
            async with self._client.stream("POST", url, content=outgoing.data, headers=headers) as response:
                self._tap.info(_described(response), now())
                elsewhere = web.redirected(response, url)
                if elsewhere is None:
                    return await self._answered(response, number, doing, outgoing.headers)
                url = elsewhere
        return Broken("INVALID_RESPONSE", f"{self.url} redirects {doing} more than {web.REDIRECTS} times")

    async def _answered(
        self, response: httpx2.Response, number: Id, doing: str, headers: Mapping[str, str]
    ) -> Fault | None:
        if not response.is_success:
            return await self._unwelcome(response, number, doing)
        session = response.headers.get(http.SESSION)
        if session is not None:
            self._session = session
        if number is None:
            return None
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "text/event-stream":
            return await self._streamed(response, number, headers)
        body = await web.whole(response, self._limit)
        if kind == "application/json" and body.strip():
            self._inbox.take_in(body)
            return None
        what = f"content type {kind or 'none'}" if body.strip() else "an empty body"
        problem = f"{self.url} answered {doing} with HTTP status {response.status_code} and {what}"
        shown = (web.shown(body),) if body.strip() else ()
        return Broken("INVALID_RESPONSE", problem, shown)

    async def _unwelcome(self, response: httpx2.Response, number: Id, doing: str) -> Fault | None:
        status = response.status_code
        if number is not None and status not in http.NOT_FROM_THE_PROTOCOL and _is_json(response):
            # An error of the protocol may come with a status of its own; it says more than the status.
            data = await web.whole(response, self._limit)
            self._inbox.take_in(data)
            if not self._inbox.expects(number):
                return None
            body = web.shown(data)
        else:
            body = await web.excerpt(response)
        if status == httpx2.codes.NOT_FOUND and self._session is not None:
            problem = f"{self.url} has forgotten the session during {doing} (HTTP status 404)"
            return Unreachable("CONNECTION_LOST", problem, (body,) if body else ())
        return http.failure(status, self.url, response.headers, body, doing)

    async def _streamed(self, response: httpx2.Response, number: Id, headers: Mapping[str, str]) -> Fault | None:
        decoder = SseDecoder(self._limit)
        cut = await self._events(response, decoder)
        for _ in range(RESUMES):
            if not self._inbox.expects(number) or decoder.last_id is None:
                break
            self._happened("resuming", {"lastEventId": decoder.last_id})
            await asyncio.sleep(RETRY if decoder.retry is None else decoder.retry)
            more = {**headers, "accept": "text/event-stream", http.LAST_EVENT: decoder.last_id}
            async with self._client.stream("GET", self.url, headers=self._headers(more)) as again:
                self._tap.info(_described(again), now())
                if not again.is_success:
                    break
                cut = await self._events(again, decoder)
        return cut if self._inbox.expects(number) else None

    async def _events(self, response: httpx2.Response, decoder: SseDecoder) -> Fault | None:
        """Takes in what the stream brings; the fault that cut it, if one did."""
        try:
            async for chunk in response.aiter_bytes():
                for event in decoder.feed(chunk):
                    self._inbox.take_in(event.data)
                await self._inbox.room()
        except httpx2.TransportError as error:
            return web.fault_of(error, self.url, "its stream of events")
        return None

    def listen(self, version: str) -> None:
        """The stream on which the server speaks unasked is opened."""
        self._version = version
        self._hearing = self._start(self._listen())

    async def _listen(self) -> None:
        decoder = SseDecoder(self._limit)
        if self._before is not None:
            await asyncio.wait([self._before])
        opened = 0
        while True:
            fault = await self._guarded(self._hear(decoder, opened), "the stream of notifications")
            if fault is not None:
                self._tap.info(f"no stream of notifications: {fault}", now())
                return
            opened += 1
            await asyncio.sleep(RETRY if decoder.retry is None else decoder.retry)

    async def _hear(self, decoder: SseDecoder, opened: int) -> Fault | None:
        headers = self._headers({"accept": "text/event-stream", http.VERSION: self._version})
        if decoder.last_id is not None:
            headers[http.LAST_EVENT] = decoder.last_id
        async with self._client.stream("GET", self.url, headers=headers) as response:
            self._tap.info(f"GET {self.url}: {_described(response)}", now())
            kind = response.headers.get("content-type", "")
            if not response.is_success or not kind.startswith("text/event-stream"):
                return http.failure(response.status_code, self.url, response.headers, "", "GET")
            if opened:
                self._happened("reconnected", {"lastEventId": decoder.last_id})
            await self._events(response, decoder)
        return None

    def _happened(self, event: str, facts: Mapping[str, str | None]) -> None:
        self._tap.info(f"{event} {dict(facts)}", now())
        self._inbox.put(Happened(event, facts, now()))

    def resume(self) -> None:
        """The streams may go on."""
        self._inbox.make_room()

    def finish(self) -> None:
        """An event or a body without its end is nothing."""

    async def close(self, *, stay: bool) -> None:  # noqa: ARG002 - there is no process to wait for
        """The session is ended, if the server knows it still."""
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=FAREWELL)
        try:
            async with asyncio.timeout(FAREWELL):
                if self._session is not None:
                    await self._client.delete(self.url, headers=self._headers({http.VERSION: self._version}))
                await self._client.aclose()
        except (TimeoutError, httpx2.HTTPError):
            self._tap.info("the session could not be ended in order", now())


def _is_json(response: httpx2.Response) -> bool:
    kind: str = response.headers.get("content-type", "")
    return kind.startswith("application/json")


def _described(response: httpx2.Response) -> str:
    shown = {name: response.headers[name] for name in http.USEFUL if name in response.headers}
    return f"HTTP {response.status_code} {response.reason_phrase} {shown}"
