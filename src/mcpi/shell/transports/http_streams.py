"""Event streams of Streamable HTTP: read a response from a stream, and resume the stream when it is cut."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeAlias

from mcpi.core.outcome.faults import Fault, Unreachable
from mcpi.core.session.effects import TransportEvent
from mcpi.core.wire import http_headers
from mcpi.core.wire.jsonrpc import Id
from mcpi.shell.transports import http_client
from mcpi.shell.transports.event_stream import EventStream
from mcpi.shell.transports.http_client import HttpSettings
from mcpi.shell.transports.http_clients.http_message_parts import HttpResponse
from mcpi.shell.transports.inbox import Inbox

MAX_RESUMES = 10
"""Maximum number of times the stream of one response is resumed."""
EVENTS = "text/event-stream"

StreamRequest: TypeAlias = Callable[[Mapping[str, str]], AbstractAsyncContextManager[HttpResponse]]
"""A function that sends a GET request with the given headers."""


class HttpStreams:
    """The open event streams of one connection."""

    def __init__(self, url: str, inbox: Inbox, settings: HttpSettings, get: StreamRequest) -> None:
        """Set up without streams; `get` sends the requests that resume one."""
        self._url = url
        self._inbox = inbox
        self._tap = settings.tap
        self._limit = settings.limit
        self._get = get
        self._open: list[EventStream] = []

    async def read_response(
        self, response: HttpResponse, number: Id, operation: str, headers: Mapping[str, str]
    ) -> Fault | None:
        """Read events until the response to the request arrives; resume the stream if it ends before."""
        with self.stream() as stream:
            http_client.note_stream(response, self._inbox.note_partial)
            await stream.read(response)
            problem = f"{self._url} ended its response to {operation} without a result"
            # MCP 2026-07-28, transports: streams are not resumed.
            if http_headers.is_modern(headers) and self._inbox.is_pending(number):
                return Unreachable("CONNECTION_LOST", problem, stream.end_evidence)
            for _ in range(MAX_RESUMES):
                if not self._inbox.is_pending(number):
                    return None
                last_id = stream.decoder.last_id
                if last_id is None or http_headers.encode_event_id(last_id) is None:
                    return Unreachable(
                        "CONNECTION_LOST",
                        problem
                        if last_id is None
                        else f"{problem} after an event whose id cannot be sent in a header: {last_id!r}",
                        stream.end_evidence,
                    )
                self.report("resuming", lastEventId=last_id)
                await stream.wait_to_reconnect()
                async with self.resume(stream, headers) as again:
                    refused = http_client.not_a_stream_reason(again)
                    if refused:
                        return Unreachable(
                            "CONNECTION_LOST", f"{problem} and did not resume it: {refused}", stream.end_evidence
                        )
                    await stream.read(again)
            if not self._inbox.is_pending(number):
                return None
            return Unreachable(
                "CONNECTION_LOST", f"{problem}, even after it was resumed {MAX_RESUMES} times", stream.end_evidence
            )

    @contextmanager
    def stream(self) -> Iterator[EventStream]:
        """Yield a new stream, which is listed as open until it is closed."""
        stream = EventStream(self._inbox, self._tap, self._limit)
        self._open.append(stream)
        try:
            yield stream
        finally:
            self._open.remove(stream)

    def resume(self, stream: EventStream, headers: Mapping[str, str]) -> AbstractAsyncContextManager[HttpResponse]:
        """Request the events after the last event of the stream."""
        more = {**headers, "accept": EVENTS}
        last = None if stream.decoder.last_id is None else http_headers.encode_event_id(stream.decoder.last_id)
        if last is not None:
            more[http_headers.LAST_EVENT] = last
        return self._get(more)

    def report(self, event: str, **facts: str | None) -> None:
        """Log a transport event and queue it."""
        self._tap.info(f"{event} {facts}", self._inbox.now())
        self._inbox.put(TransportEvent(event, facts, self._inbox.now()))

    def finish(self) -> None:
        """Report the incomplete events of all open streams."""
        for stream in self._open:
            stream.report_incomplete_event()
