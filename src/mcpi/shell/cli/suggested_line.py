"""Add the command line that the user may have meant to a fault of the command line."""

from collections.abc import Sequence

from mcpi.core.cli.corrections import suggested
from mcpi.core.cli.mistakes.config_servers import may_name_server
from mcpi.core.outcome.faults import Fault
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.catalog import Catalog
from mcpi.shell.cli import app
from mcpi.shell.context import Context


def with_suggestion(context: Context, fault: Fault, catalog: Catalog) -> Fault:
    """Return the fault with the corrected command line, if all its mistakes can be corrected."""
    known = app.known_flags(catalog)

    def problem(argv: Sequence[str]) -> Fault | None:
        read = app.read(argv, context.environment, catalog)
        return read.failure() if isinstance(read, Failure) else None

    if may_name_server(fault, context.argv, known):
        from mcpi.shell.discovery.known_configs import with_configured_server  # noqa: PLC0415 - rarely needed

        fault = with_configured_server(context, fault, known)
    return suggested(fault, context.argv, problem, known, catalog.owned)
