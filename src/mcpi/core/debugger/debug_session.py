"""A whole debugging: every Node.js process of a command, from what it prints to what its expression was worth."""

from collections import deque
from collections.abc import Generator
from typing import Any, TypeAlias

from attrs import evolve

from mcpi.core.debugger import node_launch
from mcpi.core.debugger.attached_target import AttachedTarget, BreakpointAim
from mcpi.core.debugger.cdp_commands import parse_message
from mcpi.core.debugger.debug_effects import (
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
from mcpi.core.debugger.probe import Probe
from mcpi.core.debugger.recorder_js import shape
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import JsonObject

TAIL = 20
"""Lines of stderr that are quoted."""


@frozen
class SendToTarget:
    """A message for the inspector of that number."""

    number: int
    text: str


@frozen
class CloseTarget:
    """The connection of that number is closed, so that its process can end."""

    number: int


@frozen
class HitSeen:
    """One result more."""

    result: JsonObject


DebugEffect: TypeAlias = SendToTarget | CloseTarget | LoadSourceMap | HitSeen
DebugEffects: TypeAlias = Generator[DebugEffect, Any, None]


class DebugSession:
    """What is attached, what was found, and whether it is over."""

    def __init__(self, probe: Probe, path: str) -> None:
        """Nothing runs; the path is the real one of the probe's file."""
        self.probe = probe
        self.aim: BreakpointAim = BreakpointAim(path, probe.place.line - 1, probe.expression, probe.most)
        self.results: list[JsonObject] = []
        self.stderr: deque[str] = deque(maxlen=TAIL)
        self.attached: int = 0
        self.landed: int | None = None
        self.complaint: str | None = None
        self.taken: str | None = None
        self.undebugged: str | None = None
        self.truncated: bool = False
        self.ended: bool = False
        self.exit_code: int | None = None
        self.signal: str | None = None
        self._form: str | None = None
        self._open: dict[int, AttachedTarget | None] = {}
        self._unsettled: dict[int, int] = {}

    @property
    def over(self) -> bool:
        """Whether nothing more can come, or nothing more is wanted."""
        hopeless = self.complaint is not None or self.taken is not None
        return hopeless or (self.ended and not self._open)

    @property
    def settled(self) -> bool:
        """Whether all has arrived that had happened when it was asked."""
        return not self._unsettled

    def printed(self, line: str) -> tuple[int, str] | None:
        """The number and the URL of an inspector to connect to, if the line on stderr names one."""
        url, taken = node_launch.listening(line), node_launch.port_taken_line(line)
        if taken is not None:
            # A fork of what is debugged already: the program goes on, its parent is what was asked for.
            self.undebugged = taken
            self.taken = None if self.attached else taken
        if not node_launch.is_chatter(line):
            self.stderr.append(line)
        if url is None:
            return None
        self.attached += 1
        self._open[self.attached] = None
        return self.attached, url

    def connected(self, number: int, predicted: tuple[GeneratedFile, ...]) -> DebugEffects:
        """The inspector is set up and let go."""
        target = self._open[number] = AttachedTarget(evolve(self.aim, predicted=predicted), self._form)
        yield from self._follow(number, target.open())

    def heard(self, number: int, raw: str) -> DebugEffects:
        """What follows from a message."""
        target, message = self._open.get(number), parse_message(raw)
        if target is None or message is None:
            return
        yield from self._follow(number, target.receive(message))
        self._form = self._form or target.form or None

    def nudge(self, number: int) -> DebugEffects:
        """What may be waiting still is let go once more."""
        target = self._open.get(number)
        if target is not None:
            yield from self._follow(number, target.nudge())

    def closed(self, number: int) -> None:
        """The connection has ended, or never began."""
        self._open.pop(number, None)
        self._unsettled.pop(number, None)

    def exited(self, code: int | None, signal: str | None) -> None:
        """The command has ended."""
        self.ended, self.exit_code, self.signal = True, code, signal

    def settle(self) -> DebugEffects:
        """All that has happened is asked for."""
        for number, target in list(self._open.items()):
            if target is not None:
                self._unsettled[number] = target.inspectors
                yield from self._follow(number, target.settle())

    def _follow(self, number: int, outputs: TargetOutputs) -> DebugEffects:
        """What an inspector's conversation wants, and what it reports."""
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
                yield from self._do(number, output)

    def _do(self, number: int, output: WriteMessage | TargetReport) -> DebugEffects:
        match output:
            case WriteMessage(text):
                yield SendToTarget(number, text)
            case ValueFound(payload):
                yield from self._found(payload)
            case LimitReached():
                yield from self._full()
            case TargetFinished():
                yield CloseTarget(number)
            case BreakpointResolved() | ExpressionInvalid() | TargetFlushed():
                self._note(number, output)

    def _found(self, payload: str) -> DebugEffects:
        if len(self.results) >= self.probe.most:
            yield from self._full()
            return
        result = shape(payload)
        self.results.append(result)
        yield HitSeen(result)

    def _full(self) -> DebugEffects:
        if self.truncated:
            return
        self.truncated = True
        for number, target in self._open.items():
            if target is not None:
                yield from self._follow(number, target.stop())

    def _note(self, number: int, report: BreakpointResolved | ExpressionInvalid | TargetFlushed) -> None:
        match report:
            case BreakpointResolved(line):
                self.landed = line + 1 if self.landed is None else self.landed
            case ExpressionInvalid(complaint):
                self.complaint = complaint
            case TargetFlushed():
                left = self._unsettled.pop(number, 1) - 1
                if left > 0:
                    self._unsettled[number] = left
