"""Method debug/script: record an expression each time a Node.js program reaches a line."""

from typing import TYPE_CHECKING

from mcpi.core.debugger.program.probe import Program, parse_probe
from mcpi.core.flags.places import DEFAULT_MAX_RESULTS, SourceLine
from mcpi.core.frozen import frozen
from mcpi.core.plans.steps import debug
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
)

if TYPE_CHECKING:
    from mcpi.core.debugger.program.verdict import Verdict


@frozen(kw_only=True)
class DebugScript:
    """Run a Node.js program and look at it."""

    debug_command: str
    """The command that runs Node.js, for the shell, with --inspect-brk=0 in it."""
    breakpoint: SourceLine
    """FILE:LINE to look at; a source of which a source map tells will do."""
    expression: str
    """What to evaluate there, each time, in the frame: locals, arguments and this are seen."""
    max_results: int = DEFAULT_MAX_RESULTS
    """Keep so many values (10000)."""


def debug_script(args: DebugScript) -> Plan:
    """Run the program and return the recorded values; stop with a fault if it recorded none."""
    probe = yield from must(parse_probe(args.breakpoint, args.expression, args.max_results))
    standing = yield from read_clock()
    verdict = yield from must((yield from debug(Program(args.debug_command, probe, standing.timeout))))
    fault = _fault(verdict, args.breakpoint, standing.timeout)
    if fault is not None:
        yield from stop(fault, verdict.document)
    return verdict.document


def _fault(verdict: "Verdict", place: SourceLine, patience: float) -> Fault | None:
    found = verdict.document
    hints = (as_text(found.get("hint")),)
    match verdict.kind:
        case "results":
            return None
        case "timeout":
            return TimedOut("REQUEST_TIMEOUT", patience, f"the breakpoint at {place}", hints=hints)
        case "exit":
            lines = tuple(as_text(line) for line in as_list(found.get("stderr")))
            return OperationFailed("BREAKPOINT_NOT_HIT", verdict.error, (*lines, *hints), {**found})
        case "command":
            return Invalid("INVALID_ARGUMENT", "--debug-command", verdict.error, hints)
        case "breakpoint" | "expression":
            return Invalid("INVALID_ARGUMENT", f"--{verdict.kind}", verdict.error, hints)


@hookimpl
def mcpi_methods() -> tuple[AnyMethod, ...]:
    """Return the method of this group."""
    summary = "every value of an expression at a line of a Node.js program"
    return (Method("debug/script", DebugScript, debug_script, summary, connects=False, is_protocol_method=False),)


@hookimpl
def mcpi_tools() -> tuple[str, ...]:
    """Return the methods that agents can call."""
    return ("debug/script",)
