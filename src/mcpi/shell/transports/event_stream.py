"""Read a Server-Sent Events stream: turn its events into messages, and keep its end as evidence."""

import asyncio
from collections.abc import Callable, Mapping
from random import SystemRandom

from mcpi.core.session.retry import reconnect_delay
from mcpi.core.wire.jsonrpc import parse
from mcpi.core.wire.peer import Received
from mcpi.core.wire.sse_parser import SseDecoder, SseEvent
from mcpi.core.wire.violations import Violation, quote
from mcpi.shell.transports import http_client, http_faults
from mcpi.shell.transports.http_clients.http_errors import TransferError
from mcpi.shell.transports.http_clients.http_message_parts import HttpResponse
from mcpi.shell.transports.inbox import Inbox
from mcpi.shell.transports.traffic import TrafficListener

TAIL_SIZE = 300
EVENT_TIMEOUT = 0.5
"""Seconds of silence after which an incomplete event is reported."""
_EVENT_ENDS = (b"\n\n", b"\r\r", b"\r\n\r\n")
MIN_STABLE_SECONDS = 10.0
"""Seconds after which the end of an empty stream no longer lengthens the reconnect delay."""
_random = SystemRandom()


class EventStream:
    """One event stream, across reconnections."""

    def __init__(
        self,
        inbox: Inbox,
        tap: TrafficListener,
        limit: int,
        handlers: Mapping[str, Callable[[SseEvent], None]] | None = None,
    ) -> None:
        """Start with nothing read; `handlers` receive the events of certain types."""
        self.decoder: SseDecoder = SseDecoder(limit)
        self._handlers = handlers or {}
        self._inbox = inbox
        self._tap = tap
        self._tail, self._error, self._last_read = b"", "", self._inbox.now()
        self._fruitless = 0

    async def read(self, response: HttpResponse) -> None:
        """Read events until the stream ends or the connection is lost."""
        self.decoder.restart()
        self._tail, self._error = b"", ""
        opened = self._inbox.now()
        self._fruitless += 1
        try:
            async for chunk in response.chunks:
                self._tail, self._last_read = (self._tail + chunk[-TAIL_SIZE:])[-TAIL_SIZE:], self._inbox.now()
                for event in self.decoder.feed(chunk):
                    self.handle_event(event)
                    if event.data:
                        self._fruitless = 0
                if self.decoder.too_long:
                    raise http_client.BodyTooLong
                await self._inbox.wait_for_room()
        except TransferError as error:
            self._error = http_faults.error_message(error)
        if self._inbox.now() - opened > MIN_STABLE_SECONDS:
            self._fruitless = 0

    def handle_event(self, event: SseEvent) -> None:
        """Queue the message in an event, even if its type is not `message`."""
        handler = self._handlers.get(event.event)
        if handler is not None:
            handler(event)
            return
        if event.event == "message":
            self._inbox.receive(event.data)
            return
        messages, _ = parse(event.data)
        if messages:
            problem = f"a message arrived as an event of type {event.event!r}"
            self._inbox.receive(event.data, Violation("sse", problem, quote(event.data.decode(errors="replace"))))
        else:
            self._tap.info(
                f"an event of type {event.event!r} is ignored: {http_client.format_excerpt(event.data)}",
                self._inbox.now(),
            )

    async def wait_to_reconnect(self) -> None:
        """Wait before reopening the stream: as long as the server requests, and longer after empty streams."""
        await asyncio.sleep(reconnect_delay(self.decoder.retry, self._fruitless, _random.random()))

    @property
    def end_evidence(self) -> tuple[str, ...]:
        """The error that ended the stream, and its last text."""
        text = self._tail.decode(errors="replace").strip()
        return (*((self._error,) if self._error else ()), *((f"it ended with: {text}",) if text else ()))

    def report_incomplete_event(self) -> None:
        """Report an incomplete event, unless the server is still writing it."""
        silent = self._inbox.now() - self._last_read > EVENT_TIMEOUT
        if silent and self._tail.strip(b"\r\n") and not self._tail.endswith(_EVENT_ENDS):
            text = quote(self._tail.decode(errors="replace").strip())
            report_violation(
                self._inbox, Violation("sse", "the last event is incomplete: no empty line follows it", text)
            )


def report_violation(inbox: Inbox, violation: Violation) -> None:
    """Queue a violation that belongs to no message."""
    inbox.put(Received((), (violation,), violation.evidence.encode(errors="replace"), inbox.now()))
