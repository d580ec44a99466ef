"""The interfaces of a connection: traffic, streamed output, user functions, and the debugger."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.outcome.faults import HttpFailed, Invalid
from mcpi.core.outcome.result import Failure, Result
from mcpi.core.plans.responders import Refuse, Reply
from mcpi.core.plans.steps import AskFunction, Emit
from mcpi.core.plans.world_steps import RunOnServer
from mcpi.core.session.effects import Effect, Effects
from mcpi.shell.context import Context
from mcpi.shell.process.child import Child
from mcpi.shell.transports.credentials import Credentials
from mcpi.shell.transports.traffic import TrafficListener


async def discard_output(_: Emit) -> None:
    """Discard the output."""


async def no_debugger() -> None:
    """Do nothing: there is no debugger."""


def no_function(_: AskFunction) -> Reply:
    """Reject the request: there is no function for it."""
    return Refuse(-32603, "no handler")


async def no_other_server(step: RunOnServer) -> Result[Printable]:
    """Reject the step: there is no connection."""
    return Failure(Invalid("INVALID_ARGUMENT", step.flag, "not connected"))


class Performer(Protocol):
    """The performer of effects outside the connection."""

    async def perform(self, effect: Effect) -> object:
        """Perform the effect and return its reply."""
        ...

    def authorize(self, fault: HttpFailed) -> Effects[Result[Any]]:
        """Return the effects that obtain a token after the fault."""
        ...

    def use_token(self, outcome: Result[Any]) -> Result[None]:
        """Send the token with each further request; return the failure if there is no token."""
        ...

    async def close(self) -> None:
        """Close everything that was opened."""
        ...


@frozen
class Ports:
    """Everything that a connection uses, other than the server and the session."""

    context: Context
    tap: TrafficListener
    max_message_bytes: int = 128 << 20
    emit: Callable[[Emit], Awaitable[None]] = discard_output
    ask_function: Callable[[AskFunction], Reply | int] = no_function
    """Called with a request for a user function; returns the reply, or the number under which it arrives later."""
    on_hit: Callable[[JsonObject], Awaitable[None]] | None = None
    """Called with each hit of a debugged program as it happens."""
    flush_debugger: Callable[[], Awaitable[None]] = no_debugger
    """Called to wait until the debugger of the server has reported all hits."""
    child: Result[Child] | None = None
    """The server process, if it has already been started."""
    performer: "Callable[[Ports], Performer] | None" = None
    """Factory of the performer, called on first use."""
    run_on_server: Callable[[RunOnServer], Coroutine[None, None, Result[Printable]]] = no_other_server
    """Runs a plan on another server; a connection sets it."""
    owns_loop: bool = False
    """True if the event loop serves only this connection."""
    credentials: Credentials = field(factory=Credentials)
