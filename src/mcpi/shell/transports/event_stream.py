"""A stream of events as it is read: its events become messages, its end is evidence."""

import asyncio
from collections.abc import Callable, Mapping

import httpx2

from mcpi.core.wire.jsonrpc import parse
from mcpi.core.wire.peer import Received
from mcpi.core.wire.sse_parser import SseDecoder, SseEvent
from mcpi.core.wire.violations import Violation, quote
from mcpi.shell.transports import http_client
from mcpi.shell.transports.inbox import Inbox
from mcpi.shell.transports.traffic import TrafficListener

KEPT = 300
LINGER = 0.5
"""Seconds of silence after which a stream does not just happen to be between two events."""
_BLANK = (b"\n\n", b"\r\r", b"\r\n\r\n")
RETRY = 1.0
"""Seconds before a stream is opened again, unless the server says otherwise."""


class EventStream:
    """One stream, also when it is opened again where it was cut."""

    def __init__(
        self,
        inbox: Inbox,
        tap: TrafficListener,
        limit: int,
        named: Mapping[str, Callable[[SseEvent], None]] | None = None,
    ) -> None:
        """Nothing has been read; events of certain names go where they are wanted."""
        self.decoder: SseDecoder = SseDecoder(limit)
        self._named = named or {}
        self._inbox = inbox
        self._tap = tap
        self._tail, self._cut, self._spoke = b"", "", self._inbox.now()

    async def read(self, response: httpx2.Response) -> None:
        """Takes in what the stream brings, until it ends or is cut."""
        self.decoder.restart()
        self._tail, self._cut = b"", ""
        try:
            async for chunk in response.aiter_bytes():
                self._tail, self._spoke = (self._tail + chunk[-KEPT:])[-KEPT:], self._inbox.now()
                for event in self.decoder.feed(chunk):
                    self.take_in(event)
                if self.decoder.too_long:
                    raise http_client.BodyTooLong
                await self._inbox.room()
        except httpx2.TransportError as error:
            self._cut = http_client.reason(error)

    def take_in(self, event: SseEvent) -> None:
        """The message in the event, whatever the server calls it."""
        wanted = self._named.get(event.event)
        if wanted is not None:
            wanted(event)
            return
        if event.event == "message":
            self._inbox.take_in(event.data)
            return
        messages, _ = parse(event.data)
        if messages:
            problem = f"a message came as an event of the kind {event.event!r}"
            self._inbox.take_in(event.data, Violation("sse", problem, quote(event.data.decode(errors="replace"))))
        else:
            self._tap.info(
                f"an event of the kind {event.event!r} is left aside: {http_client.shown(event.data)}",
                self._inbox.now(),
            )

    async def pause(self) -> None:
        """As long as the server wants it before a stream is opened again."""
        await asyncio.sleep(RETRY if self.decoder.retry is None else self.decoder.retry)

    @property
    def end(self) -> tuple[str, ...]:
        """How it ended: why, and with what words."""
        text = self._tail.decode(errors="replace").strip()
        return (*((self._cut,) if self._cut else ()), *((f"it ended with: {text}",) if text else ()))

    def finish(self) -> None:
        """An event whose end has not come is told of, unless the server is still at it."""
        silent = self._inbox.now() - self._spoke > LINGER
        if silent and self._tail.strip(b"\r\n") and not self._tail.endswith(_BLANK):
            text = quote(self._tail.decode(errors="replace").strip())
            remark(self._inbox, Violation("sse", "an event has no end: no empty line came after it", text))


def remark(inbox: Inbox, violation: Violation) -> None:
    """The violation is told, though no message holds it."""
    inbox.put(Received((), (violation,), violation.evidence.encode(errors="replace"), inbox.now()))
