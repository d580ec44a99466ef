"""Output of a run: text for stdout, lines for stderr, and an exit code."""

from collections.abc import Collection

from mcpi.core.flags.options import OutputOptions
from mcpi.core.frozen import frozen
from mcpi.core.jsontext.exact import LARGE, Exact, Printable
from mcpi.core.jsontext.indentation import IndentedLines
from mcpi.core.jsontext.writing import dump, pretty
from mcpi.core.outcome import explain, faults
from mcpi.core.outcome.faults import Fault, OperationFailed
from mcpi.core.plans.plan import PlanResult
from mcpi.core.wire.violations import quote

MAX_LINES = 20
"""Maximum number of lines after the first one of a server's message."""


@frozen
class RunOutput:
    """Output and exit code of a run."""

    stdout: str | IndentedLines
    stderr: tuple[str, ...]
    exit_code: int


def format_result(
    ended: PlanResult, envelope: Printable, output: OutputOptions, printed: Collection[str] = ()
) -> RunOutput:
    """Format a result according to the output flags; `printed` holds the server's lines that are already on stderr."""
    code = 0 if ended.fault is None else faults.exit_code(ended.fault, fail_on_error=output.tool_errors_fail or False)
    if output.structured:
        return RunOutput(_json(envelope, output), (), code)
    return RunOutput(_stdout_text(ended, output), _stderr_lines(ended, code, output, printed), code)


def _json(value: Printable, output: OutputOptions) -> str | IndentedLines:
    if isinstance(value, Exact) and len(value.text) >= LARGE and not output.compact:
        return IndentedLines(value.text)
    return (dump(value) if output.compact else pretty(value)) + "\n"


def _stdout_text(ended: PlanResult, output: OutputOptions) -> str | IndentedLines:
    if ended.text is not None:
        return ended.text
    return "" if ended.document is None else _json(ended.document, output)


def _stderr_lines(ended: PlanResult, code: int, output: OutputOptions, printed: Collection[str]) -> tuple[str, ...]:
    fault = ended.fault
    if fault is None or ended.fault_shown:
        return ()
    if isinstance(fault, OperationFailed) and code == 0:
        # The printed result contains the tool's text already, but not the hints.
        is_told = ended.result is not None and not output.quiet and output.tool_errors_fail is None
        warning = f"warning: {explain.sentence(fault)}; --fail-on-error makes the exit code 1"
        lines = (warning, *fault.hints) if is_told else fault.hints
        return (*lines[:1], *(f"  {line}" for line in lines[1:]))
    return fault_lines(fault, printed)


def fault_lines(fault: Fault, printed: Collection[str] = ()) -> tuple[str, ...]:
    """Format a fault as lines for stderr: message, evidence that is not printed yet, hints."""
    shown = [line for text in explain.evidence(fault) if text not in printed for line in text.splitlines()]
    first, *more = sentence_lines(explain.sentence(fault))
    return (first, *(f"  {line}" for line in (*more, *shown, *fault.hints)))


def sentence_lines(sentence: str) -> tuple[str, ...]:
    """Split a sentence that quotes a message of several lines; further lines are shortened and limited in number."""
    first, *more = sentence.splitlines()
    omitted = len(more) - MAX_LINES
    last = (f"… ({omitted} more line{'s' * (omitted > 1)})",) if omitted > 0 else ()
    return (first, *map(quote, more[:MAX_LINES]), *last)
