"""The outcome of a debug session, as the document that the tool returns."""

from typing import Literal, TypeAlias

from mcpi.core.debugger.program.debug_session import DebugSession
from mcpi.core.debugger.program.node_launch import inherited_by_children
from mcpi.core.flags.places import SourceLine
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import Json, JsonObject

Kind: TypeAlias = Literal["results", "timeout", "exit", "command", "attach", "breakpoint", "expression"]

SERVER_WITHOUT_INSPECTOR = "no inspector found: the server does not run on Node.js, or its stderr is hidden"
_PROGRAM_WITHOUT_INSPECTOR = (
    "no inspector found: start Node.js with --inspect-brk=0, and do not hide its stderr "
    "(with 2>/dev/null or --inspect-publish-uid=http)"
)


@frozen
class Verdict:
    """The document and the kind of outcome; the last four kinds name the flag whose value is at fault."""

    kind: Kind
    document: JsonObject
    remarks: tuple[str, ...] = ()
    """Notes about the results, such as a breakpoint that was moved."""

    @property
    def error(self) -> str:
        """The error message; empty on success."""
        return str(self.document.get("error", ""))


def failed_verdict(kind: Kind, error: str, hint: str) -> Verdict:
    """Build a verdict without results, with the reason."""
    return Verdict(kind, {"error": error, "hint": hint})


def no_file(place: SourceLine, path: str) -> Verdict:
    """Build the verdict for a breakpoint file that does not exist."""
    hint = f"{place.file} was resolved to {path}; relative paths are resolved against the current directory"
    return failed_verdict("breakpoint", f"Breakpoint file not found: {path}", hint)


def not_started(problem: str) -> Verdict:
    """Build the verdict for a command that cannot be started."""
    return failed_verdict(
        "command", f"The command cannot be started: {problem}", "write the command as one shell command line"
    )


def port_in_use(address: str) -> Verdict:
    """Build the verdict for an inspector port that is already in use."""
    hint = "Node.js would run the program without a debugger; --inspect-brk=0 takes any free port"
    return failed_verdict("command", f"Inspector port is already in use: {address}", hint)


def no_inspector(attach: str) -> Verdict:
    """Build the verdict for an inspector that does not answer."""
    hint = "start Node.js with --inspect, or give its process ID; the argument is a port, a process ID or a ws:// URL"
    return failed_verdict("attach", f"No inspector found at {attach}", hint)


def build_verdict(debugging: DebugSession, timeout: float, *, late: bool) -> Verdict:
    """Build the verdict when the program has ended or timed out."""
    if debugging.expression_error is not None:
        return failed_verdict(
            "expression",
            f"Expression does not parse: {debugging.expression_error}",
            "the expression is JavaScript and is evaluated in the frame of the breakpoint",
        )
    if debugging.address_in_use is not None:
        return port_in_use(debugging.address_in_use)
    if debugging.results:
        return Verdict("results", document(debugging) | _ending(debugging, late=late), remarks(debugging))
    if late:
        error = f"Timeout waiting for breakpoint after {round(timeout * 1000)}ms"
        return Verdict("timeout", {"error": error, "stderr": list(debugging.stderr), "hint": hint(debugging)})
    about: JsonObject = {"exitCode": debugging.exit_code, "signal": debugging.signal}
    told: JsonObject = {"stderr": list(debugging.stderr), "hint": hint(debugging)}
    return Verdict("exit", {"error": "Process exited before breakpoint was hit", **about, **told})


def document(debugging: DebugSession) -> JsonObject:
    """Build the document with the results up to now and any anomalies."""
    results: list[Json] = [*debugging.results]
    found: JsonObject = {"results": results}
    if debugging.truncated:
        found["truncated"] = True
    moved: list[Json] = [
        {"file": place.file, "line": place.line, "resolvedLine": debugging.resolved_lines[number]}
        for number, place in _moved(debugging)
    ]
    if moved:
        found["breakpoint"] = moved[0] if len(debugging.probe.places) == 1 else moved
    if debugging.undebugged_address is not None:
        found["hint"] = (
            f"a child process ran without a debugger because {debugging.undebugged_address} was in use; "
            "use --inspect-brk=0"
        )
    return found


def _moved(debugging: DebugSession) -> list[tuple[int, SourceLine]]:
    places = enumerate(debugging.probe.places)
    return [
        (number, place) for number, place in places if debugging.resolved_lines.get(number, place.line) != place.line
    ]


def remarks(debugging: DebugSession) -> tuple[str, ...]:
    """Tell which breakpoints were moved to another line, and whether values are missing."""
    limits = debugging.probe.limits
    full = f"further hits were not recorded: the limits are {limits.results} values and {limits.total_bytes} bytes"
    moves = (_move(debugging, number, place) for number, place in _moved(debugging))
    return (*moves, *((full,) if debugging.truncated else ()))


def _move(debugging: DebugSession, number: int, place: SourceLine) -> str:
    entered = debugging.entered.get(number)
    where = f"{debugging.resolved_lines[number]}, in `{entered}()`" if entered else debugging.resolved_lines[number]
    return f"{place} has no code, so the breakpoint was moved to line {where}"


def _ending(debugging: DebugSession, *, late: bool) -> JsonObject:
    """Tell how the run ended, unless the program exited with 0."""
    if debugging.stopped:
        return {"stopped": True}
    if late:
        return {"timedOut": True}
    if debugging.signal is not None:
        return {"signal": debugging.signal}
    return {"exitCode": debugging.exit_code} if debugging.exit_code else {}


def hint(debugging: DebugSession) -> str:
    """Explain why there may be no results."""
    if not debugging.attached:
        return _PROGRAM_WITHOUT_INSPECTOR if debugging.command else SERVER_WITHOUT_INSPECTOR
    if debugging.evaluating:
        return "the expression did not return: it ran forever or ended the process"
    return "; ".join(_place_hint(debugging, number, place) for number, place in enumerate(debugging.probe.places))


def _place_hint(debugging: DebugSession, number: int, place: SourceLine) -> str:
    line, missing = debugging.resolved_lines.get(number), debugging.no_code.get(number)
    if line == place.line:
        return f"{place} was not reached"
    if line is not None:
        return f"{_move(debugging, number, place)}, which was not reached"
    if missing is None:
        return (
            f"no loaded script has code at {place}, either directly or through a source map"
            f"{_children_hint(debugging.command)}"
        )
    if not missing.function:
        return f"{place} has no code, and no code follows it"
    if missing.dropped:
        return f"line {place.line} is in `{missing.function}()`, which is never called: V8 has no code for it"
    return f"line {place.line} is in `{missing.function}()`, which has no code after that line"


def _children_hint(command: str) -> str:
    """Name the command that debugs child processes, unless this one does."""
    inherited = inherited_by_children(command)
    if inherited is not None:
        return f"; if a child process runs it, use: {inherited}"
    if not command or "NODE_OPTIONS" in command:
        return ""
    return "; for code in child processes, put NODE_OPTIONS=--inspect-brk=0 before the command instead of --inspect-brk"
