"""One debug session: every Node.js process of a command, from its stderr to the recorded values."""

from collections import deque
from collections.abc import Generator, Sequence
from typing import Any, TypeAlias

from mcpi.core.debugger.inspector.attached_target import AttachedTarget, BreakpointPlan
from mcpi.core.debugger.inspector.cdp_commands import parse_message
from mcpi.core.debugger.inspector.debug_effects import (
    BreakpointResolved,
    EvaluationStarted,
    ExpressionInvalid,
    LimitReached,
    LoadSourceMap,
    NoCodeFound,
    TargetFinished,
    TargetFlushed,
    TargetOutputs,
    TargetReport,
    ValueFound,
    WriteMessage,
)
from mcpi.core.debugger.inspector.recorder_js import ENVELOPE, Form, parse_payload
from mcpi.core.debugger.program import node_launch
from mcpi.core.debugger.program.probe import Probe
from mcpi.core.debugger.sources.locations import RequestedBreakpoint
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import JsonObject
from mcpi.core.wire.violations import quote

STDERR_LINES = 20
"""Number of stderr lines to quote."""
_PENDING: JsonObject = {"type": "object", "subtype": "promise", "value": {"$promise": "pending"}}


@frozen
class SendToTarget:
    """A message to send to the inspector with that number."""

    number: int
    text: str


@frozen
class CloseTarget:
    """Close the connection to the inspector with that number, so that its process can exit."""

    number: int


@frozen
class HitSeen:
    """A new result."""

    result: JsonObject


DebugEffect: TypeAlias = SendToTarget | CloseTarget | LoadSourceMap | HitSeen
DebugEffects: TypeAlias = Generator[DebugEffect, Any, None]


@frozen
class SourceFile:
    """The real path of a breakpoint's file, and its text; empty if there is no such file."""

    path: str
    text: str = ""


