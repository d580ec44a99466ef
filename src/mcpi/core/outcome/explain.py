"""Describe a fault for the user: the sentence, the evidence and the details."""

from collections.abc import Sequence

from attrs import evolve

from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import (
    Exited,
    Fault,
    HttpFailed,
    Interrupted,
    Invalid,
    InvalidResponse,
    MissingCapability,
    OperationFailed,
    RpcError,
    TimedOut,
    Unauthorized,
    Unreachable,
)
from mcpi.core.text.timestamps import milliseconds

_PREDICATES = ("requires ", "cannot be combined ", "applies only ")
"""The beginnings of problems that continue the flag as a sentence."""
EARLIER_STDERR, MOST_EARLIER_LINES = "stderr before this step:", 5
NOT_STARTED = "the program ended before it read a request; check that it starts a server, for example with mcp.run()"


def sentence(fault: Fault) -> str:
    """Describe the fault in one sentence."""
    match fault:
        case Invalid():
            # The problem of a missing argument names it, and some problems begin with the place already.
            has_place = fault.where and fault.code != "MISSING_ARGUMENT"
            has_place = has_place and not fault.problem.startswith(f"{fault.where} ")
            joint = " " if fault.problem.startswith(_PREDICATES) else ": "
            return f"{fault.where}{joint}{fault.problem}" if has_place else fault.problem
        case Unreachable() | Unauthorized() | InvalidResponse() | OperationFailed():
            return fault.problem
        case Exited() | HttpFailed() | TimedOut():
            return _transport_sentence(fault)
        case RpcError():
            return f"{fault.method or 'the request'} failed: {fault.number} {fault.message}"
        case MissingCapability():
            return f"{fault.method}: {fault.problem}"
        case Interrupted():
            return f"interrupted by {fault.signal}"


def _transport_sentence(fault: Exited | HttpFailed | TimedOut) -> str:
    match fault:
        case Exited():
            during = f" during {fault.pending}" if fault.pending else ""
            return f"the server {fault.command!r} {_ending(fault)}{during}"
        case HttpFailed():
            return fault.problem or f"{fault.url} answered with HTTP status {fault.status}"
        case TimedOut():
            return f"{fault.problem or f'no response to {fault.outstanding}'} within {_seconds(fault.limit)}"


def _ending(fault: Exited) -> str:
    if fault.signal:
        return f"was terminated by {fault.signal}"
    return "exited" if fault.exit_code is None else f"exited with code {fault.exit_code}"


def exit_during(fault: Exited, pending: Sequence[str], *, is_connected: bool) -> Exited:
    """Add the pending requests, and a hint if the program ended without starting a server."""
    hints = () if is_connected or fault.exit_code != 0 or fault.had_read_input else (NOT_STARTED,)
    *others, last = pending or [""]
    during = f"{', '.join(others)} and {last}" if others else last
    return evolve(fault, pending=during, hints=(*fault.hints, *hints))


def split_stderr(fault: Fault, recent: int) -> Fault:
    """Separate the last lines of stderr, which the server wrote during a step of a script, from the earlier ones."""
    if not isinstance(fault, Exited):
        return fault
    first = max(len(fault.stderr) - recent, 0)
    earlier = () if recent else fault.stderr[-MOST_EARLIER_LINES:]
    return evolve(fault, stderr=fault.stderr[first:], earlier_stderr=earlier)


def _seconds(seconds: float) -> str:
    rounded = round(seconds, 3)
    return f"{rounded:g} s" if rounded >= 1 else f"{seconds * 1000:.3g} ms"


def evidence(fault: Fault) -> tuple[str, ...]:
    """Return the lines that the server printed or sent."""
    match fault:
        case Unreachable() | Unauthorized() | InvalidResponse() | OperationFailed():
            return fault.evidence
        case Exited():
            return (*fault.stderr, *((EARLIER_STDERR, *fault.earlier_stderr) if fault.earlier_stderr else ()))
        case HttpFailed():
            shown = tuple(f"{name}: {value}" for name, value in fault.headers.items())
            return (*shown, fault.excerpt) if fault.excerpt else shown
        case TimedOut():
            return _timeout_evidence(fault)
        case Invalid() | RpcError() | MissingCapability() | Interrupted():
            return ()


def _timeout_evidence(fault: TimedOut) -> tuple[str, ...]:
    """Return the cause or the last message; a fault with a problem of its own need not be about messages."""
    if fault.cause:
        return (fault.cause,)
    if fault.last_seen:
        return (f"last received: {fault.last_seen}",)
    if fault.connected:
        return ("no message was received while mcpi waited",)
    return () if fault.problem else ("no message was received",)


def details(fault: Fault) -> Printable:
    """Return the fault's machine-readable details."""
    match fault:
        case Invalid():
            return {"where": fault.where}
        case Exited():
            return {"exitCode": fault.exit_code, "signal": fault.signal, "stderr": list(fault.stderr)}
        case HttpFailed():
            headers = dict(fault.headers)
            return {"status": fault.status, "url": fault.url, "headers": headers, "body": fault.excerpt}
        case TimedOut():
            return {
                "waitedMs": milliseconds(fault.limit),
                "outstanding": fault.outstanding,
                "lastSeen": fault.last_seen,
            }
        case OperationFailed() | Unauthorized():
            return fault.details if fault.details is not None else {"evidence": list(fault.evidence)}
        case Unreachable() | InvalidResponse():
            return {"evidence": list(fault.evidence)}
        case RpcError() | MissingCapability() | Interrupted():
            return {}


def retryable(fault: Fault) -> bool:
    """Tell whether the same command may succeed later."""
    match fault:
        case Unreachable():
            return fault.code in {"HOST_NOT_FOUND", "CONNECTION_REFUSED", "CONNECTION_LOST"}
        case HttpFailed():
            return fault.status in {408, 425, 429, 500, 502, 503, 504}
        case TimedOut() | Interrupted():
            return True
        case (
            Invalid()
            | Exited()
            | Unauthorized()
            | InvalidResponse()
            | RpcError()
            | MissingCapability()
            | OperationFailed()
        ):
            return False
