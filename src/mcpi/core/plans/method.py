"""A method: its name, its flags, its plan, and what a server must offer for it."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Fault, MissingCapability
from mcpi.core.plans.steps import Plan, request
from mcpi.core.wire.server_info import Server
from mcpi.core.wire.versions import Era
from mcpi.core.wire.violations import Violation

A = TypeVar("A")


@frozen
class Method(Generic[A]):
    """Something that can be asked for with --method."""

    name: str
    args: type[A]
    plan: Callable[[A], Plan]
    summary: str
    needs: str = ""
    """The capability that a server must declare, as a path such as 'resources.subscribe'."""
    era: Era | None = None
    """The only era that has it, if it is one."""
    instead: str = ""
    """What to use where it does not exist."""
    wire: bool = True
    """Whether the name is one of the protocol's, so that --params can be sent with it."""
    connects: bool = True
    """Whether it talks to an MCP server at all."""
    refine: Callable[[Server], str] | None = None
    """A need that depends on what was negotiated."""

    def start(self, args: A) -> Plan:
        """Return the plan for the arguments; its first step raises what the function raises."""
        return (yield from self.plan(args))


AnyMethod = Method[Any]


def gate(method: AnyMethod, server: Server) -> Fault | Violation | None:
    """Why the method cannot be sent to the server, or what is odd about sending it."""
    if method.era is not None and method.era != server.era:
        hint = (f"use {method.instead} instead",) if method.instead else ()
        return MissingCapability(method.name, f"not in protocol version {server.version} of the {server.era} era", hint)
    needs = method.refine(server) if method.refine is not None else method.needs
    if not needs or not server.asked or server.declares(needs):
        return None
    if server.capabilities.value in ({}, None):
        # Real servers answer tools/list though they declare nothing at all.
        return Violation("undeclared-capability", f"{method.name} is sent to a server that declares no capabilities")
    declared = ", ".join(filter(server.declares, server.capabilities.members())) or "none"
    problem = f"the server did not declare the capability {needs} (it declared: {declared})"
    return MissingCapability(method.name, problem, ("--force sends it anyway",))


@frozen
class RawParams:
    """The flags of a method that has none of its own."""


def vendor(name: str) -> AnyMethod:
    """A method that only the server knows."""
    return Method(name, RawParams, lambda _: request(name), "")
