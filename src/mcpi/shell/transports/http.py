"""The Streamable HTTP transport: each message is a POST request, each response a JSON body or an event stream."""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import AbstractAsyncContextManager

from mcpi.core.outcome import explain
from mcpi.core.outcome.faults import Fault, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.session.effects import ConnectionLost, RequestFailed, SendMessage
from mcpi.core.targets.target import Http
from mcpi.core.wire import http_headers
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.violations import Violation
from mcpi.shell.transports import event_stream, http_client, http_faults
from mcpi.shell.transports.event_stream import EventStream
from mcpi.shell.transports.http_client import HttpSettings
from mcpi.shell.transports.http_clients.http_message_parts import HttpRequest, HttpResponse
from mcpi.shell.transports.http_clients.routing_client import RoutingClient
from mcpi.shell.transports.http_streams import EVENTS, HttpStreams
from mcpi.shell.transports.inbox import Inbox

_NOT_FOUND = 404
MAX_RECONNECTS = 3
"""Maximum number of times the notification stream is reopened while the server is unreachable or unavailable."""


class HttpTransport:
    """Messages sent as POST requests, within a session if the server assigns one."""

    not_open = "no connection"

    def __init__(self, target: Http, inbox: Inbox, settings: HttpSettings) -> None:
        """Set up without connecting."""
        self.url: str = target.url
        self._target = target
        self._inbox = inbox
        self._settings = settings
        self._tap = settings.tap
        self._limit = settings.limit
        self._credentials = settings.credentials
        self._session: bytes | None = None
        self._session_fault: Fault | None = None
        self._listening: asyncio.Task[None] | None = None
        self._version: dict[str, str] = {}
        self._tasks: dict[asyncio.Task[None], Id] = {}
        self._order = http_client.NotificationOrder()
        self._client: RoutingClient | None = None
        self._streams = HttpStreams(target.url, inbox, settings, self._get)

    @property
    def session_id(self) -> str | None:
        """Id that the server assigned to the session."""
        return None if self._session is None else self._session.decode("ascii", errors="replace")

    async def open(self) -> Result[float]:
        """Create the client; the connection is opened with the first message."""
        made = http_client.make_client(self._target, self._settings.environment)
        if isinstance(made, Failure):
            return made
        self._client, self._session, self._session_fault = made.unwrap(), None, None
        return Success(self._inbox.now())

    def send(self, outgoing: SendMessage) -> bool:
        """Send the message, after the notifications before it."""
        if outgoing.cancels is not None and http_headers.is_modern(outgoing.headers):
            # MCP 2026-07-28, transports: over HTTP "closing the response stream" is the cancellation.
            for task in [task for task, number in self._tasks.items() if number == outgoing.cancels]:
                task.cancel()
            self._tap.info(f"the response stream of request {outgoing.cancels} is closed", self._inbox.now())
            return False
        # MCP 2025-06-18 onwards, transports: the version is on "all subsequent requests", with a body or without.
        self._version = {name: value for name, value in outgoing.headers.items() if name == http_headers.VERSION}
        before, number = self._order.last, outgoing.request_id if outgoing.kind == "request" else None
        task = self._start(self._post(outgoing, number, before), number)
        if outgoing.kind != "request":
            self._order.last = task
        return True

    def _start(self, work: Coroutine[None, None, None], number: Id = None) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[task] = number
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task: asyncio.Task[None]) -> None:
        number, fault = self._tasks.pop(task), http_faults.task_fault(task, self.url)
        if fault is not None:
            self._fail(number, fault, "the message")

    async def _post(self, outgoing: SendMessage, number: Id, before: asyncio.Task[None] | None) -> None:
        await self._order.wait(before)
        operation = outgoing.method or outgoing.kind
        fault = await self._with_fault(self._exchange(outgoing, number, operation), operation)
        if fault is None and number is not None and self._inbox.is_pending(number):
            fault = Unreachable("CONNECTION_LOST", f"{self.url} ended its response to {operation} without a result")
        if fault is not None:
            self._fail(number, fault, operation)
        if self._session_fault is not None:
            self._inbox.put(ConnectionLost(self._session_fault, self._inbox.now()))

    def _fail(self, number: Id, fault: Fault, operation: str) -> None:
        if number is not None:
            self._inbox.put(RequestFailed(number, fault, self._inbox.now()))
        else:
            self._tap.info(f"{operation} was not accepted: {explain.sentence(fault)}", self._inbox.now())

    async def _with_fault(self, work: Coroutine[None, None, Fault | None], operation: str) -> Fault | None:
        try:
            return await work
        except http_client.BodyTooLong:
            return http_client.too_long_fault(self.url, self._limit)
        except http_client.BodyTruncated as error:
            return Unreachable(
                "CONNECTION_LOST",
                f"{self.url} answered {operation} with {error}",
                (http_client.format_excerpt(error.begun),),
            )
        except http_client.REQUEST_ERRORS as error:
            return http_faults.fault_of(error, self.url, operation)

    def _headers(self, more: Mapping[str, str]) -> dict[bytes, bytes]:
        headers: dict[str, str | bytes] = {"accept": http_headers.ACCEPT, "content-type": http_headers.JSON, **more}
        if self._session is not None:
            headers[http_headers.SESSION] = self._session
        return http_client.merge_headers(self._target, headers)

    def _request(self, http_request: HttpRequest) -> AbstractAsyncContextManager[HttpResponse]:
        assert self._client is not None
        return http_client.send_request(
            self._client, http_request, lambda message: self._tap.http(message, self._inbox.now()), self._credentials
        )

    async def _exchange(self, outgoing: SendMessage, number: Id, operation: str) -> Fault | None:
        http_request = HttpRequest("POST", self.url, self._headers(outgoing.headers), outgoing.data)
        async with self._request(http_request) as response:
            if not response.is_success:
                return await self._read_error(response, number, operation)
            # MCP 2026-07-28, transports: there are no sessions.
            if not http_headers.is_modern(outgoing.headers):
                self._keep_session(response)
            if number is None:
                return None
            if http_client.content_type(response) == EVENTS:
                return await self._streams.read_response(response, number, operation, outgoing.headers)
            return await self._read_body(response, number, operation)

    def _keep_session(self, response: HttpResponse) -> None:
        assigned = [value for name, value in response.raw_headers if name.lower() == http_headers.SESSION.encode()]
        if not assigned or assigned[-1] == self._session:
            return
        self._session = assigned[-1]
        # MCP 2025-11-25, transports: "The session ID MUST only contain visible ASCII characters".
        if not self._session or set(self._session) - set(range(0x21, 0x7F)):
            problem = "the session id contains characters other than visible ASCII"
            event_stream.report_violation(
                self._inbox, Violation("illegal-header", problem, self._session.decode(errors="replace"))
            )

    async def _read_body(self, response: HttpResponse, number: Id, operation: str) -> Fault | None:
        body, kind = (
            await http_client.read_body(response, self._limit, self._inbox.note_partial),
            http_client.content_type(response),
        )
        if kind == http_headers.JSON and body.strip():
            self._inbox.receive(body)
            if not self._inbox.is_pending(number):
                return None
        excerpt = http_client.format_excerpt(body) if body.strip() else ""
        return http_headers.unexpected_body(response.status, self.url, kind, excerpt, operation)

    async def _read_error(self, response: HttpResponse, number: Id, operation: str) -> Fault | None:
        status = response.status
        if (
            number is not None
            and status not in http_headers.HTTP_LEVEL_STATUSES
            and http_client.content_type(response) == http_headers.JSON
        ):
            # The body may be a JSON-RPC error, possibly one "that has no id", which says more than the status.
            data = await http_client.read_body(response, self._limit, self._inbox.note_partial)
            if b'"jsonrpc"' in data and (
                not self._session_expired(status) or http_headers.has_response_to(data, number)
            ):
                self._inbox.receive(data, about=number)
                if not self._inbox.is_pending(number):
                    return None
            body = http_client.format_excerpt(data)
        else:
            body = await http_client.read_excerpt(response, self._inbox.note_partial)
        if self._session_expired(status):
            problem = f"{self.url} no longer has the session during {operation} (HTTP status 404)"
            self._session_fault = Unreachable("CONNECTION_LOST", problem, (body,) if body else ())
            return self._session_fault
        return http_headers.http_failure(status, self.url, response.headers, body, operation)

    def _session_expired(self, status: int) -> bool:
        # MCP 2025-11-25, transports: a server "MUST respond to requests containing that session ID with HTTP 404".
        return status == _NOT_FOUND and self._session is not None

    def _get(self, headers: Mapping[str, str]) -> AbstractAsyncContextManager[HttpResponse]:
        return self._request(HttpRequest("GET", self.url, self._headers(headers)))

    def open_server_stream(self) -> None:
        """Open the stream of notifications and server requests."""
        if self._listening is None or self._listening.done():
            self._listening = self._start(self._listen())

    async def _listen(self) -> None:
        await self._order.wait(self._order.last)
        opened = failed = 0
        with self._streams.stream() as stream:
            while True:
                fault = await self._with_fault(self._read_notifications(stream, opened), "the notification stream")
                if (
                    opened
                    and failed < MAX_RECONNECTS
                    and fault is not None
                    and explain.retryable(fault)
                    and self._session_fault is None
                ):
                    failed += 1
                elif fault is not None:
                    self._streams.report("no-stream", reason=explain.sentence(fault))
                    if opened and isinstance(fault, Unreachable):
                        await self._all_responses()
                        self._inbox.put(ConnectionLost(fault, self._inbox.now()))
                    return
                else:
                    opened, failed = opened + 1, 0
                await stream.wait_to_reconnect()

    async def _all_responses(self) -> None:
        """Wait until no request is pending: a server that accepts no new connections may still send responses."""
        while waiting := [task for task, number in self._tasks.items() if number is not None]:
            await asyncio.wait(waiting)

    async def _read_notifications(self, stream: EventStream, opened: int) -> Fault | None:
        async with self._streams.resume(stream, self._version) as response:
            if opened and self._session_expired(response.status):
                self._session_fault = Unreachable(
                    "CONNECTION_LOST", f"{self.url} no longer has the session (HTTP status 404)"
                )
                return self._session_fault
            if http_client.not_a_stream_reason(response):
                return http_headers.http_failure(response.status, self.url, response.headers, "", "GET")
            if opened:
                self._streams.report("reconnected", lastEventId=stream.decoder.last_id)
            await stream.read(response)
        return None

    def resume(self) -> None:
        """Continue reading the streams after a pause."""
        self._inbox.make_room()

    def poll(self) -> None:
        """Do nothing: only the event loop can read the connection."""

    def flush_incomplete(self) -> None:
        """Report incomplete events."""
        self._streams.finish()

    async def close(self, *, stay: bool) -> None:
        """End the session, if there is one, and close the client; without `stay`, do not wait for a slow response."""
        await http_client.cancel_tasks(self._tasks, self._order.last)
        client, self._client = self._client, None
        if client is None:
            return
        try:
            async with asyncio.timeout(http_client.CLOSE_TIMEOUT):
                if self._session is not None:
                    proof = http_client.encode_headers(self._credentials.headers("DELETE", self.url))
                    await http_client.end_session(client, self.url, self._headers(self._version) | proof, stay=stay)
                await client.close()
        except (TimeoutError, *http_client.REQUEST_ERRORS):
            self._tap.info("the session could not be ended", self._inbox.now())
