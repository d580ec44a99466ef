"""Streamable HTTP: each message is a POST, each answer a body or a stream of events."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager

import httpx2

from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Fault, InvalidResponse, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.session.effects import ConnectionLost, RequestFailed, SendMessage, TransportEvent
from mcpi.core.targets.target import Http
from mcpi.core.wire import http_headers
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.sse_parser import SseDecoder
from mcpi.core.wire.violations import Violation
from mcpi.shell.transports import event_stream, http_client
from mcpi.shell.transports.event_stream import EventStream
from mcpi.shell.transports.http_client import HttpSettings
from mcpi.shell.transports.inbox import Inbox

RESUMES = 10
"""How often one answer's stream is opened again."""
ORDER = 1.0
"""Seconds that a message waits until the notification before it is accepted."""
JSON, EVENTS = "application/json", "text/event-stream"
ATTEMPTS = 3
"""How often a stream is tried again that a server was not there for."""


class HttpTransport:
    """Messages as POST requests, within one session if the server wants one."""

    opening = "the connection"

    def __init__(self, target: Http, inbox: Inbox, settings: HttpSettings) -> None:
        """Nothing is connected before the first message."""
        self.url: str = target.url
        self._target = target
        self._inbox = inbox
        self._settings = settings
        self._tap = settings.tap
        self._limit = settings.limit
        self._credentials = settings.credentials
        self._session: bytes | None = None
        self._over: Fault | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._streams: list[EventStream] = []
        self._version: dict[str, str] = {}
        self._tasks: dict[asyncio.Task[None], Id] = {}
        self._before: asyncio.Task[None] | None = None
        self._client: httpx2.AsyncClient | None = None

    async def open(self) -> Result[float]:
        """There is nothing to open but the client."""
        made = http_client.make_client(self._target, self._settings.environment)
        if isinstance(made, Failure):
            return made
        self._client, self._session, self._over = made.unwrap(), None, None
        return Success(self._inbox.now())

    def send(self, outgoing: SendMessage) -> bool:
        """The message goes out, after the notifications before it."""
        if outgoing.cancels is not None and http_headers.is_modern(outgoing.headers):
            # MCP 2026-07-28, transports: over HTTP "closing the response stream" is the cancellation.
            for task in [task for task, number in self._tasks.items() if number == outgoing.cancels]:
                task.cancel()
            self._tap.info(f"the response stream of request {outgoing.cancels} is closed", self._inbox.now())
            return False
        # MCP 2025-06-18 onwards, transports: the version is on "all subsequent requests", with a body or without.
        self._version = {name: value for name, value in outgoing.headers.items() if name == http_headers.VERSION}
        before, number = self._before, outgoing.request_id if outgoing.kind == "request" else None
        task = self._start(self._post(outgoing, number, before), number)
        if outgoing.kind != "request":
            self._before = task
        return True

    def _start(self, work: Coroutine[None, None, None], number: Id = None) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[task] = number
        task.add_done_callback(self._settled)
        return task

    def _settled(self, task: asyncio.Task[None]) -> None:
        number, fault = self._tasks.pop(task), http_client.crash(task, self.url)
        if fault is not None:
            self._refuse(number, fault, "what was sent")

    async def _post(self, outgoing: SendMessage, number: Id, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before], timeout=ORDER)
        doing = outgoing.method or outgoing.kind
        fault = await self._guarded(self._exchange(outgoing, number, doing), doing)
        if fault is None and number is not None and self._inbox.expects(number):
            fault = Unreachable("CONNECTION_LOST", f"{self.url} ended its answer to {doing} without a result")
        if fault is not None:
            self._refuse(number, fault, doing)
        if self._over is not None:
            self._inbox.put(ConnectionLost(self._over, self._inbox.now()))

    def _refuse(self, number: Id, fault: Fault, doing: str) -> None:
        if number is not None:
            self._inbox.put(RequestFailed(number, fault, self._inbox.now()))
        else:
            self._tap.info(f"{doing} was not accepted: {explain.sentence(fault)}", self._inbox.now())

    async def _guarded(self, work: Coroutine[None, None, Fault | None], doing: str) -> Fault | None:
        try:
            return await work
        except http_client.BodyTooLong:
            return http_client.too_long(self.url, self._limit)
        except http_client.BodyCut as cut:
            return Unreachable(
                "CONNECTION_LOST", f"{self.url} answered {doing} with {cut}", (http_client.shown(cut.begun),)
            )
        except http_client.ERRORS as error:
            return http_client.fault_of(error, self.url, doing)

    def _headers(self, more: Mapping[str, str]) -> dict[bytes, bytes]:
        headers: dict[str, str | bytes] = {"accept": http_headers.ACCEPT, "content-type": JSON, **more}
        if self._session is not None:
            headers[http_headers.SESSION] = self._session
        return http_client.dressed(self._target, headers)

    def _ask(self, asked: http_client.HttpRequest) -> AbstractAsyncContextManager[httpx2.Response]:
        assert self._client is not None
        return http_client.answer(
            self._client, asked, lambda line: self._tap.info(line, self._inbox.now()), self._credentials
        )

    async def _exchange(self, outgoing: SendMessage, number: Id, doing: str) -> Fault | None:
        asked = http_client.HttpRequest("POST", self.url, self._headers(outgoing.headers), outgoing.data)
        async with self._ask(asked) as response:
            if not response.is_success:
                return await self._unwelcome(response, number, doing)
            # MCP 2026-07-28, transports: there are no sessions, and no stream is resumed.
            if not http_headers.is_modern(outgoing.headers):
                self._keep_session(response)
            if number is None:
                return None
            if http_client.kind_of(response) == EVENTS:
                return await self._streamed(response, number, doing, outgoing.headers)
            return await self._bodied(response, number, doing)

    def _keep_session(self, response: httpx2.Response) -> None:
        minted = [value for name, value in response.headers.raw if name.lower() == http_headers.SESSION.encode()]
        if not minted or minted[-1] == self._session:
            return
        self._session = minted[-1]
        # MCP 2025-11-25, transports: "The session ID MUST only contain visible ASCII characters".
        if not self._session or set(self._session) - set(range(0x21, 0x7F)):
            problem = "the session id is not made of visible ASCII characters"
            event_stream.remark(
                self._inbox, Violation("illegal-header", problem, self._session.decode(errors="replace"))
            )

    async def _bodied(self, response: httpx2.Response, number: Id, doing: str) -> Fault | None:
        body, kind = await http_client.whole(response, self._limit), http_client.kind_of(response)
        what = f"content type {kind or 'none'}"
        if not body.strip():
            what = "an empty body"
        elif kind == JSON:
            self._inbox.take_in(body)
            what = "a body that holds no answer"
            if not self._inbox.expects(number):
                return None
        problem = f"{self.url} answered {doing} with HTTP status {response.status_code} and {what}"
        return InvalidResponse("INVALID_RESPONSE", problem, (http_client.shown(body),) if body.strip() else ())

    async def _unwelcome(self, response: httpx2.Response, number: Id, doing: str) -> Fault | None:
        status = response.status_code
        if (
            number is not None
            and status not in http_headers.HTTP_LEVEL_STATUSES
            and http_client.kind_of(response) == JSON
        ):
            # An error of the protocol may come with a status of its own and "that has no id": it says more.
            data = await http_client.whole(response, self._limit)
            if b'"jsonrpc"' in data and (not self._forgotten(status) or http_headers.has_response_to(data, number)):
                self._inbox.take_in(data, about=number)
                if not self._inbox.expects(number):
                    return None
            body = http_client.shown(data)
        else:
            body = await http_client.excerpt(response)
        if self._forgotten(status):
            problem = f"{self.url} has forgotten the session during {doing} (HTTP status 404)"
            self._over = Unreachable("CONNECTION_LOST", problem, (body,) if body else ())
            return self._over
        return http_headers.http_failure(status, self.url, response.headers, body, doing)

    def _forgotten(self, status: int) -> bool:
        # MCP 2025-11-25, transports: a server "MUST respond to requests containing that session ID with HTTP 404".
        return status == httpx2.codes.NOT_FOUND and self._session is not None

    async def _streamed(
        self, response: httpx2.Response, number: Id, doing: str, headers: Mapping[str, str]
    ) -> Fault | None:
        with self._stream() as stream:
            await stream.read(response)
            problem = f"{self.url} ended its answer to {doing} without a result"
            if http_headers.is_modern(headers) and self._inbox.expects(number):
                return Unreachable("CONNECTION_LOST", problem, stream.end)
            for _ in range(RESUMES):
                if not self._inbox.expects(number):
                    return None
                last = stream.decoder.last_id
                if last is None or http_headers.encode_event_id(last) is None:
                    why = "" if last is None else f", after an event whose id no header can hold: {last!r}"
                    return Unreachable("CONNECTION_LOST", f"{problem}{why}", stream.end)
                self._happened("resuming", lastEventId=last)
                await stream.pause()
                async with self._ask(self._resumption(stream.decoder, headers)) as again:
                    refused = http_client.no_stream(again)
                    if refused:
                        return Unreachable("CONNECTION_LOST", f"{problem} and did not resume it: {refused}", stream.end)
                    await stream.read(again)
            if not self._inbox.expects(number):
                return None
            return Unreachable("CONNECTION_LOST", f"{problem}, also after {RESUMES} resumptions", stream.end)

    @contextmanager
    def _stream(self) -> Iterator[EventStream]:
        """A stream that is told to finish if our patience ends before it does."""
        stream = EventStream(self._inbox, self._tap, self._limit)
        self._streams.append(stream)
        try:
            yield stream
        finally:
            self._streams.remove(stream)

    def _resumption(self, decoder: SseDecoder, headers: Mapping[str, str]) -> http_client.HttpRequest:
        more = {**headers, "accept": EVENTS}
        last = None if decoder.last_id is None else http_headers.encode_event_id(decoder.last_id)
        if last is not None:
            more[http_headers.LAST_EVENT] = last
        return http_client.HttpRequest("GET", self.url, self._headers(more))

    def _happened(self, event: str, **facts: str | None) -> None:
        self._tap.info(f"{event} {facts}", self._inbox.now())
        self._inbox.put(TransportEvent(event, facts, self._inbox.now()))

    def listen(self) -> None:
        """The stream on which the server speaks unasked is opened."""
        if self._hearing is None or self._hearing.done():
            self._hearing = self._start(self._listen())

    async def _listen(self) -> None:
        if self._before is not None:
            await asyncio.wait([self._before], timeout=ORDER)
        opened = failed = 0
        with self._stream() as stream:
            while True:
                fault = await self._guarded(self._hear(stream, opened), "the stream of notifications")
                if opened and failed < ATTEMPTS and isinstance(fault, Unreachable) and self._over is None:
                    failed += 1
                elif fault is not None:
                    self._happened("no-stream", reason=explain.sentence(fault))
                    if opened and isinstance(fault, Unreachable):
                        await self._answered()
                        self._inbox.put(ConnectionLost(fault, self._inbox.now()))
                    return
                else:
                    opened, failed = opened + 1, 0
                await stream.pause()

    async def _answered(self) -> None:
        """What was asked is answered or refused: a server that takes nobody in may still answer to the end."""
        while waiting := [task for task, number in self._tasks.items() if number is not None]:
            await asyncio.wait(waiting)

    async def _hear(self, stream: EventStream, opened: int) -> Fault | None:
        async with self._ask(self._resumption(stream.decoder, self._version)) as response:
            if opened and self._forgotten(response.status_code):
                self._over = Unreachable("CONNECTION_LOST", f"{self.url} has forgotten the session (HTTP status 404)")
                return self._over
            if http_client.no_stream(response):
                return http_headers.http_failure(response.status_code, self.url, response.headers, "", "GET")
            if opened:
                self._happened("reconnected", lastEventId=stream.decoder.last_id)
            await stream.read(response)
        return None

    def resume(self) -> None:
        """The streams may go on."""
        self._inbox.make_room()

    def glance(self) -> None:
        """Only the loop hears of what comes."""

    def finish(self) -> None:
        """Events whose end has not come are told of."""
        for stream in self._streams:
            stream.finish()

    async def close(self, *, stay: bool) -> None:  # noqa: ARG002 - there is no process to wait for
        """The session is ended, if the server knows it still."""
        await http_client.let_go(self._tasks, self._before)
        client, self._client = self._client, None
        if client is None:
            return
        try:
            async with asyncio.timeout(http_client.FAREWELL):
                if self._session is not None:
                    headers = self._headers(self._version) | http_client.encoded(
                        self._credentials.headers("DELETE", self.url)
                    )
                    await client.delete(self.url, headers=headers)
                await client.aclose()
        except (TimeoutError, *http_client.ERRORS):
            self._tap.info("the session could not be ended in order", self._inbox.now())
