"""What a connection is tied to: who sees the traffic, who reads the stream, who answers questions."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import HttpFailed
from mcpi.core.outcome.result import Result
from mcpi.core.plans.responders import Refuse, Reply
from mcpi.core.plans.steps import AskFunction, Emit
from mcpi.core.session.effects import Effect, Effects
from mcpi.shell.context import Context
from mcpi.shell.process.child import Child
from mcpi.shell.transports.credentials import Credentials
from mcpi.shell.transports.traffic import TrafficListener


async def discard_output(_: Emit) -> None:
    """Nobody reads the stream."""


async def no_debugger() -> None:
    """There is no debugger."""


async def no_function(_: AskFunction) -> Reply:
    """There is no function to ask."""
    return Refuse(-32603, "nobody answers")


class Performer(Protocol):
    """What is beside the connection."""

    async def perform(self, act: Effect) -> object:
        """The reply to an act."""
        ...

    def authorize(self, fault: HttpFailed) -> Effects[Result[Any]]:
        """The steps to a token."""
        ...

    def use(self, outcome: Result[Any]) -> Result[None]:
        """The token goes with each request."""
        ...

    async def close(self) -> None:
        """Nothing is left open."""
        ...


@frozen
class Ports:
    """The ends that are not the server."""

    context: Context
    tap: TrafficListener
    limit: int = 128 << 20
    emit: Callable[[Emit], Awaitable[None]] = discard_output
    consult: Callable[[AskFunction], Awaitable[Reply]] = no_function
    hit: Callable[[JsonObject], Awaitable[None]] | None = None
    """Who is told at once of each hit of a program that is debugged."""
    settle: Callable[[], Awaitable[None]] = no_debugger
    """Waits until a debugger of the server has told what it saw."""
    child: Result[Child] | None = None
    """The server's process, if it has been started already."""
    performer: "Callable[[Ports], Performer] | None" = None
    """Makes the performer of effects beside the connection, when the first is wanted."""
    alone: bool = False
    """The event loop serves nothing but this connection."""
    credentials: Credentials = field(factory=Credentials)
