"""Correct words that name a server of the config file."""

from collections.abc import Collection, Mapping, Sequence

from attrs import evolve

from mcpi.core.cli.mistakes.missing_names import starts_server
from mcpi.core.cli.pasteable import pasteable
from mcpi.core.cli.split import SEPARATOR, before_separator
from mcpi.core.cli.words import NAMED, TARGETS, is_url, named_flags, roles
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import NO_PAIR, is_pair
from mcpi.core.outcome.faults import Correction, Fault, Invalid, with_correction


def may_name_server(fault: Fault, argv: Sequence[str], known: Mapping[str, Flag]) -> bool:
    """Tell whether the fault is about a superfluous word of a line with --config and without --server."""
    if not isinstance(fault, Invalid) or not (fault.where == "--config" or fault.problem.startswith(NO_PAIR)):
        return False
    return named_flags(before_separator(argv), known) & {"--config", "--server"} == {"--config"}


def lacks_target(fault: Fault, argv: Sequence[str], known: Mapping[str, Flag]) -> bool:
    """Tell whether a word of a line without a target may be the name of a configured server."""
    if not isinstance(fault, Invalid) or fault.code not in {"MISSING_ARGUMENT", "UNKNOWN_METHOD"}:
        return False
    if SEPARATOR in argv or named_flags(argv, known) & {*TARGETS}:
        return False
    return not any(is_url(argv[at]) or starts_server(argv[at]) for at in roles(argv, known).bare)


def with_known_server(
    fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag], paths: Mapping[str, str]
) -> Invalid:
    """Correct the word that is a configured server, possibly before a tool: SERVER.TOOL; else name a server."""
    bare = roles(argv, known).bare
    # A single word after tools/call is the name of a tool.
    takes_word = bool(bare) and argv[bare[0]] in NAMED and all(is_pair(argv[at]) for at in bare[2:])
    for at in bare:
        name, dot, tool = argv[at].partition(".")
        if name in paths and (dot or not takes_word):
            found = Invalid("INVALID_ARGUMENT", "", f"{name!r} is a server in {paths[name]}")
            return with_correction(found, Correction(argv[at], (*((tool,) if tool else ()), "--server", name)))
    if not paths or fault.where != "target":
        return fault
    name, path = next(iter(paths.items()))
    hint = f"{path} configures servers, for example: mcpi {pasteable((*argv, '--server', name))}"
    return evolve(fault, hints=(hint, *fault.hints))


def with_server_flag(
    fault: Invalid, argv: Sequence[str], known: Mapping[str, Flag], servers: Collection[str]
) -> Invalid:
    """Correct the word that is the name of a server of the config file."""
    words = before_separator(argv)
    named = [words[place] for place in roles(words, known).bare if words[place] in servers]
    return with_correction(fault, Correction(named[-1], ("--server", named[-1])) if named else None)
