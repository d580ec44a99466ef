"""The modern era's stream of notifications: asked for, acknowledged, and then followed."""

from collections.abc import Mapping
from typing import cast

from mcpi.core.jsontext.exact import Exact, Printable
from mcpi.core.jsontext.values import Json
from mcpi.core.outcome.faults import InvalidResponse, TimedOut
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.events import ConnectionClosed, NotificationReceived, ServerAnswered
from mcpi.core.plans.steps import ClockReading, Notify, Plan, Steps, connect, next_event, read_clock, send, stop
from mcpi.core.wire.jsonrpc import Id
from mcpi.core.wire.notifications import ACKNOWLEDGED, LISTEN
from mcpi.core.wire.server_info import EMPTY, Server

KINDS = ("tools", "prompts", "resources")


def everything(server: Server) -> dict[str, Printable]:
    """A filter for all that the server says it can tell."""
    return {f"{name}ListChanged": True for name in KINDS if server.declares(f"{name}.listChanged")}


def listen(filters: Mapping[str, Printable]) -> Plan:
    """What the server agreed to tell; the stream stays open as long as the connection does."""
    begun = yield from read_clock()
    number = yield from send(LISTEN, {"notifications": filters})
    return (yield from _acknowledged(number, begun))


def _acknowledged(number: Id, begun: ClockReading) -> Steps[Exact]:
    # A server that tells other things meanwhile must not keep us waiting.
    now, until = begun.now, begun.now + begun.patience
    while now < until:
        event = yield from next_event(until - now)
        now = max(now, event.at)
        match event:
            case NotificationReceived(method, params) if method == ACKNOWLEDGED:
                return params or EMPTY
            case ServerAnswered(answered, Success(result)) if answered == number:
                problem = "the server ended the subscription without acknowledging it"
                yield from stop(InvalidResponse("INVALID_RESPONSE", problem, (result.text,)))
            case ServerAnswered(answered, Failure(fault)) if answered == number:
                yield from stop(fault)
            case ConnectionClosed(fault):
                yield from stop(fault)
            case _:
                pass
    yield from _withdraw(number, begun.patience)
    return (yield from stop(TimedOut("REQUEST_TIMEOUT", begun.patience, f"subscriptions/listen (request {number})")))


def _withdraw(number: Id, waited: float) -> Steps[None]:
    """The server is told that the request is given up."""
    server = yield from connect()
    if server.transport == "stdio":
        # MCP 2026-07-28, cancellation: over HTTP closing the stream, which is what comes next, is the signal.
        reason = f"no acknowledgement within {waited:.3g} s"
        yield Notify("notifications/cancelled", {"requestId": cast("Json", number), "reason": reason})
