"""Add the command line that the user may have meant to a fault of the command line."""

import os
from collections.abc import Mapping, Sequence

from mcpi.core.cli.corrections import suggested
from mcpi.core.cli.mistakes.config_servers import lacks_target, may_name_server
from mcpi.core.cli.mistakes.misplaced_words import misplaced_file
from mcpi.core.cli.mistakes.missing_methods import unknown_method
from mcpi.core.cli.mistakes.split_values import with_marked_file
from mcpi.core.cli.split import before_separator, split_line
from mcpi.core.cli.words import NO_METHOD, named_flags, roles
from mcpi.core.flags.declare import Flag, GivenFlags
from mcpi.core.outcome.faults import Fault, Invalid
from mcpi.core.outcome.result import Failure
from mcpi.core.plans.catalog import Catalog
from mcpi.shell.cli import app
from mcpi.shell.context import Context
from mcpi.shell.process.missing_command import is_program, kind_of_file


def with_suggestion(context: Context, fault: Fault, catalog: Catalog) -> Fault:
    """Return the fault with the corrected command line, if all its mistakes can be corrected."""
    known = app.known_flags(catalog)

    def is_file(name: str) -> bool:
        return os.path.isfile(context.path(name))  # noqa: PTH113 - Path.is_file raises OSError for a long value

    def problem(argv: Sequence[str]) -> Fault | None:
        read = app.read(argv, context.environment, catalog)
        return named(read.failure(), argv) if isinstance(read, Failure) else None

    def named(fault: Fault, argv: Sequence[str]) -> Fault:
        if isinstance(fault, Invalid) and (fault.problem == NO_METHOD or fault.where in {"target", "--demo"}):
            fault = _unknown_command(context, argv, known, catalog) or fault
        if isinstance(fault, Invalid) and fault.correction is None and _may_concern_file(fault):
            fault = misplaced_file(argv, known, catalog.owned, lambda name: kind_of_file(context.path(name))) or fault
        if isinstance(fault, Invalid):
            fault = with_marked_file(fault, argv, known, is_file)
        if not may_name_server(fault, argv, known) and not lacks_target(fault, argv, known):
            return fault
        from mcpi.shell.discovery.known_configs import with_configured_server  # noqa: PLC0415 - rarely needed

        return with_configured_server(context._replace(argv=tuple(argv)), fault, known)

    return suggested(named(fault, context.argv), context.argv, problem, known, catalog.owned)


def _may_concern_file(fault: Invalid) -> bool:
    """Tell whether a JSON file in the wrong place may be the cause."""
    is_missing = fault.code in {"MISSING_ARGUMENT", "UNKNOWN_METHOD", "INVALID_SCRIPT"}
    return is_missing or fault.where in {"target", "--demo", "--script"}


def _unknown_command(
    context: Context, argv: Sequence[str], known: Mapping[str, Flag], catalog: Catalog
) -> Invalid | None:
    """Return the fault for a first word that is neither a method nor a program nor a file."""
    words, server = before_separator(argv), split_line(argv).server
    bare = tuple(words[at] for at in roles(words, known).bare)
    if not bare or bare[0] in catalog.owned or named_flags(words, known) & {"--method", "--script"}:
        return None
    if is_program(context, bare[0]):
        return None
    given = GivenFlags(dict.fromkeys(named_flags(words, known), ()), bare)
    return unknown_method(given, server, catalog.owned)
