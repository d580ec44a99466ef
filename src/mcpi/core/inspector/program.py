"""What to look at in a Node.js program: an expression, whenever a line is reached."""

import re

from mcpi.core.frozen import frozen
from mcpi.core.outcome import Parsed, Success
from mcpi.core.pairs import invalid

MOST = 10_000
"""How many values are kept unless more are asked for."""
_PLACE = re.compile(r"(?P<file>.+):(?P<line>[0-9]{1,9})", re.DOTALL)


@frozen
class Place:
    """A line of a file, counted from 1 as people do."""

    file: str
    line: int

    def __str__(self) -> str:
        """As people write it."""
        return f"{self.file}:{self.line}"


@frozen
class Probe:
    """What is wanted: the value of an expression at a place, so many times at most."""

    place: Place
    expression: str
    most: int = MOST


@frozen
class Program:
    """A command for the shell that runs Node.js, and what to look at in it."""

    command: str
    probe: Probe
    patience: float


def parse_place(flag: str, text: str) -> Parsed[Place]:
    """The place that FILE:LINE names."""
    match = _PLACE.fullmatch(text)
    if match is None or int(match["line"]) == 0:
        return invalid(flag, f"expected FILE:LINE with a line from 1 on, got {text!r}", "for example src/app.ts:42")
    return Success(Place(match["file"], int(match["line"])))


def parse_probe(place: Place, expression: str, most: int) -> Parsed[Probe]:
    """The probe, if it can bring anything."""
    if not expression.strip():
        return invalid("--expression", "is empty, where a JavaScript expression was expected")
    if most == 0:
        return invalid("--max-results", "expected at least 1")
    return Success(Probe(place, expression, most))
