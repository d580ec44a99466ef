"""Responder for roots/list."""

from mcpi.core.flags.types import Root
from mcpi.core.frozen import frozen
from mcpi.plugins.api import (
    Accept,
    JsonObject,
    Printable,
    Reply,
    Responder,
    ServerRequest,
    Steps,
    client_capability,
    hookimpl,
)


@frozen(kw_only=True)
class RootsFlags:
    """The client's roots in the file system."""

    roots: tuple[Root, ...] = ()
    """Root to offer to the server, file:///path or file:///path=Name; repeatable."""


def declare(flags: RootsFlags, version: str) -> JsonObject:
    """Declare roots only if some are given; servers may wait seconds for the roots of a client that declares them."""
    return client_capability("roots", version) if flags.roots else {}


def answer(flags: RootsFlags, _: ServerRequest) -> Steps[Reply]:
    """Return the roots."""
    yield from ()
    roots: list[Printable] = list(flags.roots)
    return Accept({"roots": roots})


@hookimpl
def mcpi_responders() -> tuple[Responder[RootsFlags], ...]:
    """Return the responder for roots/list."""
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
