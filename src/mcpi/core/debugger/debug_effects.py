"""What the conversation asks for: the whole border between it and whoever has the sockets."""

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

from attrs import field

from mcpi.core.debugger.source_maps import Mapping
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.values import JsonObject

T = TypeVar("T")


@frozen
class Ask:
    """A command whose answer is waited for; the reply is the whole message."""

    method: str
    params: JsonObject = field(factory=dict)


@frozen
class AskAll:
    """Commands sent together; the reply is a list of the answers, in their order."""

    asks: tuple[Ask, ...]


@frozen
class Tell:
    """A command whose answer does not matter."""

    method: str
    params: JsonObject = field(factory=dict)


@frozen
class Load:
    """The text of a source map in a file; the reply is None where there is none."""

    path: str


@frozen
class Found:
    """A value at a hit, as the recorder encoded it."""

    payload: str


@frozen
class Landed:
    """The line of the source that the breakpoint went to."""

    line: int


@frozen
class Unparsable:
    """The expression does not compile."""

    complaint: str


@frozen
class Filled:
    """The VM has recorded as many values as are wanted."""


@frozen
class Settled:
    """All that had happened when it was asked has arrived."""


@frozen
class Leave:
    """The program is at its end and waits for us to go."""


Report: TypeAlias = Found | Landed | Unparsable | Filled | Settled | Leave
Wish: TypeAlias = Ask | AskAll | Tell | Load | Report
TalkOf: TypeAlias = Generator[Wish, Any, T]
Talk: TypeAlias = TalkOf[None]
Reports: TypeAlias = Generator[Report, Any, None]


@frozen
class Write:
    """A message for the inspector."""

    text: str


Output: TypeAlias = Write | Load | Report
Outputs: TypeAlias = Generator[Output, Any, None]
"""What is to be done, one after the other; what a Load brought is sent back."""


@frozen
class Predicted:
    """A file that was generated from the one that is looked at, found before anything runs."""

    path: str
    mapping: Mapping
