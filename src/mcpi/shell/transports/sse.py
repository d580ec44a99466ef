"""The HTTP+SSE transport of the oldest protocol version: one event stream, and an endpoint to POST to."""

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager

from mcpi.core.outcome.faults import Fault, InvalidResponse, Unreachable
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.session.effects import ConnectionLost, RequestFailed, SendMessage
from mcpi.core.targets.target import Sse
from mcpi.core.wire import http_headers
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.sse_parser import SseEvent
from mcpi.core.wire.urls import origin
from mcpi.core.wire.violations import Violation, quote
from mcpi.shell.transports import http_client, http_faults
from mcpi.shell.transports.event_stream import EventStream
from mcpi.shell.transports.http_client import HttpSettings
from mcpi.shell.transports.http_clients.http_errors import InvalidRequestError
from mcpi.shell.transports.http_clients.http_message_parts import HttpRequest, HttpResponse
from mcpi.shell.transports.http_clients.routing_client import RoutingClient, resolve_url
from mcpi.shell.transports.inbox import Inbox


class SseTransport:
    """Messages sent as POST requests and received on one event stream."""

    def __init__(self, target: Sse, inbox: Inbox, settings: HttpSettings) -> None:
        """Set up without connecting."""
        self.url: str = target.url
        self.not_open: str = f"no response to the request for the event stream at {target.url}"
        self._target = target
        self._inbox = inbox
        self._settings = settings
        self._tap = settings.tap
        self._limit = settings.limit
        self._credentials = settings.credentials
        self._stream = EventStream(inbox, settings.tap, settings.limit, {"endpoint": self._set_endpoint})
        self._tasks: set[asyncio.Task[None]] = set()
        self._order = http_client.NotificationOrder()
        self._client: RoutingClient | None = None

    async def open(self) -> Result[float]:
        """Open the event stream and wait until it names the endpoint."""
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
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        fault = http_faults.task_fault(task, self.url)
        if fault is not None:
            self._fail(fault)

    def _request(self, http_request: HttpRequest) -> AbstractAsyncContextManager[HttpResponse]:
        assert self._client is not None
        return http_client.send_request(
            self._client, http_request, lambda message: self._tap.http(message, self._inbox.now()), self._credentials
        )

    async def _read(self) -> None:
        try:
            fault = await self._read_stream()
        except http_client.BodyTooLong:
            fault = http_client.too_long_fault(self.url, self._limit)
        except http_client.REQUEST_ERRORS as error:
            fault = http_faults.fault_of(error, self.url, "the event stream")
        self._fail(fault)

    def _fail(self, fault: Fault) -> None:
        if self._endpoint.done():
            self._inbox.put(ConnectionLost(fault, self._inbox.now()))
        else:
            self._endpoint.set_result(Failure(fault))

    async def _read_stream(self) -> Fault:
        headers = http_client.merge_headers(self._target, {"accept": "text/event-stream", "cache-control": "no-store"})
        async with self._request(HttpRequest("GET", self.url, headers)) as response:
            if not response.is_success:
                body = await http_client.read_excerpt(response, self._inbox.note_partial)
                return http_headers.event_stream_failure(response.status, self.url, response.headers, body)
            no_stream = http_client.not_a_stream_reason(response)
            if no_stream:
                problem = f"{self.url} answered with {no_stream}, not with an event stream"
                return InvalidResponse(
                    "INVALID_RESPONSE", problem, (await http_client.read_excerpt(response, self._inbox.note_partial),)
                )
            self.not_open = f"no endpoint event from the event stream at {self.url}"
            http_client.note_stream(response, self._inbox.note_partial)
            await self._stream.read(response)
        return Unreachable("CONNECTION_LOST", f"{self.url} closed the event stream", self._stream.end_evidence)

    def _set_endpoint(self, event: SseEvent) -> None:
        """Handle the `endpoint` event, which names the URL for POST requests."""
        reference = event.data.decode(errors="replace")
        try:
            endpoint = resolve_url(self.url, reference)
        except InvalidRequestError:
            self._fail(
                InvalidResponse("INVALID_RESPONSE", f"{self.url} sent an endpoint that is not a URL: {reference!r}")
            )
            return
        if origin(endpoint) != origin(self.url):
            self._fail(
                InvalidResponse("INVALID_RESPONSE", f"{self.url} sent an endpoint on another origin: {endpoint}")
            )
        elif not self._endpoint.done():
            self._endpoint.set_result(Success(endpoint))

    def send(self, outgoing: SendMessage) -> bool:
        """Send the message, after the notifications before it."""
        task = self._start(self._post(outgoing, self._order.last))
        if outgoing.kind != "request":
            self._order.last = task
        return True

    async def _post(self, outgoing: SendMessage, before: asyncio.Task[None] | None) -> None:
        await self._order.wait(before)
        number: Id = outgoing.request_id if outgoing.kind == "request" else None
        try:
            fault = await self._post_message(outgoing, number)
        except (http_client.BodyTooLong, http_client.BodyTruncated):
            fault = None  # the request was accepted; the response arrives on the event stream
        except http_client.REQUEST_ERRORS as error:
            fault = http_faults.fault_of(error, self._post_url, outgoing.method)
        if fault is not None and number is not None:
            self._inbox.put(RequestFailed(number, fault, self._inbox.now()))

    async def _post_message(self, outgoing: SendMessage, number: Id) -> Fault | None:
        headers = http_client.merge_headers(self._target, {"content-type": "application/json", **outgoing.headers})
        http_request = HttpRequest("POST", self._post_url, headers, outgoing.data)
        async with self._request(http_request) as response:
            if not response.is_success:
                body = await http_client.read_excerpt(response, self._inbox.note_partial)
                return http_headers.http_failure(
                    response.status, self._post_url, response.headers, body, outgoing.method
                )
            if number is not None and http_client.content_type(response) == "application/json":
                await self._read_post_body(response)
        return None

    async def _read_post_body(self, response: HttpResponse) -> None:
        """Accept a response in the body of the POST, and report the violation."""
        body = await http_client.read_body(response, self._limit, self._inbox.note_partial)
        if b'"jsonrpc"' in body:
            problem = "the response arrived in the body of the POST instead of as an event"
            self._inbox.receive(body, Violation("sse", problem, quote(body.decode(errors="replace"))))

    def open_server_stream(self) -> None:
        """Do nothing: the event stream is open already."""

    def resume(self) -> None:
        """Continue reading the stream after a pause."""
        self._inbox.make_room()

    def poll(self) -> None:
        """Do nothing: only the event loop can read the connection."""

    def flush_incomplete(self) -> None:
        """Report an incomplete event."""
        self._stream.report_incomplete_event()

    async def close(self, *, stay: bool) -> None:  # noqa: ARG002 - there is no process to wait for
        """Close the stream, which ends the session."""
        await http_client.cancel_tasks(self._tasks, self._order.last)
        if self._client is not None:
            await self._client.close()
