"""A method: its name, flags, plan, and required server capability."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mcpi.core.frozen import frozen
from mcpi.core.outcome.faults import Fault, MissingCapability
from mcpi.core.plans.steps import Plan, request
from mcpi.core.wire.server_info import NegotiatedServer
from mcpi.core.wire.versions import Era
from mcpi.core.wire.violations import Violation

if TYPE_CHECKING:
    from mcpi.core.jsontext.exact import Printable
    from mcpi.core.text.colors import Paint

A = TypeVar("A")


@frozen
class Method(Generic[A]):
    """A method that can be called with --method."""

    name: str
    args: type[A]
    plan: Callable[[A], Plan]
    summary: str
    required_capability: str = ""
    """Capability that the server must declare, as a path such as 'resources.subscribe'."""
    era: Era | None = None
    """The only era that has the method; None if both do."""
    alternative: str = ""
    """Replacement to suggest if the server's era does not have the method."""
    is_protocol_method: bool = True
    """True if the name is a protocol method, so that --params can be sent with it."""
    connects: bool = True
    """True if the method connects to an MCP server."""
    target_field: str = ""
    """Field that takes the URL of the target, unless its own flag is given."""
    summarize: "Callable[[Printable, int, Paint], list[str]] | None" = None
    """Function that formats the result, for a width, as lines that replace the JSON on a terminal. The first line has
    the totals, which are printed alone if stderr is not a terminal."""
    readable: "Callable[[Printable, int, Paint], list[str]] | None" = None
    """Function that formats the result for --summary, for a width; the default is `summarize`, or else the content."""
    needs_target: Callable[[A], bool] | None = None
    """Function that tells from the arguments whether the method connects to the target; by default it always does."""
    negotiated_capability: Callable[[NegotiatedServer], str] | None = None
    """Function that returns the required capability, if it depends on the negotiated server."""

    def connects_with(self, args: A | None) -> bool:
        """Tell whether the method connects to the target; None means that the arguments are not known yet."""
        return self.connects and (args is None or self.needs_target is None or self.needs_target(args))

    def start(self, args: A) -> Plan:
        """Return the plan for the arguments; errors of the plan function are raised when the plan is started."""
        return (yield from self.plan(args))


AnyMethod = Method[Any]


def check_support(method: AnyMethod, server: NegotiatedServer) -> Fault | Violation | None:
    """Return the fault if the method cannot be sent to the server, or the violation if it can be sent regardless."""
    if method.era is not None and method.era != server.era:
        hint = (f"use {method.alternative} instead",) if method.alternative else ()
        return MissingCapability(method.name, f"not part of protocol version {server.version} ({server.era} era)", hint)
    needs = (
        method.negotiated_capability(server) if method.negotiated_capability is not None else method.required_capability
    )
    if not needs or not server.was_asked_for_capabilities or server.declares(needs):
        return None
    if server.capabilities.value in ({}, None):
        # Some servers respond to tools/list although they declare no capabilities.
        return Violation("undeclared-capability", f"{method.name} requires a capability, but the server declared none")
    declared = ", ".join(filter(server.declares, server.capabilities.members())) or "none"
    problem = f"the server did not declare the capability {needs} (it declared: {declared})"
    return MissingCapability(method.name, problem, ("use --force to send it anyway",))


@frozen
class RawParams:
    """The flags of a method without flags."""


def vendor_method(name: str) -> AnyMethod:
    """Build a vendor-specific method."""
    return Method(name, RawParams, lambda _: request(name), "")
