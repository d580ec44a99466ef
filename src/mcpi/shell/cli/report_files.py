"""Write the reports of a run to their files."""

from collections.abc import Callable, Mapping

from mcpi.core.flags.options import OutputOptions
from mcpi.core.outcome.result import Failure, Result, Success
from mcpi.core.plans.reports import Report, ReportFormat
from mcpi.shell.context import Context
from mcpi.shell.io.files import write_output_file


def write_reports(
    context: Context,
    flags: OutputOptions,
    formats: Mapping[str, ReportFormat],
    report: Report,
    redact: Callable[[str], str],
) -> Result[None]:
    """Write each requested report; return the first failure."""
    for flag, name, path in flags.reports:
        saved = write_output_file(context, flag, path, redact(formats[name].render(report)))
        if isinstance(saved, Failure):
            return saved
    return Success(None)