class DebugSession:
    """The state of a debugged command: its inspectors, its results, and its exit status."""

    def __init__(self, probe: Probe, files: Sequence[SourceFile], command: str = "") -> None:
        """Start without inspectors; `files` belong to the probe's places."""
        self.probe = probe
        self.command = command
        aims = tuple(
            RequestedBreakpoint(
                number, file.path, place.line - 1, None if place.column is None else place.column - 1, file.text
            )
            for number, (place, file) in enumerate(zip(probe.places, files, strict=True))
        )
        self._plan = BreakpointPlan(aims, probe.expressions, probe.limits, probe.stack, probe.condition)
        self.results: list[JsonObject] = []
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self.attached: int = 0
        """Number of inspectors that were connected."""
        self.resolved_lines: dict[int, int] = {}
        self.entered: dict[int, str] = {}
        self.no_code: dict[int, NoCodeFound] = {}
        self.expression_error: str | None = None
        self.address_in_use: str | None = None
        self.undebugged_address: str | None = None
        self.evaluating: bool = False
        self.truncated: bool = False
        self.stopped: bool = False
        self.ended: bool = False
        self.exit_code: int | None = None
        self.signal: str | None = None
        self._bytes = 0
        self._ports: set[int] = set()
        self._targets: set[str] = set()
        self._promises: dict[str, JsonObject] = {}
        self._forms: tuple[Form, ...] = ()
        self._open: dict[int, AttachedTarget | None] = {}
        self._pending_flushes: dict[int, int] = {}

    @property
    def finished(self) -> bool:
        """Tell whether the session has failed, or has ended and can yield no more results."""
        failed = self.expression_error is not None or self.address_in_use is not None
        return failed or self.stopped or (self.ended and not self._open)

    @property
    def flushed(self) -> bool:
        """Tell whether all requested flushes have completed."""
        return not self._pending_flushes

    @property
    def connecting(self) -> bool:
        """Tell whether an announced inspector is not connected yet."""
        return None in self._open.values()

    @property
    def connections(self) -> int:
        """Number of connected inspectors."""
        return len(self._open) - int(self.connecting)

    def stderr_line(self, line: str) -> tuple[int, str] | None:
        """Process a line of stderr; return the number and URL of an inspector to connect to, if it names one."""
        url, taken = node_launch.inspector_url(line), node_launch.port_in_use(line)
        if taken is not None:
            # A fork of a process that is debugged: the session continues, as the parent is the process to debug.
            self.undebugged_address = taken
            self.address_in_use = None if self._targets else taken
        text = node_launch.program_text(line)
        if text is not None:
            self.stderr.append(quote(text))
        return None if url is None else self.announced(url)

    @property
    def ports(self) -> frozenset[int]:
        """The ports of all inspectors so far."""
        return frozenset(self._ports)

    def announced(self, url: str) -> tuple[int, str] | None:
        """Return the number and URL of an inspector to connect to, unless it is known."""
        target = url.rpartition("/")[2]
        if target in self._targets:
            return None
        self._targets.add(target)
        port = node_launch.port_of(url)
        if port is not None:
            self._ports.add(port)
        number = len(self._targets)
        self._open[number] = None
        return number, url

    def connected(self, number: int) -> DebugEffects:
        """Set up a connected inspector and run its program."""
        self.attached += 1
        target = self._open[number] = AttachedTarget(self._plan, self._forms)
        yield from self._carry_out(number, target.open())

    def receive(self, number: int, raw: str) -> DebugEffects:
        """Process a message from an inspector."""
        target, message = self._open.get(number), parse_message(raw)
        if target is None or message is None:
            return
        yield from self._carry_out(number, target.receive(message))
        self._forms = self._forms or target.forms

    def resend_run(self, number: int) -> DebugEffects:
        """Send the run command again to a program that may still be waiting."""
        target = self._open.get(number)
        if target is not None:
            yield from self._carry_out(number, target.resend_run())

    def closed(self, number: int) -> None:
        """Remove an inspector whose connection has ended or failed."""
        self._open.pop(number, None)
        self._pending_flushes.pop(number, None)

    def exited(self, code: int | None, signal: str | None) -> None:
        """Record the exit of the command."""
        self.ended, self.exit_code, self.signal = True, code, signal

    def flush(self) -> DebugEffects:
        """Flush the events up to now from all inspectors."""
        for number, target in list(self._open.items()):
            if target is not None:
                self._pending_flushes[number] = target.inspectors
                yield from self._carry_out(number, target.flush())

    @property
    def awaiting(self) -> bool:
        """Tell whether the value of a hit still depends on a promise."""
        return bool(self._promises and self._open)

    def stop_awaiting(self) -> DebugEffects:
        """Report the hits whose promises are still pending."""
        for result in self._promises.values():
            yield HitSeen(result)
        self._promises.clear()

    def _carry_out(self, number: int, outputs: TargetOutputs) -> DebugEffects:
        """Carry out the outputs of an inspector."""
        reply: str | None = None
        while True:
            try:
                output = outputs.send(reply)
            except StopIteration:
                return
            if isinstance(output, LoadSourceMap):
                reply = yield output
            else:
                reply = None
                yield from self._apply(number, output)

    def _apply(self, number: int, output: WriteMessage | TargetReport) -> DebugEffects:
        match output:
            case WriteMessage(text):
                yield SendToTarget(number, text)
            case ValueFound():
                yield from self._record(output)
            case LimitReached():
                self.truncated = True
                yield from self._remove_breakpoints()
            case TargetFinished():
                yield CloseTarget(number)
            case TargetFlushed():
                self._count_flush(number)
            case BreakpointResolved() | NoCodeFound() | EvaluationStarted() | ExpressionInvalid():
                self._note(output)

    def _record(self, hit: ValueFound) -> DebugEffects:
        """Record a hit; the value of an awaited promise takes the place of its hit."""
        awaited = self._promises.pop(hit.promise, None)
        if awaited is None:
            was_pending = hit.promise and hit.payload is not None
            if self.stopped or self.truncated or was_pending:
                return
            if self._is_full:
                self.truncated = True
                yield from self._remove_breakpoints()
                return
            result = self._new_result(hit)
            self.results.append(result)
            if hit.payload is None:
                self._promises[hit.promise] = result
        else:
            result = awaited
            details: JsonObject = {name: result[name] for name in result if name not in _PENDING}
            result.clear()
            result |= self._new_result(hit) | details
        self._bytes += max(len(hit.payload or "") - ENVELOPE, 0)
        if hit.payload is not None:
            yield HitSeen(result)
        if len(self.results) - len(self._promises) == self.probe.stop_after:
            self.stopped = True
            awaited_results = {id(one) for one in self._promises.values()}
            self.results = [one for one in self.results if id(one) not in awaited_results]
            yield from self._remove_breakpoints()

    @property
    def _is_full(self) -> bool:
        return len(self.results) >= self.probe.limits.results or self._bytes >= self.probe.limits.total_bytes

    def _new_result(self, hit: ValueFound) -> JsonObject:
        result = dict(_PENDING) if hit.payload is None else parse_payload(hit.payload)
        if len(self.probe.places) > 1:
            result["breakpoint"] = str(self.probe.places[hit.number])
        return result | (hit.details or {})

    def _remove_breakpoints(self) -> DebugEffects:
        for number, target in self._open.items():
            if target is not None:
                yield from self._carry_out(number, target.stop())

    def _count_flush(self, number: int) -> None:
        left = self._pending_flushes.pop(number, 1) - 1
        if left > 0:
            self._pending_flushes[number] = left

    def _note(self, report: BreakpointResolved | NoCodeFound | EvaluationStarted | ExpressionInvalid) -> None:
        match report:
            case BreakpointResolved(at, line, entered):
                self.resolved_lines.setdefault(at, line + 1)
                self.entered.setdefault(at, entered)
            case NoCodeFound():
                self.no_code.setdefault(report.number, report)
            case EvaluationStarted():
                self.evaluating = True
            case ExpressionInvalid(complaint):
                self.expression_error = complaint
