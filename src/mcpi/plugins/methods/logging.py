"""Method logging/setLevel."""

from mcpi.core.flags.types import LogLevel
from mcpi.core.frozen import frozen
from mcpi.plugins.api import (
    AnyMethod,
    Failure,
    Invalid,
    Method,
    Plan,
    Result,
    Success,
    connect,
    extend_terms,
    hookimpl,
    must,
    nearest,
    request,
    with_nearest,
)

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


@frozen(kw_only=True)
class SetLevel:
    """Set the server's log level."""

    log_level: LogLevel
    """Minimum level to log: debug, info, notice, warning, error, critical, alert or emergency."""
    force: bool = False
    """Send the level even if MCP does not define it."""


def set_level(args: SetLevel) -> Plan:
    """Set the log level; in the modern era each further request carries it."""
    yield from must(_check_level(args))
    server = yield from connect()
    if server.era == "modern":
        yield from extend_terms(log_level=args.log_level)
        return {
            "logLevel": args.log_level,
            "sentWith": "each later request on this connection, for example in a --script or with --follow",
        }
    return (yield from request("logging/setLevel", {"level": args.log_level}))


def _check_level(args: SetLevel) -> Result[None]:
    if args.log_level in LEVELS or args.force:
        return Success(None)
    near = nearest(args.log_level, LEVELS)
    problem = f"unknown level {args.log_level!r}; expected {', '.join(LEVELS)}"
    unknown = Invalid("INVALID_ARGUMENT", "--log-level", problem, ("use --force to send it anyway",))
    return Failure(with_nearest(unknown, args.log_level, near))


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the methods of this group."""
    return (
        Method("logging/setLevel", SetLevel, set_level, "set the server's log level", required_capability="logging"),
    )


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("logging/setLevel",)
