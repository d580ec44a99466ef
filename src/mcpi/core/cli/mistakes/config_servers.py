"""Correct words that name a server of the config file."""

from collections.abc import Collection, Mapping, Sequence

from mcpi.core.cli.split import before_separator
from mcpi.core.cli.words import named_flags, roles
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import NO_PAIR
from mcpi.core.outcome.faults import Correction, Fault, Invalid, with_correction


def may_name_server(fault: Fault, argv: Sequence[str], known: Mapping[str, Flag]) -> bool:
    """Tell whether the fault is about a superfluous word of a line with --config and without --server."""
    if not isinstance(fault, Invalid) or not (fault.where == "--config" or fault.problem.startswith(NO_PAIR)):
        return False
    return named_flags(before_separator(argv), known) & {"--config", "--server"} == {"--config"}


def with_server_flag(
    fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag], servers: Collection[str]
) -> Invalid:
    """Correct the word that is the name of a server of the config file."""
    words = before_separator(argv)
    named = [words[place] for place in roles(words, known).bare if words[place] in servers]
    return with_correction(fault, Correction(named[-1], ("--server", named[-1])) if named else None)
