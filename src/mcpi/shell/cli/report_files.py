"""Write the reports of a run: the files that flags name, and the summary of a GitHub job."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from mcpi.core.cli.invocation import Invocation
from mcpi.core.flags.options import ModeOptions, OutputOptions
from mcpi.core.jsontext.exact import Printable
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.method import AnyMethod
from mcpi.core.plans.plan import Interruption, plugin_fault
from mcpi.core.plans.reports import Report
from mcpi.core.text.colors import Paint, no_color
from mcpi.shell.context import Context
from mcpi.shell.io.files import append_text, write_output_file
from mcpi.shell.io.output import Output

if TYPE_CHECKING:
    from mcpi.core.cli.command_line import Draft
    from mcpi.core.plans.catalog import Catalog
    from mcpi.core.secrets.redactor import Redactor

MARKDOWN = "md"
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable that names the file for the summary of a GitHub job."""


def needs_step_summary(context: Context, method: AnyMethod | None) -> bool:
    """Tell whether a Markdown report is written without a flag: in a GitHub job, for a method that has a table."""
    return method is not None and method.summarize is not None and bool(context.environment.get(STEP_SUMMARY))


def wants_reports(context: Context, invocation: Invocation) -> bool:
    """Tell whether any report is to be written."""
    return bool(invocation.output.reports) or needs_step_summary(context, invocation.method)


def write_report_files(
    flags: OutputOptions,
    render: Callable[[str], object],
    save: Callable[[str, str, str], Result[None]],
    as_shown: Callable[[str], str] = str,
) -> Result[None]:
    """Write each requested report; return the first failure. `save` takes a flag, its file, and the text."""
    for flag, name, path in flags.reports:
        try:
            text = as_shown(_text(render(name)))
        except Interruption:
            raise
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - a plugin may raise anything
            return Failure(plugin_fault(error, flag))
        saved = save(flag, path, text)
        if isinstance(saved, Failure):
            return saved
    return Success(None)


def _text(rendered: object) -> str:
    if not isinstance(rendered, str):
        raise TypeError(f"the report is not a string, but {type(rendered).__name__}")
    return rendered


def write_refused_reports(context: Context, draft: "Draft", fault: Fault, catalog: "Catalog") -> Result[None]:
    """Write the reports of a script that is not run, so that a CI system shows why; return the first failure."""
    path, flags = draft.of(ModeOptions).script, draft.of(OutputOptions)
    if path is None or any(name not in catalog.reports for _, name, _ in flags.reports):
        return Success(None)
    from mcpi.core.modes.run_report import refused_script_report  # noqa: PLC0415 - only a refused script needs it
    from mcpi.core.text.timestamps import iso  # noqa: PLC0415 - see above

    report = refused_script_report(path, fault, iso(context.clock.wall()))
    return write_report_files(
        flags,
        lambda name: catalog.reports[name].render(report),
        lambda flag, file, text: write_output_file(context, flag, file, text),
    )


class Run(Protocol):
    """The parts of an execution that its reports need."""

    context: Context
    output: Output
    invocation: Invocation
    redact: "Redactor"

    def save(self, flag: str, path: str, text: str) -> Result[None]:
        """Write the file that a flag names."""
        ...


def write_reports(run: Run, report: Report) -> Fault | None:
    """Write all reports; return the fault of a file that cannot be written."""
    context, output, invocation, redact = run.context, run.output, run.invocation, run.redact
    formats = invocation.report_formats
    saved = write_report_files(invocation.output, lambda name: formats[name].render(report), run.save, redact)
    if isinstance(saved, Failure):
        return saved.failure()
    asked = any(name == MARKDOWN for _, name, _ in invocation.output.reports)
    path = context.environment.get(STEP_SUMMARY, "")
    if path and (asked or needs_step_summary(context, invocation.method)):
        text = redact(invocation.report_formats[MARKDOWN].render(report))
        problem = append_text(context.path(path), f"{text}\n")
        if problem and not invocation.output.quiet:
            output.write_lines([f"mcpi: warning: cannot write {path}: {problem}"], "warning")
    return None


def formatting_method(invocation: Invocation) -> AnyMethod | None:
    """Return the method that can format the result; a dry run prints requests, which no method formats."""
    return None if invocation.output.dry_run else invocation.method


def result_table(output: Output, invocation: Invocation, result: Printable) -> list[str]:
    """Format the result as a table, if stderr is a terminal and the method has a format."""
    return _table(invocation, result, output.width, output.stderr_paint) if output.stderr.isatty() else []


def result_totals(output: Output, invocation: Invocation, result: Printable) -> str:
    """Return the totals of a result that has a table, unless the table or the envelope shows them."""
    method = invocation.method
    if output.stderr.isatty() or invocation.output.structured or method is None:
        return ""
    totals = _table(invocation, result, output.width, no_color)[:1]
    return "".join(f"{method.name}: {line}" for line in totals)


def _table(invocation: Invocation, result: Printable, width: int, paint: Paint) -> list[str]:
    method = formatting_method(invocation)
    if method is None or method.summarize is None or result is None or invocation.output.quiet:
        return []
    return method.summarize(result, width, paint)
