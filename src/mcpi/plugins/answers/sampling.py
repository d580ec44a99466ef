"""Responder for sampling/createMessage."""

from mcpi.core.flags.canned_answers import STUB, SamplingAnswer
from mcpi.core.frozen import frozen
from mcpi.plugins.api import (
    Accept,
    JsonObject,
    Refuse,
    Reply,
    Responder,
    ServerRequest,
    Steps,
    client_capability,
    hookimpl,
)

REJECTED = Refuse(-1, "User rejected sampling request")


@frozen(kw_only=True)
class SamplingFlags:
    """How to answer sampling."""

    handle_sampling: tuple[SamplingAnswer, ...] = ()
    """Response to sampling/createMessage: auto, reject, or a result as JSON; repeatable."""


def declare(_: SamplingFlags, version: str) -> JsonObject:
    """Declare sampling even if requests are declined, so that the server sends them and they are recorded."""
    return client_capability("sampling", version)


def answer(flags: SamplingFlags, asking: ServerRequest) -> Steps[Reply]:
    """Give the answers in order, then repeat the last one; reject the request if none is given."""
    yield from ()
    if not flags.handle_sampling:
        return REJECTED
    chosen = flags.handle_sampling[min(asking.previous_count, len(flags.handle_sampling) - 1)]
    match chosen.action:
        case "auto":
            return Accept(STUB)
        case "reject":
            return REJECTED
        case "template":
            return Accept(chosen.template)


@hookimpl
def mcpi_responders() -> tuple[Responder[SamplingFlags], ...]:
    """Return the responder for sampling/createMessage."""
    return (
        Responder(
            "sampling/createMessage",
            "sampling",
            SamplingFlags,
            declare,
            answer,
            lambda flags: bool(flags.handle_sampling),
            capability="sampling",
        ),
    )
