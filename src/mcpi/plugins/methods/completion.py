"""Method completion/complete."""

from mcpi.core.flags.pairs import parse_ref
from mcpi.core.frozen import frozen
from mcpi.core.wire.versions import has_completions_capability
from mcpi.plugins.api import (
    AnyMethod,
    Method,
    Name,
    NegotiatedServer,
    Pair,
    Plan,
    Printable,
    Result,
    Success,
    hookimpl,
    invalid,
    must,
    request,
)


@frozen(kw_only=True)
class Complete:
    """Completions for one argument."""

    completion_ref: str
    """Prompt or resource template that has the argument: ref/prompt/NAME or ref/resource/URI."""
    argument_name: Name
    """Name of the argument to complete."""
    argument_value: str = ""
    """Text typed so far."""
    completion_context: tuple[Pair, ...] = ()
    """key=value of an argument that is already set; repeatable."""


def complete(args: Complete) -> Plan:
    """Request completions for an argument."""
    ref = yield from must(parse_ref("--completion-ref", args.completion_ref))
    params: dict[str, Printable] = {
        "ref": ref,
        "argument": {"name": args.argument_name, "value": args.argument_value},
    }
    known = yield from must(_context(args.completion_context))
    if known:
        params["context"] = {"arguments": known}
    return (yield from request("completion/complete", params))


def _context(pairs: tuple[Pair, ...]) -> Result[dict[str, Printable]]:
    known: dict[str, Printable] = {}
    for pair in pairs:
        if pair.key in known:
            return invalid("--completion-context", f"{pair.key!r} is given twice")
        known[pair.key] = pair.value
    return Success(known)


def _need(server: NegotiatedServer) -> str:
    return "completions" if has_completions_capability(server.version) else ""


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    return (
        Method(
            "completion/complete",
            Complete,
            complete,
            "complete an argument",
            required_capability="completions",
            negotiated_capability=_need,
        ),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("completion/complete",)
