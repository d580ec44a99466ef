"""The roots that a server may ask for."""

from mcpi.core.flags.types import Root
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import Printable
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.plans.responders import Accept, Reply, Responder, ServerRequest, capability
from mcpi.core.plans.steps import Steps
from mcpi.plugins.spec import hookimpl


@frozen(kw_only=True)
class RootsFlags:
    """What belongs to us in the file system."""

    roots: tuple[Root, ...] = ()
    """A root as file:///path or file:///path=Name; repeatable."""


def declare(flags: RootsFlags, version: str) -> JsonObject:
    """Roots are declared only when there are some: servers wait for seconds for a client that says it has them."""
    return capability("roots", version) if flags.roots else {}


def answer(flags: RootsFlags, _: ServerRequest) -> Steps[Reply]:
    """The roots."""
    yield from ()
    roots: list[Printable] = list(flags.roots)
    return Accept({"roots": roots})


@hookimpl
def mcpi_responders() -> tuple[Responder[RootsFlags], ...]:
    """The answer of this group."""
    return (
        Responder(
            "roots/list",
            "roots",
            RootsFlags,
            declare,
            answer,
            lambda flags: bool(flags.roots),
            capability="roots",
            announce="notifications/roots/list_changed",
        ),
    )
