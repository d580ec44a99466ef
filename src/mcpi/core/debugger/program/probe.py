"""Probes: expressions to evaluate whenever a Node.js program reaches a line."""

from collections.abc import Sequence

from mcpi.core.flags.pairs import invalid
from mcpi.core.flags.places import RecordingLimits, SourceLine
from mcpi.core.frozen import frozen
from mcpi.core.outcome.result import ParseResult, Success


@frozen
class Probe:
    """Breakpoints, an expression for each, and the limits for the recorded values."""

    places: tuple[SourceLine, ...]
    expressions: tuple[str, ...]
    limits: RecordingLimits = RecordingLimits()
    stop_after: int | None = None
    """Number of results after which the program is ended."""
    stack: bool = False
    """Each result has the call stack and the names in scope."""
    required: bool = False
    """A run without a hit fails."""
    condition: str = ""
    """JavaScript that must be true for a hit to count; empty for every hit."""


@frozen
class Program:
    """A shell command that runs Node.js, or the address of a running process, and the probe for it."""

    command: str
    probe: Probe
    timeout: float
    attach: str | None = None
    """A port, a process ID, or a ws:// URL."""


_NOT_NODE = (".py", ".rb", ".go", ".php", ".rs", ".java", ".cs")


def parse_probe(
    places: Sequence[SourceLine],
    expressions: Sequence[str],
    limits: RecordingLimits,
    stop_after: int | None = None,
    *,
    stack: bool = False,
) -> ParseResult[Probe]:
    """Build the probe, if its arguments are valid; one expression serves all places."""
    if not all(expression.strip() for expression in expressions):
        return invalid("--expression", "empty; expected a JavaScript expression")
    foreign = next((place for place in places if place.file.endswith(_NOT_NODE)), None)
    if foreign is not None:
        return invalid(
            "--breakpoint", f"{foreign} is not JavaScript; breakpoints require a program that runs on Node.js"
        )
    if len(expressions) not in {1, len(places)}:
        found = f"{len(expressions)} expressions for {len(places)} breakpoints"
        return invalid("--expression", f"expected one, or one for each --breakpoint, got {found}")
    for flag, value in (
        ("--max-results", limits.results),
        ("--max-value-bytes", limits.value_bytes),
        ("--max-total-bytes", limits.total_bytes),
        ("--stop-after", stop_after),
    ):
        if value == 0:
            return invalid(flag, f"expected at least 1, got {value}")
    each = tuple(expressions) if len(expressions) == len(places) else (expressions[0],) * len(places)
    return Success(Probe(tuple(places), each, limits, stop_after, stack))
