"""One debug session: every Node.js process of a command, from its stderr to the recorded values."""

from collections import deque
from collections.abc import Generator
from typing import Any, TypeAlias

from attrs import evolve

from mcpi.core.debugger.inspector.attached_target import AttachedTarget, BreakpointAim
from mcpi.core.debugger.inspector.cdp_commands import parse_message
from mcpi.core.debugger.inspector.debug_effects import (
    BreakpointResolved,
    ExpressionInvalid,
    GeneratedFile,
    LimitReached,
    LoadSourceMap,
    TargetFinished,
    TargetFlushed,
    TargetOutputs,
    TargetReport,
    ValueFound,
    WriteMessage,
)
from mcpi.core.debugger.inspector.recorder_js import parse_payload
from mcpi.core.debugger.program import node_launch
from mcpi.core.debugger.program.probe import Probe
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import JsonObject

STDERR_LINES = 20
"""Number of stderr lines to quote."""


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


class DebugSession:
    """The state of a debugged command: its inspectors, its results, and its exit status."""

    def __init__(self, probe: Probe, path: str) -> None:
        """Start without inspectors; `path` is the real path of the probe's file."""
        self.probe = probe
        self.aim: BreakpointAim = BreakpointAim(path, probe.place.line - 1, probe.expression, probe.max_results)
        self.results: list[JsonObject] = []
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self.attached: int = 0
        self.resolved_line: int | None = None
        self.expression_error: str | None = None
        self.address_in_use: str | None = None
        self.undebugged_address: str | None = None
        self.truncated: bool = False
        self.ended: bool = False
        self.exit_code: int | None = None
        self.signal: str | None = None
        self._form: str | None = None
        self._open: dict[int, AttachedTarget | None] = {}
        self._pending_flushes: dict[int, int] = {}

    @property
    def finished(self) -> bool:
        """Tell whether the session has failed, or has ended and can yield no more results."""
        failed = self.expression_error is not None or self.address_in_use is not None
        return failed or (self.ended and not self._open)

    @property
    def flushed(self) -> bool:
        """Tell whether all requested flushes have completed."""
        return not self._pending_flushes

    def stderr_line(self, line: str) -> tuple[int, str] | None:
        """Process a line of stderr; return the number and URL of an inspector to connect to, if it names one."""
        url, taken = node_launch.inspector_url(line), node_launch.port_in_use(line)
        if taken is not None:
            # A fork of an already attached process: the session goes on, as its parent is the one to debug.
            self.undebugged_address = taken
            self.address_in_use = None if self.attached else taken
        if not node_launch.is_debugger_message(line):
            self.stderr.append(line)
        if url is None:
            return None
        self.attached += 1
        self._open[self.attached] = None
        return self.attached, url

    def connected(self, number: int, predicted: tuple[GeneratedFile, ...]) -> DebugEffects:
        """Set up a connected inspector and run its program."""
        target = self._open[number] = AttachedTarget(evolve(self.aim, predicted=predicted), self._form)
        yield from self._carry_out(number, target.open())

    def receive(self, number: int, raw: str) -> DebugEffects:
        """Process a message from an inspector."""
        target, message = self._open.get(number), parse_message(raw)
        if target is None or message is None:
            return
        yield from self._carry_out(number, target.receive(message))
        self._form = self._form or target.compiled_form or None

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
            case ValueFound(payload):
                yield from self._record(payload)
            case LimitReached():
                yield from self._reach_limit()
            case TargetFinished():
                yield CloseTarget(number)
            case BreakpointResolved() | ExpressionInvalid() | TargetFlushed():
                self._note(number, output)

    def _record(self, payload: str) -> DebugEffects:
        if len(self.results) >= self.probe.max_results:
            yield from self._reach_limit()
            return
        result = parse_payload(payload)
        self.results.append(result)
        yield HitSeen(result)

    def _reach_limit(self) -> DebugEffects:
        if self.truncated:
            return
        self.truncated = True
        for number, target in self._open.items():
            if target is not None:
                yield from self._carry_out(number, target.stop())

    def _note(self, number: int, report: BreakpointResolved | ExpressionInvalid | TargetFlushed) -> None:
        match report:
            case BreakpointResolved(line):
                self.resolved_line = line + 1 if self.resolved_line is None else self.resolved_line
            case ExpressionInvalid(complaint):
                self.expression_error = complaint
            case TargetFlushed():
                left = self._pending_flushes.pop(number, 1) - 1
                if left > 0:
                    self._pending_flushes[number] = left
