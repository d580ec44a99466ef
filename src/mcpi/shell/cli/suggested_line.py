"""Add the command line that the user may have meant to a fault of the command line."""

from collections.abc import Sequence

from attrs import evolve

from mcpi.core.cli.corrections import suggested
from mcpi.core.cli.mistakes.config_servers import may_name_server
from mcpi.core.flags.pairs import with_unset_variable
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.catalog import Catalog
from mcpi.shell.cli import app
from mcpi.shell.context import Context


def with_suggestion(context: Context, fault: Fault, catalog: Catalog) -> Fault:
    """Return the fault with the corrected command line, if all its mistakes can be corrected."""
    known = app.known_flags(catalog)

    def problem(argv: Sequence[str]) -> Fault | None:
        read = app.read(argv, context.environment, catalog)
        return named(read.failure(), argv) if isinstance(read, Failure) else None

    def named(fault: Fault, argv: Sequence[str]) -> Fault:
        if isinstance(fault, Invalid):
            fault = evolve(fault, hints=tuple(with_unset_variable(hint, context.environment) for hint in fault.hints))
        if not may_name_server(fault, argv, known):
            return fault
        from mcpi.shell.discovery.known_configs import with_configured_server  # noqa: PLC0415 - rarely needed

        return with_configured_server(context._replace(argv=tuple(argv)), fault, known)

    return suggested(named(fault, context.argv), context.argv, problem, known, catalog.owned)
