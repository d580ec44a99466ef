"""The modern era's stream of notifications: asked for, acknowledged, and then followed."""

from collections.abc import Mapping

from mcpi.core.events import Closed, Elapsed, Notified, Replied
from mcpi.core.exact import Exact, Printable
from mcpi.core.faults import Broken, TimedOut
from mcpi.core.outcome import Failure, Success
from mcpi.core.server import EMPTY, Server
from mcpi.core.steps import Plan, Steps, look, next_event, send, stop

KINDS = ("tools", "prompts", "resources")
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


def everything(server: Server) -> dict[str, Printable]:
    """A filter for all that the server says it can tell."""
    return {f"{name}ListChanged": True for name in KINDS if server.declares(f"{name}.listChanged")}


def listen(filters: Mapping[str, Printable]) -> Plan:
    """What the server agreed to tell; the stream stays open as long as the connection does."""
    standing = yield from look()
    number = yield from send("subscriptions/listen", {"notifications": filters})
    return (yield from _acknowledged(number, standing.patience))


def _acknowledged(number: object, waiting: float) -> Steps[Exact]:
    while True:
        event = yield from next_event(waiting)
        match event:
            case Notified(method, params) if method == ACKNOWLEDGED:
                return params or EMPTY
            case Replied(answered, Success(result)) if answered == number:
                problem = "the server ended the subscription without acknowledging it"
                yield from stop(Broken("INVALID_RESPONSE", problem, (result.text,)))
            case Replied(answered, Failure(fault)) if answered == number:
                yield from stop(fault)
            case Closed(fault):
                yield from stop(fault)
            case Elapsed():
                yield from stop(TimedOut("REQUEST_TIMEOUT", waiting, f"subscriptions/listen (request {number})"))
            case _:
                pass
