"""Write the reports of a run to their files."""

from collections.abc import Callable

from mcpi.core.flags.options import OutputOptions
from mcpi.core.outcome.result import Failure, Result, Success


def write_reports(
    flags: OutputOptions, render: Callable[[str], str], save: Callable[[str, str, str], Result[None]]
) -> Result[None]:
    """Write each requested report; return the first failure. `save` takes a flag, its file, and the text."""
    for flag, name, path in flags.reports:
        saved = save(flag, path, render(name))
        if isinstance(saved, Failure):
            return saved
    return Success(None)
