"""Probes: an expression to evaluate whenever a Node.js program reaches a line."""

from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.places import DEFAULT_MAX_RESULTS, SourceLine
from mcpi.core.frozen import frozen
from mcpi.core.outcome.result import ParseResult, Success


@frozen
class Probe:
    """An expression to evaluate at a place, up to a maximum number of times."""

    place: SourceLine
    expression: str
    max_results: int = DEFAULT_MAX_RESULTS


@frozen
class Program:
    """A shell command that runs Node.js, and the probe for it."""

    command: str
    probe: Probe
    timeout: float


def parse_probe(place: SourceLine, expression: str, most: int) -> ParseResult[Probe]:
    """Build the probe, if its arguments are valid."""
    if not expression.strip():
        return invalid("--expression", "is empty, where a JavaScript expression was expected")
    if most == 0:
        return invalid("--max-results", "expected at least 1")
    return Success(Probe(place, expression, most))
