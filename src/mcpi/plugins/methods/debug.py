"""Method debug/script: record the values of an expression at breakpoints of a Node.js program."""

from typing import TYPE_CHECKING

from mcpi.core.debugger.program.probe import Program, parse_probe
from mcpi.core.flags.places import DEFAULT_MAX_RESULTS, RecordingLimits, SourceLine
from mcpi.core.flags.types import Command, JavaScript, Process
from mcpi.core.frozen import frozen
from mcpi.core.plans.world_steps import debug
from mcpi.plugins.api import (
    AnyMethod,
    Fault,
    Invalid,
    Method,
    OperationFailed,
    Plan,
    TimedOut,
    as_list,
    as_text,
    hookimpl,
    must,
    read_clock,
    stop,
    warn,
)

if TYPE_CHECKING:
    from mcpi.core.debugger.program.verdict import Verdict


LIMITS = RecordingLimits()


@frozen(kw_only=True)
class DebugScript:
    """Run a Node.js program and record values."""

    debug_command: Command | None = None
    """Shell command that runs Node.js; it must contain --inspect-brk=0."""
    attach: Process | None = None
    """Running program to attach to, instead of --debug-command: a port, a process ID, or a ws:// URL."""
    breakpoint: tuple[SourceLine, ...]
    """FILE:LINE or FILE:LINE:COLUMN at which to evaluate the expression; source maps are followed."""
    expression: tuple[JavaScript, ...]
    """JavaScript to evaluate at each hit; it can use `this`, local variables and arguments."""
    max_results: int = DEFAULT_MAX_RESULTS
    """Maximum number of values to keep (default 10000)."""
    max_value_bytes: int = LIMITS.value_bytes
    """Maximum size of one value in bytes (default 65536); omitted parts are marked."""
    max_total_bytes: int = LIMITS.total_bytes
    """Maximum size of all values in bytes (default 1048576)."""
    stop_after: int | None = None
    """End the run after this number of values."""
    stack: bool = False
    """Add the call stack and the names in scope to each value."""


def debug_script(args: DebugScript) -> Plan:
    """Run the program and return the recorded values; stop with a fault if there are none."""
    if (args.debug_command is None) == (args.attach is None):
        yield from stop(
            Invalid("MISSING_ARGUMENT", "debug/script", "debug/script requires --debug-command or --attach")
        )
    limits = RecordingLimits(args.max_results, args.max_value_bytes, args.max_total_bytes)
    parsed = parse_probe(args.breakpoint, args.expression, limits, args.stop_after, stack=args.stack)
    probe = yield from must(parsed)
    standing = yield from read_clock()
    program = Program(args.debug_command or "", probe, standing.timeout, args.attach)
    verdict = yield from must((yield from debug(program)))
    fault = _fault(verdict, ", ".join(map(str, args.breakpoint)), standing.timeout)
    if fault is not None:
        yield from stop(fault, verdict.document)
    for remark in verdict.remarks:
        yield from warn(remark)
    return verdict.document


def _fault(verdict: "Verdict", place: str, timeout: float) -> Fault | None:
    found = verdict.document
    hints = (as_text(found.get("hint")),)
    match verdict.kind:
        case "results":
            return None
        case "timeout":
            where = f"the breakpoint at {place}"
            return TimedOut(
                "REQUEST_TIMEOUT", timeout, where, hints=hints, problem=f"the breakpoint at {place} was not hit"
            )
        case "exit":
            lines = tuple(as_text(line) for line in as_list(found.get("stderr")))
            return OperationFailed("BREAKPOINT_NOT_HIT", verdict.error, (*lines, *hints), {**found})
        case "command":
            return Invalid("INVALID_ARGUMENT", "--debug-command", verdict.error, hints)
        case "attach":
            return Invalid("INVALID_ARGUMENT", "--attach", verdict.error, hints)
        case "breakpoint" | "expression":
            return Invalid("INVALID_ARGUMENT", f"--{verdict.kind}", verdict.error, hints)


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the method of this group."""
    summary = "record the values of an expression in a Node.js program"
    return (Method("debug/script", DebugScript, debug_script, summary, connects=False, is_protocol_method=False),)


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("debug/script",)
