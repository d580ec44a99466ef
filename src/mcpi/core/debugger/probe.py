"""What to look at in a Node.js program: an expression, whenever a line is reached."""

from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.places import MOST, Place
from mcpi.core.frozen import frozen
from mcpi.core.outcome.result import ParseResult, Success


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


def parse_probe(place: Place, expression: str, most: int) -> ParseResult[Probe]:
    """The probe, if it can bring anything."""
    if not expression.strip():
        return invalid("--expression", "is empty, where a JavaScript expression was expected")
    if most == 0:
        return invalid("--max-results", "expected at least 1")
    return Success(Probe(place, expression, most))
