"""What the conversation asks for: the whole border between it and whoever has the sockets."""

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

from attrs import field

from mcpi.core.debugger.source_maps import SourceMap
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import JsonObject

T = TypeVar("T")


@frozen
class SendCommand:
    """A command whose answer is waited for; the reply is the whole message."""

    method: str
    params: JsonObject = field(factory=dict)


@frozen
class SendCommands:
    """Commands sent together; the reply is a list of the answers, in their order."""

    asks: tuple[SendCommand, ...]


@frozen
class SendAndForget:
    """A command whose answer does not matter."""

    method: str
    params: JsonObject = field(factory=dict)


@frozen
class LoadSourceMap:
    """The text of a source map in a file; the reply is None where there is none."""

    path: str


@frozen
class ValueFound:
    """A value at a hit, as the recorder encoded it."""

    payload: str


@frozen
class BreakpointResolved:
    """The line of the source that the breakpoint went to."""

    line: int


@frozen
class ExpressionInvalid:
    """The expression does not compile."""

    complaint: str


@frozen
class LimitReached:
    """The VM has recorded as many values as are wanted."""


@frozen
class TargetFlushed:
    """All that had happened when it was asked has arrived."""


@frozen
class TargetFinished:
    """The program is at its end and waits for us to go."""


TargetReport: TypeAlias = (
    ValueFound | BreakpointResolved | ExpressionInvalid | LimitReached | TargetFlushed | TargetFinished
)
TargetEffect: TypeAlias = SendCommand | SendCommands | SendAndForget | LoadSourceMap | TargetReport
TargetEffectsOf: TypeAlias = Generator[TargetEffect, Any, T]
TargetEffects: TypeAlias = TargetEffectsOf[None]
TargetReports: TypeAlias = Generator[TargetReport, Any, None]


@frozen
class WriteMessage:
    """A message for the inspector."""

    text: str


TargetOutput: TypeAlias = WriteMessage | LoadSourceMap | TargetReport
TargetOutputs: TypeAlias = Generator[TargetOutput, Any, None]
"""What is to be done, one after the other; what a Load brought is sent back."""


@frozen
class GeneratedFile:
    """A file that was generated from the one that is looked at, found before anything runs."""

    path: str
    mapping: SourceMap
