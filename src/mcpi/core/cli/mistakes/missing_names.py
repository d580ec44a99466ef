"""Suggest where to write the name of a tool, prompt or resource, and its arguments."""

from collections.abc import Mapping, Sequence

from attrs import evolve

from mcpi.core.cli.command_line import no_target
from mcpi.core.cli.pasteable import command_line
from mcpi.core.cli.words import NAMED, PROGRAM, TARGETS, is_url, named_flags, roles
from mcpi.core.flags.declare import Flag
from mcpi.core.flags.pairs import is_pair
from mcpi.core.outcome.faults import DID_YOU_MEAN, Invalid
from mcpi.core.targets.target import is_launcher, with_interpreter

_PATHS = ("./", "../", "/", "~/")


def with_name_hint(
    fault: Invalid, method: str, words: Sequence[str], server: Sequence[str], known: Mapping[str, Flag]
) -> Invalid:
    """Add the whole line to the fault for a method without its name; without a server, that is the fault."""
    bare = [words[place] for place in roles(words, known).bare]
    flags = [word for place, word in enumerate(words) if place not in roles(words, known).bare]
    noun = "URI" if NAMED[method][0] == "--uri" else "NAME"
    url = next(filter(is_url, bare), "")
    names: Sequence[str] = [word for word in bare if word != url]
    command: Sequence[str] = ()
    if url or named_flags(words, known) & {*TARGETS}:
        told = DID_YOU_MEAN if names else f"the {noun} follows the URL" if url else "for example"
    else:
        names, command = split_names(bare, server)
        told = "the server's command goes after --" if names and not server else "the name goes before --"
        if not command:
            return no_target(method, *(names or [noun]), *flags).failure()
    line = command_line((method, *([url] if url else []), *(names or [noun]), *flags), command)
    return evolve(fault, hints=(*fault.hints, f"{told}: {PROGRAM} {line}"))


def split_names(bare: Sequence[str], server: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Split the words into a name with its arguments and the server's command, as far as their look tells."""
    if server:
        command, names = (server, ()) if bare else _split_end(server)
        return (*bare, *names), command
    start = next((place for place, word in enumerate(bare) if _starts_server(word)), None)
    if start == 0:
        command, names = _split_end(bare)
        return names, command
    if start is None:
        start = next((place for place, word in enumerate(bare) if place and not is_pair(word)), len(bare))
    return bare[:start], bare[start:]


def _starts_server(word: str) -> bool:
    return is_launcher(word) or bool(with_interpreter(word)) or word.startswith(_PATHS)


def _split_end(command: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Split off a name at the end: the word before key=value words, or the last word after a script."""
    pairs = next((place for place, word in enumerate(command) if is_pair(word)), len(command))
    name = pairs - 1
    is_name = pairs < len(command) or bool(with_interpreter(command[name - 1]))
    if name < 1 + is_launcher(command[0]) or command[name].startswith("-") or not is_name:
        return command, ()
    return command[:name], command[name:]
