"""Effects of a debug session: its interface to the code that owns the sockets."""

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

from attrs import field

from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import JsonObject

T = TypeVar("T")


@frozen
class SendCommand:
    """A command that waits for its response; the reply is the whole message."""

    method: str
    params: JsonObject = field(factory=dict)


@frozen
class SendCommands:
    """Commands sent together; the reply is the list of responses in their order."""

    commands: tuple[SendCommand, ...]


@frozen
class SendAndForget:
    """A command whose response is ignored."""

    method: str
    params: JsonObject = field(factory=dict)


@frozen
class LoadSourceMap:
    """Load a source map file; the reply is its text, or None if there is no such file."""

    path: str


@frozen
class ValueFound:
    """The value at a hit of a breakpoint, in the recorder's encoding; None if a promise has yet to settle."""

    number: int
    payload: str | None
    promise: str = ""
    details: JsonObject | None = None


@frozen
class BreakpointResolved:
    """The source line at which the breakpoint was set."""

    number: int
    line: int
    entered: str = ""
    """The function into which the breakpoint was moved from a line outside of functions."""


@frozen
class NoCodeFound:
    """A loaded script has no code for the breakpoint; `function` is the function around its line, if any."""

    number: int
    function: str
    dropped: bool
    """V8 has no code for any line of the function."""


@frozen
class ExpressionInvalid:
    """The compile error of the expression."""

    error: str


@frozen
class EvaluationStarted:
    """The expression is about to be evaluated for the first time."""


@frozen
class LimitReached:
    """The recorder has reached the maximum number of values."""


@frozen
class TargetFlushed:
    """All events from before the flush have arrived."""


@frozen
class TargetFinished:
    """The program has ended and waits for the debugger to disconnect."""


TargetReport: TypeAlias = (
    ValueFound
    | BreakpointResolved
    | NoCodeFound
    | EvaluationStarted
    | ExpressionInvalid
    | LimitReached
    | TargetFlushed
    | TargetFinished
)
TargetEffect: TypeAlias = SendCommand | SendCommands | SendAndForget | LoadSourceMap | TargetReport
TargetEffectsOf: TypeAlias = Generator[TargetEffect, Any, T]
TargetEffects: TypeAlias = TargetEffectsOf[None]
TargetReports: TypeAlias = Generator[TargetReport, Any, None]


@frozen
class WriteMessage:
    """A message to send to the inspector."""

    text: str


TargetOutput: TypeAlias = WriteMessage | LoadSourceMap | TargetReport
TargetOutputs: TypeAlias = Generator[TargetOutput, Any, None]
"""Outputs to process in order; the reply to LoadSourceMap is sent back."""
