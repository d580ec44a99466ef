"""Notification streams of the modern era: send subscriptions/listen and wait for the acknowledgement."""

from collections.abc import Mapping
from typing import cast

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import InvalidResponse, TimedOut
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.events import ConnectionClosed, NotificationReceived, ResponseReceived
from mcpi.core.plans.steps import ClockReading, Notify, Plan, Steps, connect, next_event, read_clock, send, stop
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.notifications import ACKNOWLEDGED, LIST_CHANGED_KINDS, LISTEN
from mcpi.core.wire.server_info import EMPTY, NegotiatedServer


def all_list_changes(server: NegotiatedServer) -> dict[str, Printable]:
    """Build a filter for every list change notification that the server declares."""
    return {f"{name}ListChanged": True for name in LIST_CHANGED_KINDS if server.declares(f"{name}.listChanged")}


def listen(filters: Mapping[str, Printable]) -> Plan:
    """Subscribe and return the acknowledged filters; the stream stays open as long as the connection does."""
    started = yield from read_clock()
    number = yield from send(LISTEN, {"notifications": filters})
    return (yield from _wait_for_acknowledgement(number, started))


def _wait_for_acknowledgement(number: Id, started: ClockReading) -> Steps[Exact]:
    # Other messages from the server must not extend the timeout.
    now, until = started.now, started.now + started.timeout
    while now < until:
        event = yield from next_event(until - now)
        now = max(now, event.at)
        match event:
            case NotificationReceived(method, params) if method == ACKNOWLEDGED:
                return params or EMPTY
            case ResponseReceived(answered, Success(result)) if answered == number:
                problem = "the server ended the subscription without acknowledging it"
                yield from stop(InvalidResponse("INVALID_RESPONSE", problem, (result.text,)))
            case ResponseReceived(answered, Failure(fault)) if answered == number:
                yield from stop(fault)
            case ConnectionClosed(fault):
                yield from stop(fault)
            case _:
                pass
    yield from _cancel(number, started.timeout)
    return (yield from stop(TimedOut("REQUEST_TIMEOUT", started.timeout, f"subscriptions/listen (request {number})")))


def _cancel(number: Id, waited: float) -> Steps[None]:
    """Cancel the request."""
    server = yield from connect()
    if server.transport == "stdio":
        # MCP 2026-07-28, cancellation: over HTTP, closing the stream (which follows) is the signal.
        reason = f"no acknowledgement within {waited:.3g} s"
        yield Notify("notifications/cancelled", {"requestId": cast("Json", number), "reason": reason})
